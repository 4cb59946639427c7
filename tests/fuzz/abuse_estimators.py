"""Estimators as no one should use them: damaged sparse matrices, odd rows of names, and threads that all want to learn.

    python tests/fuzz/abuse_estimators.py SECONDS [SEED]

Whatever is handed in, a call succeeds or raises one of the errors it should, what it
answers is finite, and nothing hangs. Memory is watched by the sanitizers (``make fuzz``) and by the sizes asked for.
"""

from __future__ import annotations

import faulthandler
import itertools
import sys
import threading
import time
import warnings
from collections import Counter

import numpy as np
from scipy import sparse

import rosenblatt as rb

HANG = 300  # seconds for a case that takes none of them

LINEAR = [
    lambda: rb.Perceptron(max_iter=3, tol=None),
    lambda: rb.AveragedPerceptron(max_iter=3, tol=None, multiclass="uniform"),
    lambda: rb.PocketPerceptron(max_iter=3, tol=None),
    lambda: rb.PassiveAggressiveClassifier(max_iter=3, tol=None, multiclass="ovr"),
    lambda: rb.MIRA(max_iter=3, tol=None, variant="norm"),
    lambda: rb.PassiveAggressiveRegressor(max_iter=3),
]
OTHERS = [
    lambda: rb.KernelPerceptron(max_iter=2, tol=None, kernel="poly"),
    lambda: rb.VotedPerceptron(max_iter=2, tol=None),
    lambda: rb.KernelPerceptron(max_iter=2, tol=None, budget=3),
]
#: What a call may answer to input that makes no sense.
REFUSED = (ValueError, TypeError)


class FoundError(Exception):
    """A finding."""


# ---- damaged sparse matrices -------------------------------------------------------------------------------------


def mutated_matrix(rng):
    """A sparse matrix whose arrays were changed behind its back."""
    n, d = int(rng.integers(1, 12)), int(rng.integers(1, 40))
    dtype = rng.choice([np.float64, np.float32, np.int64])
    whole = sparse.random(n, d, 0.3, random_state=np.random.RandomState(rng.integers(2**31)))
    X = whole.astype(dtype).asformat(str(rng.choice(["csr", "csc", "coo", "bsr", "csr", "csr"])))
    if rng.random() < 0.3:
        X = type(X)(X) if rng.random() < 0.5 else getattr(sparse, f"{X.format}_array")(X)
    for _ in range(int(rng.integers(1, 4))):
        name = str(rng.choice(["indptr", "indices", "data", "row", "col", "_shape"]))
        if not hasattr(X, name):
            continue
        try:
            setattr(X, name, mutated(rng, getattr(X, name)))
        except (ValueError, TypeError, AttributeError):
            continue  # SciPy itself refuses
    if rng.random() < 0.2:
        X.largest = 1.0
    return X


def mutated(rng, value):
    """An array or a shape with something else in it."""
    if isinstance(value, tuple):
        return tuple(int(max(0, v + rng.integers(-3, 4))) for v in value)
    value = np.array(value)
    what = rng.integers(8)
    if what == 0:
        return value[: rng.integers(len(value) + 1)]
    if what == 1:
        return np.concatenate([value, value[: rng.integers(len(value) + 1)]])
    if what == 2:
        return value[::-1].copy()
    if what == 3:
        return value.astype(rng.choice([np.int32, np.int64, np.float64, np.uint8]))
    if what == 4:
        return rng.permutation(value)
    if len(value):
        extremes = [0, -1, 1, 2**31 - 1, -(2**31), 10**6, len(value)]
        extremes += [np.nan, np.inf, 1e300] if value.dtype.kind == "f" else [2**40] if value.dtype == np.int64 else []
        value[rng.integers(len(value))] = rng.choice(extremes)
    return value


def abuse_by_matrix(rng):
    make = LINEAR[rng.integers(len(LINEAR))] if rng.random() < 0.8 else OTHERS[rng.integers(len(OTHERS))]
    model, X = make(), mutated_matrix(rng)
    n = max(1, X.shape[0])
    y = np.arange(n) % int(rng.integers(2, 5))
    if rng.random() < 0.5:
        model.fit(np.eye(n + 3, max(1, X.shape[1])), np.arange(n + 3) % 3)
    outcome = []
    for name in rng.permutation(["fit", "partial_fit", "predict", "radius"]):
        try:
            if name == "radius":
                answer = rb.radius(X)
            else:
                answer = getattr(model, name)(X, *(() if name == "predict" else (y,)))
            outcome.append("taken")
            if name == "predict" and len(answer) != X.shape[0]:
                raise FoundError(f"{len(answer)} answers to {X.shape[0]} rows")
        except REFUSED as error:
            outcome.append("refused")
            if not str(error).strip() or "\n" in str(error).strip()[:80]:
                raise FoundError(f"{type(error).__name__} without a sentence: {error}") from error
        if hasattr(model, "_learner") and not all_finite(model):
            raise FoundError(f"weights are not finite after {name}")
    return outcome


def all_finite(model):
    learner = model._learner
    return np.isfinite(learner.alpha if hasattr(learner, "alpha") else learner.weights).all()


# ---- odd rows of names -------------------------------------------------------------------------------------------


