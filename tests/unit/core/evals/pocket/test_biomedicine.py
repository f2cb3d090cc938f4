"""Every biomedicine target, recomputed from the wording and the files by other means."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction

import pytest

from sandbox_tui.core.evals.pocket.biomedicine.genetics import CODONS, RESIDUES
from sandbox_tui.core.evals.pocket.suite import families_of
from sandbox_tui.core.evals.task import Task
from tests.unit.core.evals.pocket.samples import all_of, close, match, quantities, root


def sequences(task: Task) -> list[str]:
    [content] = task.files.values()
    return ["".join(part.split("\n")[1:]) for part in content.decode().split(">")[1:]]


def reverse(strand: str) -> str:
    return "".join({"A": "T", "T": "A", "C": "G", "G": "C"}[base] for base in reversed(strand))


def translation(task: Task) -> str:
    table = dict(line.split() for line in task.files["codons.txt"].decode().splitlines())
    strand = match(task.problem, r"\b([ACGTU]{30,})\b")[1].replace("U", "T")
    if "template strand" in task.problem:
        strand = reverse(strand)
    codons = re.findall("...", strand[strand.index("ATG") :])
    return "".join(itertools.takewhile(lambda a: a != "*", (table[c] for c in codons)))


def open_frame(task: Task) -> int:
    [strand] = sequences(task)
    both = [strand, reverse(strand)] if "six frames" in task.problem else [strand]
    found = [
        m[1]
        for s in both
        for m in re.finditer(r"(?=(ATG(?:(?!TAA|TAG|TGA)...)*(?:TAA|TAG|TGA)))", s)
    ]
    return max(map(len, found))


def digest(task: Task) -> int:
    [strand] = sequences(task)
    circular = "circular" in task.problem
    cuts = set()
    for left, right in re.findall(r"cuts ([ACGT]+)\^([ACGT]+)", task.problem):
        for found in re.finditer(f"(?={left}{right})", strand + (strand[:5] if circular else "")):
            cuts.add((found.start() + len(left)) % len(strand))
    marked = "".join(("|" if i in cuts else "") + base for i, base in enumerate(strand))
    pieces = marked.split("|")
    if circular:
        pieces = [pieces[-1] + pieces[0], *pieces[1:-1]]
    return sum(sorted(map(len, pieces))[-2:])


def mutations(task: Task) -> int:
    first, second = sequences(task)
    factor = int(match(task.problem, r"(?:number|it) by (\d+)")[1])
    if "differ" in task.problem:
        return sum(map(str.__ne__, first, second)) * factor
    edits = 0  # furthest points on each diagonal (Ukkonen) instead of a table
    reach = {0: 0}

    def slide(diagonal: int, at: int) -> int:
        while (
            at < len(first)
            and 0 <= at + diagonal < len(second)
            and first[at] == second[at + diagonal]
        ):
            at += 1
        return at

    reach = {0: slide(0, 0)}
    goal = len(second) - len(first)
    while reach.get(goal, -1) < len(first):
        edits += 1
        new = {}
        for d in range(-edits, edits + 1):
            options = [reach.get(d, -9) + 1, reach.get(d + 1, -9) + 1, reach.get(d - 1, -9)]
            at = min(max(options), len(first), len(second) - d)
            if at >= 0 and at + d >= 0:
                new[d] = slide(d, at)
        reach = new
    return edits * factor


def protein_mass(task: Task) -> float:
    table = {
        r: Fraction(m)
        for r, m in (line.split() for line in task.files["residues.txt"].decode().splitlines())
    }
    peptide = match(task.problem, r"peptide ([A-Z]{10,})")[1]
    total = Fraction("18.0153")
    for residue in table:
        total += peptide.count(residue) * table[residue]
    if "disulfide" in task.problem:
        total -= Fraction("2.01588") * (peptide.count("C") // 2)
    if "phosphate" in task.problem:
        total += Fraction("79.9799") * peptide.count("S")
    return float(total / 1000)


def words(task: Task) -> str:
    [strand] = sequences(task)
    k = int(match(task.problem, r"of (\d) bases")[1])
    places: dict[str, list[int]] = defaultdict(list)
    for shift in range(k):
        for i, word in enumerate(re.findall("." * k, strand[shift:])):
            places[word].append(i)
    ranked = sorted(places, key=lambda word: -len(places[word]))
    assert len(places[ranked[0]]) > len(places[ranked[1]])
    return ranked[0]


def dose(task: Task) -> float:
    text = task.problem
    weight = float(match(text, r"weighs ([\d.]+) (?:lb|kg)")[1]) * (
        0.45359237 if " lb (" in text else 1
    )
    daily, times = quantities(text, "dose is {n} mg .* in {n} equal")
    milligrams, volume = quantities(text, "has {n} mg in {n} mL")
    limit = quantities(text, "than {n} mg may")[0] if "may be given" in text else math.inf
    amount = min(weight * daily, limit) * (
        1 - (quantities(text, "cut by {n} %")[0] / 100 if "cut by" in text else 0)
    )
    if "days?" in text:
        [length] = quantities(text, "for {n} days")
        return amount * length * volume / milligrams / 1000
    return amount * volume / milligrams / times


def infusion(task: Task) -> float:
    text = task.problem
    [weight], [rate], [content, bag] = (
        quantities(text, "weighs {n} kg"),
        quantities(text, "at {n} µg"),
        quantities(text, "has {n} mg of it in {n} mL"),
    )
    per_minute = weight * rate / (content * 1000 / bag)  # in mL
    if "drops" in text:
        return per_minute * quantities(text, "{n} drops are")[0]
    if "raised" in text:
        minutes, percent = quantities(text, "After {n} minutes the rate is raised by {n} %")
        faster = per_minute * (100 + percent) / 100
        return root(
            lambda t: bag - per_minute * min(t, minutes) - faster * max(0, t - minutes), 0, 1e6
        )
    return per_minute * 60


def drug_level(task: Task) -> float:
    text = task.problem
    volume, life = quantities(text, "volume of {n} L and has a half-life of {n} h")
    [amount], [after] = quantities(text, "dose is {n} mg"), quantities(text, "{n} h after the")
    if "Altogether" not in text:
        return amount / volume * 2 ** (-after / life)
    count, gap = quantities(text, "Altogether {n} doses are given, one every {n} h")
    missed = quantities(text, "number {n} is left")[0] if "left out" in text else 0
    present = 0.0
    for number in range(1, int(count) + 1):  # dose by dose
        present = present * 2 ** (-gap / life) + amount * (number != missed)
    return present * 2 ** (-after / life) / volume


def screening(task: Task) -> float:
    text = task.problem
    [share] = quantities(text, "population, {n} %")
    tests = {
        n: (float(a), float(b))
        for n, a, b in re.findall(
            r"Test (\w) has a sensitivity of ([\d.]+) % and a specificity of ([\d.]+) %", text
        )
    }
    odds = share / (100 - share)  # Bayes' rule with likelihood ratios
    for name, (sensitivity, specificity) in tests.items():
        if name == "B" and "B is negative" in text:
            odds *= (100 - sensitivity) / specificity
        else:
            odds *= sensitivity / (100 - specificity)
    return 100 * odds / (1 + odds)


def heredity(task: Task) -> float:
    text = task.problem
    rare, people = quantities(text, "equilibrium, {n} of {n} people")
    q = root(lambda x: x * x - rare / people, 0, 1)
    genotypes = {"AA": (1 - q) ** 2, "Aa": 2 * q * (1 - q), "aa": q * q}
    if "carry one copy" in text:
        return 100 * genotypes["Aa"]
    well = {g: p / (1 - q * q) for g, p in genotypes.items() if g != "aa"}

    def sick(one: str, other: str) -> float:
        return sum(a + b == "aa" for a in one for b in other) / 4

    if "sister" not in text:
        return 100 * sum(p * r * sick(a, b) for a, p in well.items() for b, r in well.items())
    [children] = quantities(text, "have {n} children")
    siblings = [a + b for a in "Aa" for b in "Aa" if a + b != "aa"]
    chances = [
        (1 - (1 - sick(s, b)) ** children) * p / len(siblings)
        for s in siblings
        for b, p in well.items()
    ]
    return 100 * sum(chances)


def trial(task: Task) -> float:
    [content] = task.files.values()
    sex, age = match(task.problem, r"\(sex (\w)\) of (\d+) years").groups()
    rows = [
        r
        for r in csv.DictReader(io.StringIO(content.decode()))
        if r["sex"] == sex and int(r["age"]) >= int(age)
    ]
    cells = {
        (arm, got): sum(r["arm"] == arm and r["improved"] == got for r in rows)
        for arm in ("drug", "placebo")
        for got in "01"
    }
    if "ages" in task.problem:
        return sum(int(r["age"]) for r in rows if r["arm"] == "drug" and r["improved"] == "1")
    if "odds ratio" in task.problem:
        return (cells["drug", "1"] / cells["drug", "0"]) / (
            cells["placebo", "1"] / cells["placebo", "0"]
        )
    chi = 0.0
    for (arm, got), seen in cells.items():
        row = sum(n for (a, _), n in cells.items() if a == arm)
        column = sum(n for (_, g), n in cells.items() if g == got)
        expected = row * column / len(rows)
        chi += (seen - expected) ** 2 / expected
    return chi


def dilution(task: Task) -> float:
    text = task.problem
    taken, into = quantities(text, "time {n} mL are mixed with {n} mL")
    germs = []
    for step, volume, colonies in re.findall(
        r"Of dilution (\d), ([\d.]+) mL are spread on a plate; (\d+) colonies", text
    ):
        density = float(colonies) / float(volume)
        for _ in range(int(step)):
            density *= 1 + into / taken
        germs.append(density / 1e6)
    return math.fsum(germs) / len(germs)


SOLVERS: dict[str, Callable[[Task], float | str]] = {
    f.__name__: f
    for f in (translation, open_frame, digest, mutations, protein_mass, words, dose, infusion, drug_level, screening, heredity, trial, dilution)
}  # fmt: skip


def test_every_family_has_a_solver() -> None:
    assert set(SOLVERS) == set(families_of("biomedicine"))


@pytest.mark.parametrize("family", sorted(SOLVERS))
def test_targets_agree_with_the_words(family: str) -> None:
    for task in all_of("biomedicine", family):
        value = SOLVERS[family](task)
        if isinstance(value, float) and not task.metadata.get("integer"):
            assert close(task.target, value), (value, task.target, task.problem)
        else:
            assert str(value) == task.target, task.problem


def test_the_genetic_code() -> None:
    assert len(CODONS) == 64
    known = {
        "ATG": "M",
        "TGG": "W",
        "TAA": "*",
        "TAG": "*",
        "TGA": "*",
        "AAA": "K",
        "GGC": "G",
        "CAT": "H",
        "AGA": "R",
        "TCT": "S",
        "AGC": "S",
        "ATA": "I",
    }
    assert all(CODONS[codon] == amino for codon, amino in known.items())
    assert set(RESIDUES) == set(CODONS.values()) - {"*"}
