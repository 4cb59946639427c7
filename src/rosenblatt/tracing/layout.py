"""How a trace is laid out: which columns there are, and what stands in their cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ..tables import Table
from . import wording
from .wording import FEW, ROOM, SHORT

if TYPE_CHECKING:
    from .proof import Proof
    from .record import Setting, Step, Trace

Cells = list[str]

#: So many classes that moved are shown.
SHOWN = 4


class Vectors:
    """How rows and weights are written: (1, 3), or {good: 1} where there are many features or long names."""

    def __init__(self, setting: Setting, *, weights: bool = False) -> None:
        names = None if setting.names is None else [wording.column(name) for name in setting.names]
        d, unnamed = setting.n_features, "#"
        if weights and setting.kernel is not None:  # a coefficient for each row, by its number
            names, d, unnamed = None, setting.n_rows, "row "
        short = names is None or sum(map(len, names)) + 2 * d <= SHORT
        self.tuples = d <= FEW and short
        self.room = ROOM // 2 if setting.several else ROOM
        self.names = None if self.tuples else names or [f"{unnamed}{j}" for j in range(d)]
        self.suffix = f" ({', '.join(names)})" if names is not None and self.tuples else ""

    def write(self, vectors: Sequence[Sequence[Any]], firsts: Sequence[Callable[[int], Any]] = ()) -> list[str]:
        """Vectors one below the other, their numbers aligned; of long ones, first the entries that ``firsts`` say."""
        if self.names is None:
            widths = wording.widths(vectors)
            return [wording.vector(v, None, widths) for v in vectors]
        return [wording.named(v, self.names, first, self.room) for v, first in zip_longest(vectors, firsts)]


def table(trace: Trace) -> Table:
    """The steps as a table."""
    setting, steps = trace.setting, trace.steps
    form, weights = Vectors(setting), Vectors(setting, weights=True)
    columns: list[tuple[str, str, Cells]] = [
        ("step", "r", [str(step.number) for step in steps]),
        ("pass", "r", [str(step.pass_number) for step in steps]),
        ("row", "r", [str(step.row) for step in steps]),
        (setting.x + form.suffix, "l", form.write([step.x for step in steps])),
        ("y", "r" if _numeric(steps) else "l", [wording.label(step.y) for step in steps]),
        _scores(setting, steps),
        ("why", "l", [step.why for step in steps]),
        *_spreads(steps),
        ("τ", "r", [_numbers(step.tau) if step.why or step.moved else "" for step in steps]),
        _weights(setting, steps, weights),
    ]
    if setting.kernel is not None:
        columns.append(("support", "r", [str(step.n_support) for step in steps]))
    if setting.bias_apart:
        widths = wording.widths([step.b for step in steps]) if setting.several and steps else None
        columns.append(("b", "r", [_numbers(step.b, widths) for step in steps]))
    if steps and steps[0].variance is not None:
        columns += _variances(setting, steps, weights)
    if steps and steps[0].proof is not None:
        columns += _proofs(setting, [step.proof for step in steps if step.proof is not None])
    else:
        b = "b" if setting.constant == 1 else f"b/{setting.constant:g}"
        norm = f"‖(w, {b})‖" if setting.bias_apart else "‖w‖"
        columns.append((norm, "r", [wording.root(step.norm2) for step in steps]))
    return Table(
        [heading for heading, _, _ in columns],
        list(zip(*(cells for _, _, cells in columns))),
        align="".join(align for _, align, _ in columns),
        title=title(trace, form),
        notes=trace.proved,
        noun=("step", "steps"),
        strong={i for i, step in enumerate(steps) if step.moved},
        breaks=_breaks(steps, setting.n_rows),
    )


def _breaks(steps: Sequence[Step], n_rows: int) -> set[int]:
    """The steps that begin a pass; none where the steps were picked and most passes have one at most."""
    new = {i for i in range(1, len(steps)) if steps[i].pass_number != steps[i - 1].pass_number}
    unbroken = bool(steps) and n_rows > 1 and steps[-1].number - steps[0].number == len(steps) - 1
    return new if unbroken or 2 * (len(new) + 1) <= len(steps) else set()


def title(trace: Trace, form: Vectors) -> str:
    """What was run, from which weights."""
    setting = trace.setting
    numbers = " in exact numbers" if setting.exact else " in floating point" * _rounds(trace)
    if setting.kernel is not None:
        start = f"{setting.kernel}, from zero"
    elif setting.several:
        flat = [*(v for w in setting.w for v in w), *setting.b]
        start = f"from {setting.start if any(flat) else 'zero'}"
    else:
        start = "from w = " + form.write([setting.w])[0]
        start += f", b = {wording.number(setting.b)}" if setting.fit_intercept else ""
    positive = f", y = +1 is {setting.labels[1]}" if setting.form == "binary" and setting.classes != [-1, 1] else ""
    words = f"{setting.name}{numbers}: {wording.several(setting.n_rows, 'row')}{positive}, {start}"
    return words.replace("= ≈", "≈ ")


def _rounds(trace: Trace) -> bool:
    """Whether floats may have been rounded: not where all numbers are whole."""
    numbers = [v for row in trace.data.X for v in row]
    for step in trace.steps:
        for value in (step.score, step.tau):
            numbers += value if isinstance(value, tuple) else [value]
    return not all(float(v).is_integer() for v in numbers)


def _numbers(value: Any, widths: Sequence[int] | None = None) -> str:
    if not isinstance(value, tuple):
        return wording.number(value)
    if len(value) > FEW:
        return wording.vector(value, [str(c) for c in range(len(value))])
    return wording.vector(value, None, widths)


def _numeric(steps: Sequence[Step]) -> bool:
    return all(isinstance(step.y, (int, float, Fraction)) for step in steps)


def _scores(setting: Setting, steps: Sequence[Step]) -> tuple[str, str, Cells]:
    if not setting.several:
        return "s", "r", [wording.number(step.score) for step in steps]
    if len(setting.labels) > FEW:
        lead = "s_y − s_r" if setting.form == "multiclass" else "min y·s"
        return lead, "r", [wording.number(step.margin) for step in steps]
    widths = wording.widths([step.score for step in steps])
    return f"s ({', '.join(setting.labels)})", "l", [wording.vector(step.score, None, widths) for step in steps]


def _weights(setting: Setting, steps: Sequence[Step], form: Vectors) -> tuple[str, str, Cells]:
    """The weights after each step, or their coefficients; of several classes, those that moved, by their labels."""
    w = "w" if setting.kernel is None else "α"
    firsts: list[Callable[[int], Any]] = [
        step.x.__getitem__ if setting.kernel is None else step.row.__eq__ for step in steps
    ]
    if not setting.several:
        return w + form.suffix, "l", form.write([step.coordinates for step in steps], firsts)
    labels = [wording.cut(name) for name in setting.class_names]
    written = form.write([v for step in steps for v in step.coordinates], [first for first in firsts for _ in labels])
    cells = []
    for i, step in enumerate(steps):
        moved = [c for c in range(len(labels)) if _moved(step, c)]
        changes = [f"{labels[c]} {written[i * len(labels) + c]}" for c in moved[:SHOWN]]
        cells.append("  ".join(changes) + (f"  … {len(moved) - SHOWN} more" if len(moved) > SHOWN else ""))
    return f"{w} that moved{form.suffix}", "l", cells


def _spreads(steps: Sequence[Step]) -> list[tuple[str, str, Cells]]:
    """xᵀΣx of a second-order rule."""
    if not steps or steps[0].v is None:
        return []
    return [("v", "r", [_numbers(step.v) if step.why or step.moved else "" for step in steps])]


def _variances(setting: Setting, steps: Sequence[Step], form: Vectors) -> list[tuple[str, str, Cells]]:
    """How sure a second-order rule is after each step: the variances of the weights, and of the bias."""
    firsts: list[Callable[[int], Any]] = [step.x.__getitem__ for step in steps]
    if not setting.several:
        columns = [("Σ" + form.suffix, "l", form.write([step.variance for step in steps], firsts))]
        if setting.bias_apart:
            columns.append(("Σ of b", "r", [wording.number(step.variance_b) for step in steps]))
        return columns
    labels = [wording.cut(name) for name in setting.class_names]
    written = form.write([v for step in steps for v in step.variance], [first for first in firsts for _ in labels])
    cells = []
    for i, step in enumerate(steps):
        moved = [c for c in range(len(labels)) if _moved(step, c)]
        changes = [f"{labels[c]} {written[i * len(labels) + c]}" for c in moved[:SHOWN]]
        cells.append("  ".join(changes) + (f"  … {len(moved) - SHOWN} more" if len(moved) > SHOWN else ""))
    return [(f"Σ that moved{form.suffix}", "l", cells)]


def _moved(step: Step, c: int) -> bool:
    """Whether the vector of a class, or its bias, changed."""
    if step.coordinates[c] != step.coordinates_before[c]:
        return True
    return step.b is not None and bool(step.b[c] != step.b_before[c])


def _proofs(setting: Setting, proofs: Sequence[Proof]) -> list[tuple[str, str, Cells]]:
    """Each quantity of the convergence proof beside what bounds it; v is (w, b)."""
    start = [setting.b] if not isinstance(setting.b, tuple) else list(setting.b)
    at_zero = not any(start) and not any(any(w) if isinstance(w, tuple) else w for w in setting.w or ())
    w = "v" if setting.bias_apart else "w"
    columns = [
        _beside(f"u·{w}" if at_zero else f"u·({w} − {w}₀)", "≥", [(p.progress, p.progress_floor) for p in proofs]),
        _beside(f"‖{w}‖²", "≤", [(p.norm2, p.norm2_ceiling) for p in proofs]),
        _beside(f"cos({w}, u)", "≥", [(p.cosine, p.cosine_floor) for p in proofs], wording.fixed),
    ]
    if proofs[0].distance is not None:
        multiple = "α" if setting.kernel is None else "ρ"  # there α are the coefficients
        columns.append((f"‖{w} − {multiple}u‖²", "r", [wording.number(p.distance) for p in proofs]))
        columns.append(
            _beside("fell by", "≥", [(p.fall, p.fall_floor) if p.fall_floor else (None, None) for p in proofs])
        )
    return columns


def _beside(
    heading: str, sign: str, pairs: Sequence[tuple[Any, Any]], number: Callable[[Any], str] = wording.number
) -> tuple[str, str, Cells]:
    """Cells such as 19 ≥ 13, the signs one below the other."""
    comparisons = [wording.compare(value, sign, bound, number) for value, bound in pairs]
    wide, far = max(len(left) for left, _, _ in comparisons), max(len(right) for _, _, right in comparisons)
    if not far:
        return heading, "r", [left for left, _, _ in comparisons]
    cells = [f"{a.rjust(wide)} {s} {b.rjust(far)}" if b else a.rjust(wide) + " " * (far + 3) for a, s, b in comparisons]
    return heading, "l", cells


def flat(trace: Trace, step: Step) -> dict[str, Any]:
    """A step as one row of numbers, for a data frame."""
    setting = trace.setting
    names = setting.names or [str(j) for j in range(setting.n_features)]
    classes = setting.labels
    several = [classes] if setting.several else []
    cells: dict[str, Any] = {"step": step.number, "pass": step.pass_number, "row": step.row}
    cells |= _spread("x", step.x, names)
    cells["y"] = step.y
    cells |= _spread("score", step.score, *several)
    cells |= {"predicted": step.predicted, "margin": step.margin, "mistake": step.mistake, "why": step.why}
    cells |= _spread("tau", step.tau, *([classes] if isinstance(step.tau, tuple) else []))
    if setting.kernel is not None:
        rows = [str(i) for i in range(setting.n_rows)]
        cells |= _spread("alpha_before", step.alpha_before, *several, rows) | _spread(
            "alpha", step.alpha, *several, rows
        )
        cells["n_support"] = step.n_support
    else:
        for suffix, w, b in (("_before", step.w_before, step.b_before), ("", step.w, step.b)):
            cells |= _spread(f"w{suffix}", w, *several, names) | _spread(f"b{suffix}", b, *several)
    if step.variance is not None:
        cells |= _spread("v", step.v, *([classes] if isinstance(step.v, tuple) else []))
        for suffix, w, b in (
            ("_before", step.variance_before, step.variance_b_before), ("", step.variance, step.variance_b),
        ):  # fmt: skip
            cells |= _spread(f"variance{suffix}", w, *several, names) | _spread(f"variance_b{suffix}", b, *several)
    cells["norm"] = step.norm
    return cells | ({} if step.proof is None else vars(step.proof))


def _spread(name: str, values: Any, *axes: Sequence[str]) -> dict[str, Any]:
    """A number, vector or matrix as cells by name: w[pos, good]."""
    cells = {"": values}
    for axis in axes:
        cells = {f"{place}, {key}": v for place, vector in cells.items() for key, v in zip(axis, vector)}
    return {f"{name}[{place[2:]}]" if place else name: v for place, v in cells.items()}
