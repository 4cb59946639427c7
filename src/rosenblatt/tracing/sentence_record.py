"""The record of a run over sentences: each visit with its lattice, the right tags, the rival and the difference."""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from ..core.spaces.sequences import links
from ..tables import Table
from . import wording
from .record import plain
from .tabular import Tabular

Number = Any  # int, Fraction or float

#: So many places the words of a sentence and the difference of a step take in the table.
WORDS, CHANGES = 24, 60
#: Of a longer difference a printed step leaves out the middle.
SHOWN = 40


@dataclass(frozen=True)
class Lattice:
    """All sequences of tags of one sentence: what a tag scores at a token, and after the tags before.

    Attributes
    ----------
    words, tags : tuple of str
        The tokens, and what each of them may be.
    emissions : tuple of tuples
        Of each token the score of each tag.
    links : dict
        Weights of (link, tag) that are not 0, by the numbers of ``core.spaces.sequences.links``; −∞: may not follow.
    order : {1, 2}
        How many tags before a token count.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    emissions: tuple[tuple[Number, ...], ...]
    links: Mapping[tuple[int, int], Number]
    order: int

    def terms(self, codes: Sequence[int]) -> list[tuple[Number, Number]]:
        """What a sequence of tags adds up: of each token its emission and its link; last, 0 and the link to the end."""
        passed = [self.links.get(each, 0) for each in links.along(codes, self.order)]
        return [*zip((row[code] for row, code in zip(self.emissions, codes)), passed), (0, passed[-1])]


@dataclass(frozen=True)
class Change:
    """A weight whose feature the right tags and the rival have in different numbers."""

    name: str  # as word=the|DET, or DET→NOUN
    difference: Number  # of the two numbers: its entry of ΔΦ
    before: Number  # the weight before the step, and after it
    after: Number


@dataclass(frozen=True, repr=False)
class SentenceStep:
    """One visit to one sentence, and what came of it. It prints with its lattice.

    Attributes
    ----------
    number, pass_number, sentence : int
        Steps and passes count from 1, sentences from 0.
    words : tuple of str
        Its tokens.
    right, rival, predicted : tuple of str
        The right tags; the best ones other than these; what the weights before the step say.
    score, rival_score, margin : number
        S(right), S(rival), and how far the right tags lead.
    mistake : bool
        Whether the right tags do not lead.
    why : str
        Why there was a mistake or an update: "wrong tags", "tie", "inside the margin".
    tau : number
        The step.
    norm2 : number
        ‖ΔΦ‖².
    changes : tuple of Change
        ΔΦ by names, with the weights before and after.
    lattice : Lattice
        What every sequence scored.
    codes, rival_codes : tuple of int
        Right tags and rival by their places in ``lattice.tags``.
    """

    number: int
    pass_number: int
    sentence: int
    words: tuple[str, ...]
    right: tuple[str, ...]
    rival: tuple[str, ...]
    predicted: tuple[str, ...]
    score: Number
    rival_score: Number
    margin: Number
    mistake: bool
    why: str
    tau: Number
    norm2: Number
    changes: tuple[Change, ...]
    lattice: Lattice
    codes: tuple[int, ...]
    rival_codes: tuple[int, ...]

    @property
    def moved(self) -> bool:
        """Whether the weights changed."""
        return bool(self.tau > 0)

    @property
    def difference(self) -> dict[str, Number]:
        """ΔΦ by names."""
        return {change.name: change.difference for change in self.changes}

    def tables(self) -> list[Table]:
        """Its lattice, the sums of the two sequences, and the difference."""
        return [self._lattice(), self._sums(), *([self._changes()] if self.changes else [])]

    def __str__(self) -> str:
        return "\n\n".join(table.text(SHOWN) for table in self.tables())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(table.html(SHOWN) for table in self.tables())

    def _lattice(self) -> Table:
        rows = []
        for code, tag in enumerate(self.lattice.tags):
            marks = ["✓" if code == y else "✗" if code == z else " " for y, z in zip(self.codes, self.rival_codes)]
            cells = [f"{wording.number(row[code])} {mark}" for row, mark in zip(self.lattice.emissions, marks)]
            rows.append([tag, *cells])
        best = "the right ones" if self.predicted == self.right else "the rival"
        note = f"✓ the right tags, ✗ where the rival has another; of all sequences {best} are the best."
        return Table(
            ["", *self.lattice.words], rows, "l" + "r" * len(self.words), notes=[note.replace("rival are", "rival is")],
            title=f"Step {self.number}, pass {self.pass_number}, sentence {self.sentence}: what each tag scores",
        )  # fmt: skip

    def _sums(self) -> Table:
        mine, other = (self.lattice.terms(codes) for codes in (self.codes, self.rival_codes))
        ends = [*self.words, "end"]
        rows = [
            [word, y, wording.number(a), wording.number(b), z, wording.number(c), wording.number(d)]
            for word, y, z, (a, b), (c, d) in zip(ends, (*self.right, ""), (*self.rival, ""), mine, other)
        ]
        rows[-1][2] = rows[-1][5] = ""
        rows.append(["sum", "", f"S = {_score(self.score)}", "", "", f"S = {_score(self.rival_score)}", ""])
        headings = ["", "right", "word", "link", "rival", "word", "link"]
        step = f", so τ = {wording.number(self.tau)}" if self.moved else ", and nothing moves"
        note = f"The right tags lead by {_score(self.margin)}{f': {self.why}' if self.why else ''}{step}."
        return Table(headings, rows, "llrrlrr", notes=[note], breaks={len(rows) - 1})

    def _changes(self) -> Table:
        rows = [
            [each.name, _signed(each.difference), wording.number(each.before), wording.number(each.after)]
            for each in self.changes
            if each.difference
        ]
        return Table(["ΔΦ", "", "w before", "w after"], rows, "lrrr", noun=("weight", "weights"))

    def as_dict(self) -> dict[str, Any]:
        """Its entries by name."""
        record = {"step": self.number, "pass": self.pass_number} | dict(vars(self))
        for name in ("number", "pass_number", "lattice", "changes", "codes", "rival_codes"):
            del record[name]
        return record | {"difference": self.difference, "emissions": self.lattice.emissions}


def _score(value: Number) -> str:
    return ("∞" if value > 0 else "−∞") if value in (math.inf, -math.inf) else wording.number(value)


def _signed(value: Number) -> str:
    return f"+{wording.number(value)}" if value > 0 else wording.number(value)


@dataclass(frozen=True, eq=False, repr=False)
class SentenceTrace(Tabular, Sequence[SentenceStep]):
    """A run over sentences, step by step. It prints as a table that ends with what was proved; so does each step.

    It is a sequence of steps; a slice of it is a shorter trace, and so is ``trace.updates()``.

    Attributes
    ----------
    steps : tuple of SentenceStep
        The visits, in order.
    name : str
        Of the algorithm.
    exact : bool or "decimals"
        Whether it was computed without rounding.
    tags : tuple of str
        The tags.
    n_sentences : int
        How many sentences there are.
    verdict : {"separated", "no margin", "stopped"}
        How the run ended.
    n_iter, n_updates : int
        Passes and updates made.
    mistakes : list of int
        Mistakes of each pass.
    weights, averaged : dict
        The last weights that are not 0, by name, and their averages over the visits.
    proved : list of str
        The closing sentences.
    """

    steps: tuple[SentenceStep, ...]
    name: str
    exact: bool | str
    tags: tuple[str, ...]
    n_sentences: int
    verdict: str
    n_iter: int
    n_updates: int
    mistakes: list[int]
    weights: dict[str, Number]
    averaged: dict[str, Number]
    proved: list[str]

    def updates(self) -> SentenceTrace:
        """The same trace with those steps only that moved the weights."""
        return dataclasses.replace(self, steps=tuple(step for step in self.steps if step.moved))

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, key: int) -> SentenceStep: ...
    @overload
    def __getitem__(self, key: slice) -> SentenceTrace: ...
    def __getitem__(self, key: int | slice) -> SentenceStep | SentenceTrace:
        return dataclasses.replace(self, steps=self.steps[key]) if isinstance(key, slice) else self.steps[key]

    def table(self) -> Table:
        """The steps as cells of text under headings, with a title and the closing sentences."""
        steps = self.steps
        columns: list[tuple[str, str, list[str]]] = [
            ("step", "r", [str(step.number) for step in steps]),
            ("pass", "r", [str(step.pass_number) for step in steps]),
            ("sentence", "l", [f"{step.sentence}: {_shortened(' '.join(step.words))}" for step in steps]),
            ("right", "l", [" ".join(step.right) for step in steps]),
            ("rival, where it differs", "l", [_dotted(step) for step in steps]),
            ("S(right)", "r", [_score(step.score) for step in steps]),
            ("S(rival)", "r", [_score(step.rival_score) for step in steps]),
            ("margin", "r", [_score(step.margin) for step in steps]),
            ("why", "l", [step.why for step in steps]),
            ("τ", "r", [wording.number(step.tau) if step.why or step.moved else "" for step in steps]),
            ("ΔΦ", "l", [_listed(step.changes) if step.moved else "" for step in steps]),
        ]
        numbers = " in exact numbers" if self.exact else ""
        return Table(
            [heading for heading, _, _ in columns],
            list(zip(*(cells for _, _, cells in columns))),
            align="".join(align for _, align, _ in columns),
            title=f"{self.name}{numbers}: {wording.several(self.n_sentences, 'sentence')}, from zero",
            notes=self.proved,
            noun=("step", "steps"),
            strong={i for i, step in enumerate(steps) if step.moved},
            breaks={i for i in range(1, len(steps)) if steps[i].pass_number != steps[i - 1].pass_number},
        )

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row for each step."""
        try:
            pandas: Any = importlib.import_module("pandas")
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas (to_json needs nothing)") from None
        return pandas.DataFrame([step.as_dict() for step in self.steps])

    def to_json(self) -> str:
        """Everything as JSON; fractions are strings such as "1/3"."""
        record = {name: value for name, value in vars(self).items() if name != "steps"}
        record["steps"] = [step.as_dict() for step in self.steps]
        return json.dumps(plain(_finite(record)), ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    """The same with what is infinite, scores of sequences that may not be taken, as None."""
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and math.isinf(value) else value


def _shortened(text: str) -> str:
    return text if len(text) <= WORDS else text[: WORDS - 1] + "…"


def _dotted(step: SentenceStep) -> str:
    """The rival, with a dot where its tag is right."""
    return " ".join("·" if y == z else z for y, z in zip(step.right, step.rival))


def _listed(changes: Sequence[Change]) -> str:
    """The entries of ΔΦ that there is room for: word=the|DET +1."""
    there = [f"{each.name} {_signed(each.difference)}" for each in changes if each.difference]
    shown: list[str] = []
    for entry in there:
        if shown and sum(map(len, shown)) + 2 * len(shown) + len(entry) > CHANGES:
            break
        shown.append(entry)
    more = f", … {len(there) - len(shown)} more" if len(shown) < len(there) else ""
    return ", ".join(shown) + more
