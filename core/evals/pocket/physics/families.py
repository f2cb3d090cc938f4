"""Task families of physics."""

from __future__ import annotations

from sandbox_tui.core.evals.pocket.physics import electricity, heat, mechanics, waves
from sandbox_tui.core.evals.pocket.problem import Family

FAMILIES: dict[str, Family] = {
    "projectile": mechanics.projectile,
    "incline": mechanics.incline,
    "orbit": mechanics.orbit,
    "rocket": mechanics.rocket,
    "measured_work": mechanics.measured_work,
    "buoyancy": mechanics.buoyancy,
    "mixing": heat.mixing,
    "walls": heat.walls,
    "gas": heat.gas,
    "decay": heat.decay,
    "bubbles": heat.bubbles,
    "lenses": waves.lenses,
    "refraction": waves.refraction,
    "photoelectric": waves.photoelectric,
    "doppler": waves.doppler,
    "resistors": electricity.resistors,
    "capacitor": electricity.capacitor,
    "alternating": electricity.alternating,
}
