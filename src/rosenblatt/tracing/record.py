"""The record of a run: its steps, where it ended and what was proved, as a table in many forms."""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from ..core.exact import Decimals
from ..tables import Table
from ..theory.revisits import Revisit
from . import layout, wording
from .proof import Proof
from .tabular import Tabular

Number = Any  # int, Fraction or float


@dataclass(frozen=True)
class Step:
    """One visit to one row, and what came of it.

    Where there is one weight vector, ``score`` and ``b`` are numbers and ``w`` is a tuple of numbers; where there is
    one for each class, ``score`` and ``b`` hold a number for each and ``w`` a tuple for each.

    Attributes
    ----------
    number, pass_number, row : int
        Steps and passes count from 1, rows from 0.
    x : tuple
        The row.
    y, predicted : label or number
        What it is, and what the weights before the step say.
    score, margin : number
        ``w·x + b``, and ``y·s`` (one against the rest: the smallest) or how far the right class leads the best wrong.
    mistakes : int
        Whether the sign or the class was wrong, ties by the tie rule; one against the rest counts one for each class.
    why : str
        Why it was a mistake or an update: "wrong sign", "wrong class", "tie", "inside the margin", "outside the tube".
    tau : number
        The step: what the right class gained; one against the rest has one for each class.
    coef : tuple
        The coefficients a_r of ``W_r += a_r·x``.
    updates : int
        0 or 1; one against the rest counts one for each class that moved.
    w_before, b_before, w, b
        The weights before and after it. A batch moves with the last row of its pass. None in the space of a kernel.
    alpha_before, alpha : tuple or None
        In the space of a kernel, in place of these: the coefficient of each row, ``w = Σ α·φ(x)``.
    n_support : int or None
        There, how many rows have been updated on.
    v : number
        Of a second-order rule, ``xᵀΣx``, the variance of the score (several classes: of the right one and its rival);
        one against the rest has one for each class. Else None, as the next five are.
    shrink : number or None
        There, by how much its confidence grew: c, β or C of ``rosenblatt.rules``; None: not at all, or
        beyond all numbers.
    variance_before, variance_b_before, variance, variance_b
        There, the variances of the weights and of the bias before and after it.
    norm2 : number
        ``‖w‖²`` after it, with the bias, over all vectors.
    proof : Proof or None
        What a separator, if one was given, proves at this point.
    """

    number: int
    pass_number: int
    row: int
    x: tuple[Number, ...]
    y: Any
    score: Any
    predicted: Any
    margin: Number
    mistakes: int
    why: str
    tau: Any
    coef: tuple[Number, ...]
    updates: int
    norm2: Number
    w_before: Any = None
    b_before: Any = None
    w: Any = None
    b: Any = None
    alpha_before: Any = None
    alpha: Any = None
    n_support: int | None = None
    v: Any = None
    shrink: Any = None
    variance_before: Any = None
    variance_b_before: Any = None
    variance: Any = None
    variance_b: Any = None
    proof: Proof | None = None

    @property
    def mistake(self) -> bool:
        """Whether it was a mistake."""
        return self.mistakes > 0

    @property
    def moved(self) -> bool:
        """Whether the weights changed or a step waits for the end of its batch."""
        return self.updates > 0

    @property
    def norm(self) -> float:
        """‖w‖ after the step, with the bias; NaN where a kernel that is no inner product makes its square negative."""
        return wording.square_root(self.norm2) if self.norm2 >= 0 else math.nan

    @property
    def coordinates(self) -> Any:
        """The weights after it, or in the space of a kernel the coefficients."""
        return self.w if self.alpha is None else self.alpha

    @property
    def coordinates_before(self) -> Any:
        """The same before it."""
        return self.w_before if self.alpha is None else self.alpha_before

    def as_dict(self) -> dict[str, Any]:
        """Its entries by name."""
        fields = dict(vars(self))
        record = {"step": fields.pop("number"), "pass": fields.pop("pass_number")}
        of_the_other = ("w_before", "b_before", "w", "b") if self.w is None else ("alpha_before", "alpha", "n_support")
        of_confidence = ("v", "shrink", "variance_before", "variance_b_before", "variance", "variance_b")
        for name in (*of_the_other, *(of_confidence if self.variance is None else ())):
            del fields[name]
        proof = fields.pop("proof")
        fields["mistake"], fields["norm"] = self.mistake, self.norm
        return record | fields | ({} if proof is None else {"proof": vars(proof)})


