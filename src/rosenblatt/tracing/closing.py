"""The sentences that close a trace: how the run ended, what it proved, and what the model is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.verdicts import NO_MARGIN, SEPARATED, STOPPED
from ..theory.revisits import Revisit
from . import wording
from .ending import Ending
from .layout import Vectors

if TYPE_CHECKING:
    from .record import Setting
    from .replay import Replay

#: Entries of a certificate that a sentence shows.
MANY = 12


def proved(replay: Replay, ending: Ending, setting: Setting) -> list[str]:
    """What a run proved, sentence by sentence."""
    plan, steps = replay.plan, replay.steps
    last = in_words(setting, steps[-1].coordinates, steps[-1].b)
    if plan.form == "regression":
        lines = [_regression(replay, ending, last)]
    else:
        revisited = ""
        if replay.revisit is not None:
            revisit, c = replay.revisit
            at = steps[revisit.last - 1]
            shown = plan.form == "binary" and setting.kernel is None  # the same weights have other coefficients
            weights = ", " + in_words(setting, at.w, at.b) if shown else ""
            alone = "" if c is None else setting.labels[c]
            revisited = revisit_sentence(revisit, setting.class_names, alone, weights, replay.space.image)
        if plan.readout != "last" and plan.form == "binary":
            last = "the last weights, " + last
        lines = sentences(ending, plan.form, last, plan.tol, ending.scale, revisited)
        if any(square < 0 for square in replay.space.norms2()):
            lines.append("‖w‖² is negative: this kernel is no inner product, and has no margins.")
    if replay.ledger is not None:
        lines += replay.ledger.proved(steps[-1].proof)
    if plan.readout != "last":
        lines.append(_vote(replay, setting) if plan.readout == "voted" else _model(replay, setting))
    if replay.agreement:
        lines.append(replay.agreement)
    return [sentence.replace("= ≈", "≈ ") for sentence in lines]


def in_words(setting: Setting, w: Any, b: Any) -> str:
    """The weights of one vector with their bias, or its coefficients; several are too many for a sentence."""
    if setting.several:
        return "the last weights"
    return _one(setting, Vectors(setting, weights=True), w, b)


def _one(setting: Setting, form: Vectors, w: Any, b: Any) -> str:
    weights = ("w = " if setting.kernel is None else "α = ") + form.write([w])[0]
    return weights + (f", b = {wording.number(b)}" if setting.bias_apart else "")


def _regression(replay: Replay, ending: Ending, last: str) -> str:
    updates = wording.several(ending.n_updates, "update")
    within = not any(step.why for step in replay.steps if step.pass_number == ending.n_iter)
    epsilon = wording.number(replay.plain(replay.model.epsilon))
    where = f"some predictions lay more than ε = {epsilon} from their targets"
    if within:
        where = f"every prediction lay within ε = {epsilon} of its target"
    return f"Ended in pass {ending.n_iter} after {updates} with {last}; in that pass {where}."


def _model(replay: Replay, setting: Setting) -> str:
    """The weights of the readout, which predict."""
    coef, intercept = replay.space.read(replay.pocket)
    what = {"averaged": "averaged weights", "pocket": "weights in the pocket"}[replay.plan.readout]
    if not setting.several:
        return f"The {what}, the model, are {in_words(setting, coef[0], intercept and intercept[0])}."
    form = Vectors(setting, weights=True)
    biases = intercept or [None] * len(coef)
    vectors = [f"{label}: {_one(setting, form, w, b)}" for label, w, b in zip(setting.class_names, coef, biases)]
    return f"The {what}, the model, are {_classes(vectors)}."


def _vote(replay: Replay, setting: Setting) -> str:
    """Who votes, and with how many votes."""
    survived = replay.space.model_fields(None)["survived"]
    what = "weight vectors, zero the first, each with the number of examples that it survived"
    if setting.form != "ovr":
        return f"The model is the vote of {len(survived):,} {what}: c = {_counts(survived)}."
    votes = [f"{label}: c = {_counts(c)}" for label, c in zip(setting.class_names, survived)]
    return f"The model is for each class the vote of its {what}; {_classes(votes)}."


def _classes(entries: Sequence[str]) -> str:
    more = f"; … {len(entries) - MANY} more classes" if len(entries) > MANY else ""
    return "; ".join(entries[:MANY]) + more


def _counts(survived: Sequence[int]) -> str:
    more = f", … {len(survived) - MANY:,} more" if len(survived) > MANY else ""
    return f"({', '.join(map(str, survived[:MANY]))}{more})"


def sentences(ending: Ending, form: str, last: str, tol: Any, scale: float, revisit: str) -> list[str]:
    """What the run proved. ``last`` are its last weights in words, ``revisit`` what a certificate says."""
    passes, updates = wording.several(ending.n_iter, "pass"), wording.several(ending.n_updates, "update")
    stacked = {"binary": "", "multiclass": " (class vectors stacked)", "ovr": " (of the worst class)"}[form]
    capped = f"no separator can have a margin above {ending.capped}" if ending.capped else ""
    lines = []
    if ending.verdict == SEPARATED:
        how = f"after {updates}" if ending.n_updates else "without an update"
        lines.append(f"Separated in pass {ending.n_iter} {how}: every row is right with {last}.")
        if ending.boundary:
            lines.append("Its margin is 0: rows lie on the boundary, and count as right under ties='predict'.")
        elif ending.lower > 0:
            known = ", the best there is" if ending.best else f", and {capped}" if capped else ""
            lines.append(f"Its margin{stacked} is {ending.shown}{known}.")
        else:
            lines.append("Its margin is too small to be told from rounding.")
    elif ending.verdict == NO_MARGIN and revisit:
        lines.append(f"No margin, after {passes} and {updates}.")
    elif ending.verdict == NO_MARGIN and ending.equal_rows is not None:
        rows = "rows {} and {} are equal and have different labels".format(*ending.equal_rows)
        lines.append(f"No margin after {passes} and {updates}: {rows}, so no separator exists.")
    elif ending.verdict == NO_MARGIN:
        root2 = "√2·" if form == "multiclass" else ""
        bound = wording.above(float(tol) * scale)
        lines.append(f"No margin after {passes} and {updates}: {capped}, which is at most tol·{root2}R = {bound}.")
    elif ending.verdict == STOPPED:
        known = f", and {capped}." if capped else "."
        lines.append(f"Stopped after {passes} and {updates}, undecided: it found no separator{known}")
    return [*lines, revisit] if revisit else lines


def revisit_sentence(revisit: Revisit, labels: Sequence[str], one_class: str, weights: str, x: str) -> str:
    """What weights that came back prove; x is what they are added up from."""
    when = "before the first step" if revisit.first == 0 else f"after step {revisit.first}"
    if isinstance(revisit.certificate[0], list):
        certificate = _some(
            f"row {i} against {labels[r]}: {wording.number(a)}"
            for i, entry in enumerate(revisit.certificate)
            for r, a in enumerate(entry)
            if a
        )
        summed = f"what each class gains of {x} and what it loses cancel"
    else:
        certificate = _some(f"{i}: {wording.number(a)}" for i, a in enumerate(revisit.certificate) if a)
        certificate = wording.vector(revisit.certificate) if len(revisit.certificate) <= MANY else certificate
        summed = f"Σ λ·y·{x} = 0"
    what = f"the class {one_class} cannot be separated from the rest" if one_class else "no separator exists"
    return (
        f"After step {revisit.last} the weights are again those {when}{weights}. The steps in between come to "
        f"λ = {certificate} for the rows, and {summed}, verified exactly. So {what}."
    )


def _some(entries: Iterable[str]) -> str:
    words = list(entries)
    return "{" + ", ".join(words[:MANY]) + (", …" if len(words) > MANY else "") + "}"
