"""Tasks about doses, infusions, drug levels, diagnostic tests and heredity."""

from __future__ import annotations

import math

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import (
    Problem,
    at_level,
    integer_problem,
    number_problem,
)
from sandbox_tui.core.evals.pocket.quantities import tell

_ASIDES = (
    "The ward has 24 beds.",
    "The patient's last visit was 7 months ago.",
    "The nurse on duty has 3 colleagues.",
    "The blood pressure is 128 over 82 mmHg.",
    "The label expires in 14 months.",
)
_DRUG = "The drug and all numbers are invented. "


def dose(draw: Draw, level: int) -> Problem:
    """A volume of medicine by body weight. Size: formulas to combine."""
    weight = draw.decimal("22.0", "198.0")
    pounds = draw.chance(0.5)
    kilograms = float(weight) * (0.45359237 if pounds else 1)
    daily, times = draw.decimal("4.0", "45.0"), draw.integer(2, 4)
    milligrams, volume = draw.integer(80, 400), draw.one_of((5, 10, 15))
    facts = [
        f"<A patient weighs {weight} {'lb (1 lb is 0.45359237 kg)' if pounds else 'kg'}.",
        f"The dose is {daily} mg per kg of body weight a day, in {times} equal portions.",
        f"The suspension has {milligrams} mg in {volume} mL.",
    ]
    total = kilograms * float(daily)
    if level > 1:
        limit = round(total * draw.real(0.6, 0.9)) if draw.chance(0.6) else round(total * 1.5)
        facts.append(f"No more than {limit} mg may be given in a day.")
        total = min(total, limit)
    if level == 3:
        percent = draw.integer(15, 60)
        facts.append(
            f">Because of the kidneys the daily amount, limited or not, is cut by {percent} %."
        )
        total *= 1 - percent / 100
    single = total / times / milligrams * volume
    if level < 3:
        ask = ("What volume is one portion?", "How much of the suspension is given each time?")
        value, unit = single, "mL"
    else:
        length = draw.integer(5, 14)
        ask = (f"What volume of suspension is needed for {length} days?",)
        value, unit = single * times * length / 1e3, "L"
    text = _DRUG + tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, value, unit, size=2 * level)


def infusion(draw: Draw, level: int) -> Problem:
    """The rate of an infusion. Size: formulas to combine."""
    weight, rate = draw.decimal("38.0", "110.0"), draw.decimal("0.50", "12.00")
    content, bag = draw.integer(50, 800), draw.one_of((50, 100, 250, 500))
    facts = [
        f"<A patient weighs {weight} kg.",
        f"A drug is to run in at {rate} µg per kg and minute.",
        f"The bag has {content} mg of it in {bag} mL.",
    ]
    hourly = float(weight) * float(rate) * 60 / 1e3 / content * bag
    if level == 1:
        ask = ("What rate is the pump set to?", "At what rate must the pump run?")
        value, unit = hourly, "mL/h"
    elif level == 2:
        drops = draw.one_of((15, 20, 60))
        facts.append(f"There is no pump; {drops} drops are 1 mL.")
        ask = ("How many drops a minute are needed, not rounded?",)
        value, unit = hourly * drops / 60, "drops/min"
    else:
        minutes, percent = draw.integer(20, 90), draw.integer(10, 70)
        facts.append(f">After {minutes} minutes the rate is raised by {percent} %.")
        hourly_later = hourly * (1 + percent / 100)
        first = hourly * minutes / 60
        if first >= bag * 0.9:
            return infusion(draw, level)
        ask = ("How long after its start is the bag empty?", "After what time has the bag run out?")
        value, unit = minutes + (bag - first) / hourly_later * 60, "min"
    text = _DRUG + tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, value, unit, size=2 * level)


def drug_level(draw: Draw, level: int) -> Problem:
    """The level of a drug after doses. Size: doses."""
    amount, volume = draw.integer(100, 900), draw.decimal("12.0", "60.0")
    half_life, gap = draw.decimal("2.5", "14.0"), draw.one_of((4, 6, 8, 12))
    count = at_level(level, 1, 5, 9)
    after = draw.decimal("1.5", "3.9")
    decay = math.log(2) / float(half_life)
    facts = [
        f"<A drug spreads at once in a volume of {volume} L and has a half-life of {half_life} h.",
        f"A dose is {amount} mg, injected into a vein.",
    ]
    hours = [gap * i for i in range(count)]
    if count > 1:
        facts.append(f"Altogether {count} doses are given, one every {gap} h.")
    missed = 0
    if level == 3:
        missed = draw.integer(3, count - 2)
        facts.append(f">By mistake, dose number {missed} is left out; the others come as planned.")
        hours.pop(missed - 1)
    last = gap * (count - 1)
    present = sum(amount * math.exp(-decay * (last + float(after) - hour)) for hour in hours)
    ask = (
        f"What is the concentration {after} h after the {'last ' * (count > 1)}dose?",
        f"Which level is found {after} h after the {'last ' * (count > 1)}injection?",
    )
    text = _DRUG + tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, present / float(volume), "mg/L", size=count)