@dataclass(frozen=True)
class Setting:
    """What was run: the estimator, its numbers and space, the names of its columns and classes, and its start."""

    estimator: str
    name: str
    exact: bool | str
    form: str
    fit_intercept: bool
    classes: list[Any] | None
    names: list[str] | None
    n_rows: int
    n_features: int
    w: Any  # the starting weights; in the space of a kernel None: zero
    b: Any
    start: str  # where they come from, if they are not zero
    kernel: str | None  # in words; None: linear space
    x: str  # what a row of X holds
    constant: float = 1.0  # the feature whose weight, times it, is the bias

    @property
    def several(self) -> bool:
        """Whether there is a weight vector for each class."""
        return self.form in ("multiclass", "ovr")

    @property
    def labels(self) -> list[str]:
        """The classes in words."""
        return [wording.label(c) for c in self.classes or ()]

    @property
    def class_names(self) -> list[str]:
        """The same where other numbers stand beside them: class 0."""
        return [f"class {word}" if wording.is_number(c) else word for c, word in zip(self.classes or (), self.labels)]

    @property
    def bias_apart(self) -> bool:
        """Whether there is a bias b beside the weights; a kernel has it in its constant 1."""
        return self.fit_intercept and self.kernel is None


@dataclass(frozen=True)
class Data:
    """What was learned from, for whoever draws it."""

    X: tuple[tuple[Number, ...], ...]
    y: tuple[Any, ...]
    present: tuple[int, ...]  # the rows that have weight
    kernel: Any = None  # with ``matrix(A, B)``; None: linear space


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Tabular, Sequence[Step]):
    """A run, step by step. It prints as a table that ends with what was proved.

    It is a sequence of steps; a slice of it, such as ``trace[:8]``, is a shorter trace, and so is ``trace.updates()``.

    Attributes
    ----------
    steps : tuple of Step
        The visits, in order.
    setting : Setting
        What was run: the estimator, its numbers and space, the names of its columns and classes, and its start.
    coef_, intercept_ : ndarray
        The weights of the readout, as ``fit`` gives them; in exact mode, whole numbers and fractions. In the space of
        a kernel ``coef_`` is None.
    support_, dual_coef_ : ndarray or None
        There, the rows updated on, in the order they first were, and their coefficients in the readout.
    survived : list or None
        There, how many examples each weight vector survived, zero the first: the votes that it has. One against the
        rest has a list for each class.
    verdict : {"separated", "no margin", "stopped"} or None
        How the run ended; None for a regression.
    n_iter, n_updates : int
        Passes and updates made.
    mistakes : list of int
        Mistakes of each pass; empty for a regression.
    margin_bounds : (float, float)
        What the run proved of the best possible margin.
    revisit : Revisit or None
        Where the weights came back to where they had been, and the certificate.
    proved : list of str
        The closing sentences.
    bound : number or None
        With a separator, where a theorem speaks of the run: so many updates at most.
    data : Data
        The rows, their labels, and the kernel.
    """

    steps: tuple[Step, ...]
    setting: Setting
    intercept_: Any
    verdict: str | None
    n_iter: int
    n_updates: int
    mistakes: list[int]
    margin_bounds: tuple[float, float]
    revisit: Revisit | None
    proved: list[str]
    coef_: Any = None
    support_: Any = None
    dual_coef_: Any = None
    survived: list[Any] | None = None
    bound: Number | None = None
    data: Data = Data((), (), ())

    @property
    def certificate(self) -> list[Any] | None:
        """Weights λ ≥ 0 under which the rows cancel, so that no separator exists; None where the run found none."""
        return None if self.revisit is None else self.revisit.certificate

    def updates(self) -> Trace:
        """The same trace with those steps only that moved the weights."""
        return dataclasses.replace(self, steps=tuple(step for step in self.steps if step.moved))

    # ---- a sequence ----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, key: int) -> Step: ...
    @overload
    def __getitem__(self, key: slice) -> Trace: ...
    def __getitem__(self, key: int | slice) -> Step | Trace:
        return dataclasses.replace(self, steps=self.steps[key]) if isinstance(key, slice) else self.steps[key]

    # ---- as a table ----------------------------------------------------------------------------------------------

    def table(self) -> Table:
        """The steps as cells of text under headings, with a title and the closing sentences."""
        return layout.table(self)

    # ---- as pictures ---------------------------------------------------------------------------------------------

    def plot(self, what: str | None = None, **options: Any) -> Any:
        """Draw it with matplotlib (``pip install "rosenblatt[plots]"``), and return the display of ``rb.plots``.

        Parameters
        ----------
        what : {"boundary", "mistakes", "margins", "proof", "score"}, default=None
            One picture; None: all of them that this trace has, in one figure.
        **options
            What the picture takes, such as ``ax``, ``step`` of "boundary" and ``row`` of "score".
        """
        return _plots().plot_trace(self, what, **options)

    def animate(self, **options: Any) -> Any:
        """The run as a film that plays in a notebook and is saved as HTML, GIF or MP4: a ``rb.plots.Animation``.

        Parameters
        ----------
        **options
            ``steps`` ("updates" or "all") and ``title``.
        """
        return _plots().Animation(self, **options)

    # ---- as data -------------------------------------------------------------------------------------------------

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row for each step and one column for each number."""
        try:
            pandas: Any = importlib.import_module("pandas")
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas (to_json needs nothing)") from None
        return pandas.DataFrame([layout.flat(self, step) for step in self.steps])

    def to_json(self) -> str:
        """Everything as JSON; fractions are strings such as "1/3".

        Whole numbers and fractions of more digits than Python writes (4,300 unless it is told otherwise) are decimals,
        strings such as "≈1.2345678901234567e+5000".
        """
        setting = dataclasses.asdict(self.setting)
        model: dict[str, Any] = {"coef": self.coef_, "intercept": self.intercept_}
        if self.setting.kernel is not None:
            model = {"support": self.support_, "dual_coef": self.dual_coef_, "intercept": self.intercept_}
        record = {
            **{name: setting[name] for name in ("estimator", "exact", "form", "fit_intercept", "classes", "names")},
            **({"kernel": self.setting.kernel} if self.setting.kernel is not None else {}),
            "start": {"w": self.setting.w, "b": self.setting.b} if self.setting.kernel is None else 0,
            "verdict": self.verdict,
            "passes": self.n_iter,
            "updates": self.n_updates,
            "mistakes": self.mistakes,
            "margin_bounds": [bound if math.isfinite(bound) else None for bound in self.margin_bounds],
            **{name: values.tolist() for name, values in model.items()},
            **({} if self.survived is None else {"survived": self.survived}),
            "certificate": self.certificate,
            "proved": self.proved,
            "steps": [step.as_dict() for step in self.steps],
        }
        return json.dumps(plain(record), ensure_ascii=False, allow_nan=False)


def _plots() -> Any:
    """The plots, which are above this layer and asked for by the user alone."""
    return importlib.import_module("rosenblatt.plots")


def plain(value: Any) -> Any:
    """A value in the words of JSON: NumPy's numbers as Python's, anything that it has no word for as text."""
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and math.isnan(value):
        return None
    if value is None or isinstance(value, (str, float, bool)):
        return value
    try:
        digits = str(value)
    except ValueError:  # too many digits
        return "≈" + wording.decimal(value, 17)
    if isinstance(value, Decimals) and repr(float(value)) == digits:
        return float(value)
    return value if isinstance(value, int) else digits
