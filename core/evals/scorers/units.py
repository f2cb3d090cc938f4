"""Recognizes units of measurement as answers write them."""

from __future__ import annotations

import re

_SYMBOLS = """
m km cm mm µm um nm pm s ms µs us ns min h d a g kg t mg µg ug ng A mA kA µA K °C mol mmol µmol kmol
J kJ MJ GJ mJ eV keV MeV W kW MW mW N kN MN mN Pa kPa MPa hPa bar mbar atm V kV mV µV Ω kΩ mΩ MΩ ohm
Hz kHz MHz GHz C nC µC F µF nF pF L l dL mL ml µL M mM µM % ° rad cal kcal Wh kWh Bq kBq MBq GBq Da
kDa m/s km/h km/s cm/s mph m/s^2 g/mol kg/mol g/L mg/L mg/mL µg/mL mol/L mmol/L mL/h mL/min m^2 m^3
cm^2 cm^3 mm^2 mm^3 L/min L/h drops/min kg/m^3 g/cm^3 ft mi lb oz ppm T mT °F
"""
_WORDS = {
    "s": "second seconds sec",
    "min": "minute minutes",
    "h": "hour hours hr hrs",
    "d": "day days",
    "a": "year years yr",
    "m": "metre metres meter meters",
    "km": "kilometre kilometres kilometer kilometers",
    "cm": "centimetre centimetres centimeter centimeters",
    "mm": "millimetre millimetres millimeter millimeters",
    "nm": "nanometre nanometres nanometer nanometers",
    "g": "gram grams",
    "kg": "kilogram kilograms",
    "mg": "milligram milligrams",
    "J": "joule joules",
    "kJ": "kilojoule kilojoules",
    "W": "watt watts",
    "V": "volt volts",
    "mL": "millilitre millilitres milliliter milliliters ml",
    "L": "litre litres liter liters l",
    "mol": "mole moles",
    "%": "percent",
    "Ω": "ohm ohms",
    "°": "degree degrees deg",
    "°C": "celsius degC",
    "km/h": "kph kmh",
    "mol/L": "M",
    "mmol/L": "mM",
    "Hz": "hertz",
    "drops/min": "gtt/min",
    "g/mol": "g·mol^-1",
    "m/s": "m·s^-1",
}


def _spelled(unit: str) -> str:
    """Normalize the spelling of a unit: superscripts as powers, one micro sign, no markup."""
    unit = re.sub(r"[{}\\$*]", "", unit).replace("μ", "µ").replace("℃", "°C")
    unit = unit.replace("²", "^2").replace("³", "^3").replace("⁻¹", "^-1").replace("⁻²", "^-2")
    return re.sub(r"(?<=[a-z])([23])$", r"^\1", unit)


_NAMES = {name: unit for unit, names in _WORDS.items() for name in names.split()}
_KNOWN = {*_SYMBOLS.split(), *_NAMES}


def is_unit(word: str) -> bool:
    """Return whether a word is a known unit."""
    return _spelled(word) in _KNOWN


def same_unit(one: str, other: str) -> bool:
    """Return whether two words are the same unit: `mL` and `millilitres` are, `mL` and `L` are
    not."""
    first, second = (_NAMES.get(_spelled(word), _spelled(word)) for word in (one, other))
    return first == second != ""