def screening(draw: Draw, level: int) -> Problem:
    """What a positive test means. Size: tests."""
    share = draw.decimal("0.20", "9.00")
    tests = [(draw.decimal("71.0", "98.0"), draw.decimal("80.0", "99.0")) for _ in range(level)]
    facts = [f"<Of a population, {share} % have a disease."]
    sick, well = float(share), 100 - float(share)
    for name, (sensitivity, specificity) in zip(("A", "B", "C"), tests, strict=False):
        facts.append(
            f"Test {name} has a sensitivity of {sensitivity} % and a specificity of {specificity} "
            f"%."
        )
        negative = name == "B" and level == 3
        sick *= (100 - float(sensitivity) if negative else float(sensitivity)) / 100
        well *= (float(specificity) if negative else 100 - float(specificity)) / 100
    if level > 1:
        facts.append("Given the true state, the tests are independent of each other.")
    found = (
        "Test A is positive",
        "Tests A and B are positive",
        "A and C are positive, B is negative",
    )
    ask = (
        f"{found[level - 1]}. With what probability does the person have the disease?",
        f"What is the probability of the disease for somebody of whom we know this: "
        f"{found[level - 1]}?",
    )
    value = 100 * sick / (sick + well)
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, "%", size=level)


def heredity(draw: Draw, level: int) -> Problem:
    """Genotypes in a population. Size: formulas to combine."""
    people, rare = draw.integer(20_000, 90_000), draw.integer(20, 400)
    facts = [
        f"<In a population in Hardy-Weinberg equilibrium, {rare} of {people} people have a "
        f"recessive disorder of one gene with two alleles.",
    ]
    q = math.sqrt(rare / people)
    carriers = 2 * q * (1 - q)
    healthy = carriers / (1 - q * q)
    if level == 1:
        ask = ("What percentage of all people carry one copy of the allele?",)
        value = 100 * carriers
    elif level == 2:
        facts.append("Two people without the disorder have a child.")
        ask = ("With what probability does the child have it?",)
        value = 100 * healthy * healthy / 4
    else:
        facts.append(
            "A person without the disorder, whose sister has it and whose parents do not, has a "
            "child with an unrelated person who does not have it either."
        )
        children = draw.integer(2, 4)
        facts.append(f">They have {children} children in all.")
        ask = ("With what probability does at least one of the children have the disorder?",)
        value = 100 * 2 / 3 * healthy * (1 - 0.75**children)
    return number_problem(draw, tell(draw, facts, _ASIDES, ask), value, "%", size=2 * level)


def trial(draw: Draw, level: int) -> Problem:
    """A table of patients. Size: rows."""
    count = at_level(level, 60, 250, 1_000)
    rows: list[tuple[str, str, int, str, int]] = []
    for number in range(1, count + 1):
        arm, sex = draw.one_of(("drug", "placebo")), draw.one_of("FM")
        better = int(draw.chance(0.62 if arm == "drug" else 0.44))
        rows.append((f"P{number:04}", arm, draw.integer(18, 88), sex, better))
    age, sex = draw.integer(35, 55), draw.one_of("FM")
    files = {
        "trial.csv": (
            "patient,arm,age,sex,improved\n"
            + "".join(",".join(map(str, row)) + "\n" for row in rows)
        ).encode()
    }
    chosen = [row for row in rows if row[2] >= age and row[3] == sex]
    counts = [[0, 0], [0, 0]]
    for row in chosen:
        counts[row[1] == "drug"][row[4]] += 1
    word = "women" if sex == "F" else "men"
    about = (
        f"The input file trial.csv has the patients of a trial. Look at the {word} (sex {sex}) of "
    )
    about += f"{age} years and older only."
    if level == 1:
        sums = sum(row[2] for row in chosen if row[1] == "drug" and row[4])
        text = f"{about} Add the ages of those who got the drug and improved. What is the sum?"
        return integer_problem(draw, text, sums, size=count, files=files)
    (worse0, better0), (worse1, better1) = counts
    if min(*counts[0], *counts[1]) == 0:
        return trial(draw, level)
    if level == 2:
        text = f"{about} What is the odds ratio of improving (improved = 1), drug against placebo?"
        value = better1 * worse0 / (worse1 * better0)
    else:
        total = worse0 + better0 + worse1 + better1
        text = (
            f"{about} Compute Pearson's chi-squared, without a correction for continuity, for the "
            "table of two arms by improved or not."
        )
        value = (better1 * worse0 - worse1 * better0) ** 2 * total
        value /= (worse0 + better0) * (worse1 + better1) * (worse0 + worse1) * (better0 + better1)
    return number_problem(draw, text, value, "", size=count, files=files)


def dilution(draw: Draw, level: int) -> Problem:
    """Bacterial counts from colonies on plates. Size: plates."""
    steps = [draw.integer(3, 6) for _ in range(level)]
    colonies = [draw.integer(31, 290) for _ in range(level)]
    plated = [draw.decimal("0.05", "0.50") for _ in range(level)]
    taken, into = draw.decimal("0.50", "2.00"), draw.decimal("9.00", "19.00")
    facts = [
        f"<A sample is diluted step by step; each time {taken} mL are mixed with {into} mL of "
        f"water, which gives the next dilution.",
    ]
    facts += [
        f"Of dilution {step}, {volume} mL are spread on a plate; {count} colonies grow."
        for step, count, volume in zip(steps, colonies, plated, strict=True)
    ]
    factor = (float(taken) + float(into)) / float(taken)
    values = [
        count / float(volume) * factor**step
        for step, count, volume in zip(steps, colonies, plated, strict=True)
    ]
    mean = "" if level == 1 else ", as the mean of what the plates give one by one"
    ask = (f"How many million germs does 1 mL of the undiluted sample have{mean}?",)
    value = sum(values) / level / 1e6
    text = tell(draw, facts, _ASIDES, ask)
    return number_problem(draw, text, value, "", size=level)
