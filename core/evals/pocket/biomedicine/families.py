"""Task families of biomedicine."""

from __future__ import annotations

from sandbox_tui.core.evals.pocket.biomedicine import genetics, medicine
from sandbox_tui.core.evals.pocket.problem import Family

FAMILIES: dict[str, Family] = {
    "translation": genetics.translation,
    "dose": medicine.dose,
    "open_frame": genetics.open_frame,
    "drug_level": medicine.drug_level,
    "digest": genetics.digest,
    "screening": medicine.screening,
    "mutations": genetics.mutations,
    "infusion": medicine.infusion,
    "protein_mass": genetics.protein_mass,
    "trial": medicine.trial,
    "words": genetics.words,
    "heredity": medicine.heredity,
    "dilution": medicine.dilution,
}
