"""Tasks about DNA, RNA and proteins."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from sandbox_tui.core.evals.pocket.draw import Draw
from sandbox_tui.core.evals.pocket.problem import (
    Problem,
    at_level,
    exact_problem,
    integer_problem,
    number_problem,
)

_BASES = "TCAG"
_AMINO_ACIDS = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
CODONS = {
    a + b + c: _AMINO_ACIDS[16 * i + 4 * j + k]
    for i, a in enumerate(_BASES)
    for j, b in enumerate(_BASES)
    for k, c in enumerate(_BASES)
}
"""The standard genetic code (NCBI table 1); `*` is a stop."""

CODON_FILE = "".join(f"{codon} {amino}\n" for codon, amino in CODONS.items()).encode()

RESIDUES = {
    "G": "57.0513",
    "A": "71.0779",
    "S": "87.0773",
    "P": "97.1152",
    "V": "99.1311",
    "T": "101.1039",
    "C": "103.1429",
    "L": "113.1576",
    "I": "113.1576",
    "N": "114.1026",
    "D": "115.0874",
    "Q": "128.1292",
    "K": "128.1723",
    "E": "129.1140",
    "M": "131.1961",
    "H": "137.1393",
    "F": "147.1739",
    "R": "156.1857",
    "Y": "163.1733",
    "W": "186.2099",
}
"""Average masses of amino acid residues in Da."""

_PAIRS = str.maketrans("ACGT", "TGCA")


def dna(draw: Draw, length: int, gc: float = 0.5) -> str:
    """Return a random sequence with about the given share of G and C."""
    return "".join(draw.one_of("GC" if draw.chance(gc) else "AT") for _ in range(length))


def fasta(sequences: dict[str, str]) -> bytes:
    """Format the sequences as a FASTA file with 60 characters per line."""
    lines: list[str] = []
    for name, sequence in sequences.items():
        lines += [f">{name}", *(sequence[i : i + 60] for i in range(0, len(sequence), 60))]
    return ("\n".join(lines) + "\n").encode()


def _translated(sequence: str) -> str:
    """Return the protein of a sequence, from its first base to the first stop."""
    protein = ""
    for i in range(0, len(sequence) - 2, 3):
        amino = CODONS[sequence[i : i + 3]]
        if amino == "*":
            break
        protein += amino
    return protein


def translation(draw: Draw, level: int) -> Problem:
    """The protein of a gene. Size: bases."""
    codons = [codon for codon, amino in CODONS.items() if amino != "*"]
    length = at_level(level, 14, 40, 120)
    gene = "ATG" + "".join(draw.one_of(codons) for _ in range(length)) + draw.one_of(("TAA", "TGA"))
    before = "".join(draw.one_of("ACT") for _ in range(draw.integer(4, 20)))  # no G, so no start
    strand = before + gene + dna(draw, draw.integer(10, 30))
    if level == 1:
        shown, kind, how = strand.replace("T", "U"), "messenger RNA", ""
    elif level == 2:
        shown, kind = strand, "coding strand of a gene"
        how = "Its messenger RNA has the same sequence with U in place of T. "
    else:
        shown, kind = strand.translate(_PAIRS)[::-1], "template strand of a gene"
        how = "Its messenger RNA is the reverse complement with U in place of T. "
    text = draw.one_of(
        (
            "A {k} reads, from its 5' end: {s}. {h}Translation begins at the first AUG of the "
            "messenger RNA and ends before the first stop codon in that frame. Which protein "
            "results? The input file codons.txt has the genetic code (written with T).",
            "The input file codons.txt lists codons, written with T, and their amino acids (* is "
            "a stop). Translate from the first AUG of the messenger RNA to the first stop codon "
            "in its frame. The {k} is, from 5' to 3': {s}. {h}",
        )
    ).format(k=kind, s=shown, h=how)
    ask = "the protein in one-letter code, without spaces or stop"
    files = {"codons.txt": CODON_FILE}
    return exact_problem(draw, text, _translated(gene), ask, size=len(strand), files=files)


def open_frame(draw: Draw, level: int) -> Problem:
    """The longest open reading frame. Size: bases."""
    sequence = dna(draw, at_level(level, 400, 2_000, 12_000), 0.55)
    strands = [sequence] if level == 1 else [sequence, sequence.translate(_PAIRS)[::-1]]
    best = 0
    for strand in strands:
        for frame in range(3):
            start = -1
            for i in range(frame, len(strand) - 2, 3):
                codon = strand[i : i + 3]
                if codon == "ATG" and start < 0:
                    start = i
                elif codon in ("TAA", "TAG", "TGA") and start >= 0:
                    best, start = max(best, i + 3 - start), -1
    if not best:
        return open_frame(draw, level)
    where = "in its three forward frames" if level == 1 else "in all six frames of both strands"
    text = draw.one_of(
        (
            "The input file contig.fa has one DNA sequence. An open reading frame begins with ATG "
            "and runs in its frame to the next TAA, TAG or TGA, both ends included. How many "
            "bases long is the longest one {w}?",
            "Look {w} of the sequence in the input file contig.fa for the longest stretch from an "
            "ATG to the next stop codon (TAA, TAG, TGA) of the same frame. How many bases does it "
            "have, start and stop codon included?",
        )
    ).format(w=where)
    files = {"contig.fa": fasta({f"contig_{draw.integer(100, 999)}": sequence})}
    return integer_problem(draw, text, best, size=len(sequence), files=files)


def digest(draw: Draw, level: int) -> Problem:
    """Fragments of a restriction digest. Size: bases."""
    sites = {
        "EcoRI": ("GAATTC", 1),
        "BamHI": ("GGATCC", 1),
        "HindIII": ("AAGCTT", 1),
        "PstI": ("CTGCAG", 5),
    }
    names = draw.some(sorted(sites), at_level(level, 1, 2, 3))
    length = at_level(level, 900, 4_000, 15_000)
    sequence = dna(draw, length)
    for _ in range(at_level(level, 3, 8, 20)):
        at = draw.integer(10, length - 20)
        site = sites[draw.one_of(names)][0]
        sequence = sequence[:at] + site + sequence[at + 6 :]
    circular = level > 1
    around = sequence + (sequence[:5] if circular else "")
    cuts = sorted(
        (i + sites[name][1]) % length
        for name in names
        for i in range(length)
        if around.startswith(sites[name][0], i)
    )
    if len(cuts) < 2:
        return digest(draw, level)
    if circular:
        ends = [*cuts, cuts[0] + length]
        pieces = [b - a for a, b in pairwise(ends)]
    else:
        ends = [0, *cuts, length]
        pieces = [b - a for a, b in pairwise(ends)]
    pieces.sort(reverse=True)
    rules = "; ".join(
        f"{n} cuts {sites[n][0][: sites[n][1]]}^{sites[n][0][sites[n][1] :]}" for n in names
    )
    shape = "circular plasmid" if circular else "linear piece of DNA"
    text = draw.one_of(
        (
            "A {s}, its sequence in the input file dna.fa, is cut completely: {r} (^ marks the "
            "cut in the given strand). What is the sum of the lengths of the two longest "
            "fragments, in bases?",
            "Enzymes cut the {s} of the input file dna.fa wherever they can: {r}, where ^ is the "
            "place of the cut in the strand shown. Add the lengths in bases of the longest and the "
            "second longest fragment.",
        )
    ).format(s=shape, r=rules)
    files = {"dna.fa": fasta({"sample": sequence})}
    return integer_problem(draw, text, sum(pieces[:2]), size=length, files=files)


def mutations(draw: Draw, level: int) -> Problem:
    """How two sequences differ. Size: cells of an alignment, or bases."""
    first = dna(draw, at_level(level, 60, 150, 500))
    second = ""
    for base in first:
        if draw.chance(0.12):
            second += draw.one_of("ACGT")
        elif level > 1 and draw.chance(0.06):
            second += draw.one_of(("", base + draw.one_of("ACGT")))
        else:
            second += base
    above = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        row = [i]
        for j, b in enumerate(second, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
        above = row
    factor = draw.integer(3, 99)
    if level == 1:
        value = sum(a != b for a, b in zip(first, second, strict=True))
        what = "At how many positions do they differ? Multiply that number by {k}."
    else:
        value = above[-1]
        what = (
            "What is the smallest number of substitutions, insertions and deletions of single "
            "bases that turns the first into the second? Multiply it by {k}."
        )
    text = draw.one_of(
        (
            "Two sequences are in the input file pair.fa. {w}",
            "The input file pair.fa holds the same gene of two animals. {w}",
        )
    ).format(w=what.format(k=factor))
    files = {"pair.fa": fasta({"first": first, "second": second})}
    return integer_problem(draw, text, value * factor, size=len(first), files=files)


def protein_mass(draw: Draw, level: int) -> Problem:
    """The mass of a peptide. Size: residues."""
    length = at_level(level, 12, 60, 300)
    sequence = "".join(draw.one_of(sorted(RESIDUES)) for _ in range(length))
    bridges = 0 if level == 1 else sequence.count("C") // 2
    tags = 0 if level < 3 else sequence.count("S")
    value = sum(float(RESIDUES[r]) for r in sequence) + 18.0153 - 2.01588 * bridges + 79.9799 * tags
    text = draw.one_of(
        (
            "What is the average mass of the peptide {s}? The input file residues.txt has the "
            "masses of the residues in Da; one water, 18.0153 Da, is added for the ends.",
            "With the residue masses (in Da) of the input file residues.txt and 18.0153 Da for the "
            "water at the ends, compute the mass of the peptide {s}.",
        )
    ).format(s=sequence)
    if level > 1:
        text += (
            " Its cysteines form as many disulfide bridges as possible; each takes away 2.01588 Da."
        )
    if level > 2:
        text += " Each of its serines carries a phosphate, which adds 79.9799 Da."
    listed = "".join(f"{r} {m}\n" for r, m in RESIDUES.items()).encode()
    files = {"residues.txt": listed}
    return number_problem(
        draw, text, value / 1e3, "kDa", size=length, files=files, figures=7, relative=1e-5
    )


def words(draw: Draw, level: int) -> Problem:
    """The most frequent k-mer of a sequence. Size: bases."""
    k = at_level(level, 4, 6, 8)
    sequence = dna(draw, at_level(level, 500, 4_000, 30_000))
    planted = dna(draw, k)
    for _ in range(at_level(level, 8, 12, 14)):
        at = draw.integer(0, len(sequence) - k)
        sequence = sequence[:at] + planted + sequence[at + k :]
    counts = Counter(sequence[i : i + k] for i in range(len(sequence) - k + 1))
    (best, most), (_, second) = counts.most_common(2)
    if most == second:
        return words(draw, level)
    text = draw.one_of(
        (
            "Which sequence of {k} bases occurs most often in the DNA of the input file reads.fa? "
            "Overlapping occurrences count, and lines of the file are no boundaries.",
            "Slide a window of {k} bases over the sequence in the input file reads.fa, base by "
            "base and across its line ends. Which content of the window is the most frequent?",
        )
    ).format(k=k)
    files = {"reads.fa": fasta({"read": sequence})}
    ask = f"the {k} bases in capital letters"
    return exact_problem(draw, text, best, ask, size=len(sequence), files=files)
