"""What a trace has to know of a run: the algorithm, its rows and targets, and how it goes. In plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.rules import Rule
from ..core.spaces.kernel.function import KernelFunction

if TYPE_CHECKING:
    from .gram import Gram

Number = Any  # int, Fraction or float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A run to be traced.

    Attributes
    ----------
    name : str
        Of the algorithm.
    form : {"binary", "multiclass", "ovr", "regression"}
        What its vectors stand for.
    rule : Rule
        How far to move.
    rows : sequence of rows
        As the learner holds them: floats of its type.
    given : sequence of rows
        The same as they came, for exact numbers.
    targets, given_targets : list
        Codes of the classes, or numbers; and as they came.
    classes : list or None
        The labels; None: a regression.
    n_features, n_vectors : int
        What the weights are made for.
    orders : callable
        Yields the rows in the order of each pass, over and over.
    max_iter, tol
        How the run ends.
    number : type
        Of the learner's floats.
    readout, ratchet, batch, fit_intercept, ties, share, epsilon
        Options of the learner; ``epsilon`` is None unless it is a regression.
    constant : float
        The feature whose weight, times it, is the bias.
    weights : list or None
        Of the rows; those of weight 0 are left out. None: all are 1.
    names : list of str or None
        Of the columns.
    start : str
        Where the weights begin, in words.
    w, b : list or None
        These weights, one list for each vector; None: zero.
    kernel : KernelFunction or None
        Where the weights are a sum of examples.
    gram : callable or None
        Makes the kernel matrix of the rows, ``gram(exact)``, and says by which γ and constant.
    """

    name: str
    form: str
    rule: Rule
    rows: Sequence[Sequence[Number]]
    given: Any
    targets: list[Number]
    given_targets: list[Number]
    classes: list[Any] | None
    n_features: int
    n_vectors: int
    orders: Callable[[], Iterator[Sequence[int]]]
    max_iter: int
    tol: float | None
    number: Any = float
    readout: str = "last"
    ratchet: bool = False
    batch: bool = False
    fit_intercept: bool = True
    ties: str = "mistake"
    share: str = "max"
    epsilon: float | None = None
    constant: float = 1.0
    weights: list[float] | None = None
    names: list[str] | None = None
    start: str = "zero"
    w: list[list[Number]] | None = None
    b: list[Number] | None = None
    kernel: KernelFunction | None = None
    gram: Callable[[bool | str], tuple[Gram, Number, Number]] | None = None

    @property
    def present(self) -> list[int]:
        """The rows that have weight."""
        n = len(self.targets)
        return list(range(n)) if self.weights is None else [i for i in range(n) if self.weights[i] > 0]