class Hostile:
    """A name or a value that changes what is being read, or calls back."""

    def __init__(self, rng, model, row):
        self.rng, self.model, self.row = rng, model, row
        self.hash = int(rng.integers(4))

    def act(self):
        what = self.rng.integers(9)
        if what == 0:
            self.row.clear()
        elif what == 1:
            self.row.update({f"more{i}": float(i) for i in range(50)})
        elif what == 2:
            self.model.learn_one({"inner": 1.0, f"new{self.rng.integers(99)}": 1.0}, "inner")
        elif what == 3:
            self.model.predict_one(dict.fromkeys(range(5), 1.0))
        elif what == 4:
            self.model.fit(np.eye(2), [0, 1])
        elif what == 5:
            raise KeyError("no")
        elif what == 6:
            self.row.pop(next(iter(self.row), None), None)

    def __float__(self):
        self.act()
        return float(self.rng.standard_normal())

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        self.act()
        return self is other


def abuse_by_names(rng):
    model = LINEAR[rng.integers(len(LINEAR))]()
    label = float if isinstance(model, rb.PassiveAggressiveRegressor) else str
    outcome = []
    for _ in range(30):
        row = {}
        for _ in range(int(rng.integers(0, 12))):
            odd = rng.random() < 0.15
            name = Hostile(rng, model, row) if rng.random() < 0.1 else rng.choice([f"n{rng.integers(60)}", "a", "b"])
            try:
                row[name] = Hostile(rng, model, row) if odd else float(rng.standard_normal())
            except (*REFUSED, KeyError, RuntimeError):
                pass  # names that act while the row is made
        call = rng.choice(["learn_one", "predict_one"])
        try:
            answer = model.learn_one(row, label(rng.integers(4))) if call == "learn_one" else model.predict_one(row)
            outcome.append("taken" if answer is not None else "nothing")
        except (*REFUSED, KeyError, RuntimeError) as error:
            outcome.append("refused")
            if isinstance(error, RuntimeError) and "called again" not in str(error) and "chang" not in str(error):
                raise FoundError(f"RuntimeError: {error}") from error
        if hasattr(model, "_learner") and model._columns is not None:
            if sorted(model._columns.values()) != list(range(model.n_features_in_)):
                raise FoundError("columns are not numbered from 0")
            if not all_finite(model):
                raise FoundError("weights are not finite")
    return outcome


# ---- threads -----------------------------------------------------------------------------------------------------


def abuse_by_threads(rng):
    make = (LINEAR + OTHERS)[rng.integers(len(LINEAR) + len(OTHERS))]
    model, seeds, outcome, faults = make(), itertools.count(int(rng.integers(2**40))), [], []
    named = isinstance(model, rb.KernelPerceptron) is False and rng.random() < 0.5
    X = rng.standard_normal((20, 6))

    def work(own):
        for _ in range(15):
            y = own.integers(0, own.integers(2, 9), 20)
            row = {f"n{own.integers(40)}": 1.0 for _ in range(5)}
            try:
                what = own.integers(7)
                if what == 0 and not named:
                    model.partial_fit(X, y)
                elif what == 0:
                    model.learn_one(row, float(y[0]))
                elif what == 1 and named:
                    model.predict_one(row)
                elif what == 1:
                    model.predict(X)
                elif what == 2 and not named:
                    model.fit(X, np.arange(20) % own.integers(2, 5))
                elif what == 3:
                    _ = model.coef_ if hasattr(model, "coef_") else model.dual_coef_
                elif what == 4:
                    model.__copy__()
                elif what == 5 and not named:
                    model.partial_fit(X[:1], y[:1])
                else:
                    _ = model.n_updates_
                outcome.append("taken")
            except (*REFUSED, AttributeError):
                outcome.append("refused")
            except BaseException as fault:
                faults.append(fault)

    threads = [threading.Thread(target=work, args=(np.random.default_rng(next(seeds)),), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
        if thread.is_alive():
            raise FoundError("threads wait for each other")
    if faults:
        raise FoundError(f"{type(faults[0]).__name__}: {faults[0]}") from faults[0]
    if hasattr(model, "_learner"):
        known = len(model.classes_) if hasattr(model, "classes_") else 0
        if known != model._learner.n_classes or not all_finite(model):
            raise FoundError("classes and weights do not fit together")
    return outcome


KINDS = {"matrices": abuse_by_matrix, "names": abuse_by_names, "threads": abuse_by_threads}


def main(seconds: float, seed: int) -> int:
    """Abuse estimators for so long; tells what came of it."""
    warnings.simplefilter("ignore")
    counts = {kind: Counter() for kind in KINDS}
    deadline = time.monotonic() + seconds
    for case in itertools.count(seed):
        if time.monotonic() > deadline:
            break
        for kind, abuse in KINDS.items():
            faulthandler.dump_traceback_later(HANG, exit=True)
            print(f"\r{kind} {case}        ", end="", file=sys.stderr)  # which one it was, should the process die
            try:
                counts[kind].update(["cases", *abuse(np.random.default_rng([case, len(kind)]))])
            except Exception as error:
                print(f"\n{kind}, seed {case}: {type(error).__name__}: {error}", file=sys.stderr)
                raise
    faulthandler.cancel_dump_traceback_later()
    print(file=sys.stderr)
    for kind, count in counts.items():
        print(f"{kind}: {count['cases']:,} cases, {count['taken']:,} calls taken, {count['refused']:,} refused")
    print("no findings")
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
