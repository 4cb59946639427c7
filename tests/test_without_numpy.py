"""What the page needs runs in plain Python: without NumPy, SciPy and the native core, number by number the same."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.core import rules
from rosenblatt.playground import answers
from rosenblatt.playground.examples import examples
from rosenblatt.tracing.replay import Replay
from rosenblatt.tracing.runs import _natively, plan_of

#: Answers the questions of stdin with nothing but the standard library to import, and says what was imported.
WITHOUT = """
import json, sys
class Blocked:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in allowed and not name.startswith("rosenblatt") or name == "rosenblatt._native":
            raise ImportError(f"{name} is blocked")
allowed = sys.stdlib_module_names
sys.meta_path.insert(0, Blocked)
from rosenblatt.playground import answers
answered = [json.loads(answers.answer(kind, json.dumps(question))) for kind, question in json.load(sys.stdin)]
json.dump([answered, answers.rules_module(), sorted(name for name in sys.modules if name == "numpy")], sys.stdout)
"""

WINDOW = [-3, 3, -3, 3, 9]


#: Examples of each kind: separable and not, of three classes, and of words.
SOME = ("four points", "inseparable", "xor", "three classes", "phrases, words", "phrases, pairs")


def asked(names, scenes):
    """The list of examples, these of them, a problem for each rule, readout and space, and these scenes of lessons."""
    yield "examples", {}
    yield "table", {"csv": "not good, neg\nvery good indeed, pos", "pairs": True}
    yield "table", {"csv": "a,b,label\n1,2,x\n3,4,y"}
    for question in map(asked_about, names):
        yield from (("run", question), ("separable", question), ("field", question | {"at": [0, 1], "window": WINDOW}))
        yield "film", question
    rng = np.random.default_rng(0)
    choices = [{"rule": rule} for rule in answers.RULES]
    choices += [{"readout": readout} for readout in ("averaged", "pocket")]
    choices += [{"space": space, "readout": "voted", "rule": "pa"} for space in ("rbf", "poly", "sigmoid")]
    for i, chosen in enumerate(choices):
        points, labels = np.round(rng.normal(size=(8, 2)), 1 + 5 * (i % 2)).tolist(), [0, 1, 2, 0, 1, 2, 0, 1]
        settings = {"order": "shuffled", "seed": i, "passes": 4, **chosen}
        question = {"points": points, "labels": labels if i % 2 else [c % 2 for c in labels], "settings": settings}
        yield from (("run", question), ("separable", question), ("field", question | {"at": [5], "window": WINDOW}))
        yield "film", question
    yield from taught(scenes)
    yield "run", {"points": [[1, 1]], "labels": [0]}


def asked_about(name):
    return {key: examples()[name].get(key) for key in ("points", "labels", "names", "classes", "settings")}


def taught(scenes):
    """What the lessons, the generator and the race ask; ``scenes``: which of the scenes of each lesson."""
    for file in sorted((Path(answers.__file__).parent / "page" / "lessons").iterdir()):
        lesson = json.loads(file.read_text(encoding="utf-8"))
        yield from (("scene", {"lesson": lesson, "scene": at}) for at in range(len(lesson["scenes"]))[scenes])
    generate = {"n": 20, "margin": 0.2, "noise": 0.1, "flipped": 0.1, "seed": 3}
    drawn = json.loads(answers.answer("points", json.dumps({"generate": generate})))
    points = {"points": drawn["points"], "labels": drawn["labels"], "generate": generate}
    yield "points", {"generate": generate}
    yield "proof", points | {"settings": {"bias": False}}
    yield "held", points | {"settings": {"readout": "averaged"}, "at": [0, 5, 10]}
    yield "lift", points | {"settings": {"space": "poly", "degree": 2, "passes": 5}, "at": 7}
    yield "sentence", asked_about("phrases, pairs") | {"at": 9, "text": "not a bad, not a good one"}
    yield "lattice", {}
    yield "lattice", {"sentences": "a/X b/Y\nb/X a/Y", "rule": "pa"}
    lanes = [{"passes": 3}, {"rule": "pa", "readout": "averaged", "passes": 3}, {"space": "rbf", "passes": 3}]
    yield "race", points | {"lanes": lanes, "at": 12, "window": WINDOW}


@pytest.mark.parametrize(
    ("names", "scenes"),
    [
        pytest.param(SOME, slice(-1, None), id="some"),
        pytest.param([*examples()], slice(None), id="all", marks=pytest.mark.slow),
    ],
)
def test_everything_the_page_asks_is_answered_without_numpy_and_alike(names, scenes):
    questions = list(asked(names, scenes))
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT], input=json.dumps(questions), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    answered, module, imported = json.loads(run.stdout)
    assert imported == []
    assert module == answers.rules_module()
    for (kind, question), without in zip(questions, answered):
        assert without == json.loads(answers.answer(kind, json.dumps(question))), (kind, question)
    assert {kind for kind, _ in questions} == {*answers.ANSWERS}
    assert not any("error" in answer for answer in answered[:-1])
    assert answered[-1] == {"error": "Two classes are needed: place points of another class too."}


def runs():
    """Runs in floats of every rule, readout and form."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_classes, shape = int(rng.integers(2, 5)), (int(rng.integers(5, 16)), int(rng.integers(1, 20)))
        X, y = rng.normal(size=shape), np.arange(shape[0]) % n_classes
        rule = rules.ALL[seed % len(rules.ALL)].from_controls({}, n_classes)
        options = {
            "max_iter": int(rng.integers(1, 25)), "tol": (None, 1e-4, 0.1)[seed % 3], "random_state": seed,
            "fit_intercept": bool(rng.integers(2)), "ties": ("mistake", "predict")[seed % 2],
        }  # fmt: skip
        if seed % 10 == 0:
            yield rb.BatchPerceptron(**options), X, y
        elif seed % 4 == 3:
            kernel = ("rbf", "poly", "linear")[seed % 3]
            yield rb.KernelPerceptron(kernel=kernel, gamma=0.5, readout="pocket", **options), X, y
        else:
            yield rb.OnlineClassifier(rule=rule, readout=("last", "averaged", "pocket")[seed % 3], **options), X, y


@pytest.mark.parametrize("case", range(60))
def test_a_run_ends_in_plain_python_as_the_native_learner_ends_it(case):
    estimator, X, y = list(runs())[case]
    run = estimator.prepare(X, y)
    plan = plan_of(run, X, y, "")
    native, own = Replay(plan), Replay(plan)
    expected, found = _natively(run, native, 10**6), own.until_decided(10**6)
    assert own.steps == native.steps
    for name in ("verdict", "n_iter", "n_updates", "boundary", "equal_rows"):
        assert getattr(found, name) == getattr(expected, name)
    numbers = [(getattr(found, name), getattr(expected, name)) for name in ("lower", "upper", "scale")]
    if plan.kernel is None:
        assert all(mine == its for mine, its in numbers)
    else:  # which adds up in blocks
        assert all(mine == pytest.approx(its, rel=1e-12) for mine, its in numbers)
