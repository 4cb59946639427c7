"""The rules by which `rosenblatt train` chooses how text is read, cheaply, on a part of the training rows.

1. Text in a script that puts no spaces between words is read as characters, 1 to 3 in a row (`text.defaults`).
2. N-grams count once in a row, or as 1 + log of their count where that is better.
3. The aggressiveness C is 1, or 0.3 or 0.1 where that is better; 0.1 is tried where 0.3 is no worse.
4. N-grams have up to two words; or three where there are very many rows of long texts, unless two are better.
5. N-grams of characters are joined to the words where texts are short, unless words alone are better.

"Better" is what errs less on the rows of the sample, each half predicted by a model of the other after three
passes, by more than one standard error of the difference: what is within chance stays as it is. With fewer than 200
rows, or rows of one class, nothing is compared, and the first values stand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .judging import Candidate, Judge
from .metrics import METRICS, Measured
from .sample import Sample

#: A sample has at most so many rows, and columns of about so many bytes.
ROWS, BYTES = 3_072, 1 << 22
#: So many passes, or fewer, tell which is better.
PASSES = 3
#: With fewer rows nothing is compared.
LEAST_ROWS = 200
#: Texts of so many characters or fewer, on average, are short.
SHORT = 400
#: So many rows are very many: enough for n-grams of three words to come again.
MANY = 20_000
#: N-grams of characters that are tried.
CHARACTERS = (2, 5)


@dataclass(frozen=True)
class Comparison:
    """Values of an option that were compared.

    Parameters
    ----------
    option : str
        Which.
    chosen : object
        The value that was taken.
    values : dict
        The metric of each value that was tried, by the value.
    """

    option: str
    chosen: Any
    values: dict[Any, float]


@dataclass
class Choices:
    """What was chosen for text, and why."""

    options: dict[str, Any] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)  # by a rule, without a comparison
    comparisons: list[Comparison] = field(default_factory=list)
    metric: str = "accuracy"
    rows: int = 0  # that were compared on

    def record(self) -> dict[str, Any]:
        """As plain values."""
        compared = [
            {"option": one.option, "chosen": one.chosen, "tried": [[value, m] for value, m in one.values.items()]}
            for one in self.comparisons
        ]
        return {"rows": self.rows, "metric": self.metric, "reasons": self.reasons, "compared": compared}


class Chooser:
    """Compares a few values of options on a sample, one option after the other.

    Parameters
    ----------
    sample : Sample
        Rows in a random order.
    make : callable
        The candidate of some options.
    passes : int
        How many passes each run makes.
    check : callable, default=None
        Called between steps; what it raises ends the comparison.
    """

    def __init__(
        self, sample: Sample, make: Callable[[Mapping[str, Any]], Candidate], passes: int, check: Any = None
    ) -> None:
        self.sample, self._make = sample, make
        self._metric = METRICS["mae" if sample.classes is None else "accuracy"]
        order = np.arange(len(sample))
        self._halves = order[: len(order) // 2], order[len(order) // 2 :]
        self._judge = Judge(sample, self._metric, (passes,), check, kept_parts=len(self._halves))
        self._known: dict[tuple[Any, ...], Measured] = {}  # what options came to that were tried
        self.choices = Choices(metric=self._metric.name, rows=len(sample))

    def compare(self, option: str, values: Sequence[Any]) -> None:
        """Take the first of these values unless a later one is better, by more than one standard error."""
        chosen, tried = values[0], {}
        for value in values:
            tried[value] = self._measured({**self.choices.options, option: value})
            gain = self._metric.gain(tried[value], tried[chosen])
            if gain.is_beyond(1):
                chosen = value
            if option in ONE_WAY and gain.mean < 0:
                break  # what comes after is further from the best
        self.choices.options[option] = chosen
        self.choices.comparisons.append(Comparison(option, chosen, {value: own.value for value, own in tried.items()}))

    def _measured(self, options: Mapping[str, Any]) -> Measured:
        """What the rows come to, each predicted by a model of the half that it is not of."""
        key = tuple(sorted(options.items()))
        if key not in self._known:
            candidate, found = self._make(options), []
            for learned, judged in (self._halves, self._halves[::-1]):
                found.append((self._judge.judge(candidate, learned, judged)[-1], judged))
            self._known[key] = self._judge.measure(found)
        return self._known[key]


#: The options that are chosen by comparison: their values, the first of which is the default.
COMPARED: dict[str, tuple[Any, ...]] = {
    "weighting": ("binary", "log"),
    "C": (1.0, 0.3, 0.1),
    "ngrams": (3, 2),  # where there are many rows of long texts
    "characters": (CHARACTERS, "none"),  # where texts are short
}
#: What stands while other options are compared, where it is not the default: rows are several times as long with them.
MEANWHILE = {"characters": "none"}


#: Options whose values are in order: where one is worse than the one before, so are those after it.
ONE_WAY = ("C",)


def uncompared(length: float) -> dict[str, Any]:
    """What is chosen where nothing can be compared: the first values, characters where texts are short."""
    return {"characters": CHARACTERS if length <= SHORT else "none"}


def choose_for_text(chooser: Chooser, open_options: Collection[str], length: float, n_rows: int) -> Choices:
    """Choose the options that are left open, of texts of so many characters on average in so many rows."""
    choices, short = chooser.choices, length <= SHORT
    fits = {"characters": short, "ngrams": not short and n_rows >= MANY}
    left = [option for option in COMPARED if option in open_options and fits.get(option, True)]
    if "characters" in open_options and not short:
        choices.options["characters"] = "none"
        choices.reasons.append(f"no n-grams of characters, as texts have {length:,.0f} characters on average")
    choices.options |= {option: MEANWHILE.get(option, COMPARED[option][0]) for option in left}
    for option in left:
        chooser.compare(option, COMPARED[option])
    return choices
