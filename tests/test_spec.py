"""One way in: every door makes its learner from the same table, and refuses the same things."""

import inspect
import pickle

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import cli, estimators
from rosenblatt.core import rules
from rosenblatt.core.run import Mixable, Trainable, prepare
from rosenblatt.core.spec import ALGORITHMS, Spec
from rosenblatt.errors import ParameterError

X = np.array([[1.0, 3.0], [2.0, 3.0], [-3.0, 1.0], [1.0, -1.0]])
Y = np.array([1, 1, 0, 0])
CLASSES = [getattr(estimators, name) for name in estimators.__all__ if inspect.isclass(getattr(estimators, name))]
ESTIMATORS = [kind for kind in CLASSES if isinstance(kind(), Trainable)]


def test_the_table_names_the_estimators_with_their_parameters():
    assert {kind.__name__: kind().get_params() for kind in CLASSES if isinstance(kind(), Mixable)} == {
        name: algorithm.defaults for name, algorithm in ALGORITHMS.items()
    }


def test_a_subclass_is_the_algorithm_of_its_base_whatever_it_is_called():
    named = type("Perceptron", (rb.OnlineClassifier,), {})
    assert named(rule=rules.PA(), readout="averaged").spec().algorithm == "OnlineClassifier"
    assert named(rule=rules.PA()).fit(X, Y)._learner.rule == rules.PA()


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_an_estimator_and_its_name_make_the_same_run(kind):
    y = Y.astype(float) if ALGORITHMS[kind.__name__].is_regression else Y
    fitted = kind(random_state=3, max_iter=7).fit(X, y)
    run = prepare(Spec.of(kind.__name__, {"random_state": 3, "max_iter": 7}), X, y)
    assert run.fit() is run.learner
    assert run.learner.rule == fitted._learner.rule
    assert run.learner.n_updates == fitted.n_updates_
    np.testing.assert_array_equal(run.learner.scores(run.rows), fitted._learner.scores(run.rows))


@pytest.mark.parametrize(
    ("name", "parameters", "rule"),
    [
        ("PassiveAggressiveClassifier", {}, rules.PA1(C=1.0)),
        ("PassiveAggressiveClassifier", {"variant": "PA"}, rules.PA()),
        ("PassiveAggressiveRegressor", {"variant": "PA-II", "C": 2.0}, rules.PA2(C=2.0)),
        ("MIRA", {}, rules.MIRA()),
        ("MIRA", {"variant": "norm"}, rules.NormMIRA()),
        ("Perceptron", {"margin": 1.0}, rules.Perceptron(margin=1.0)),
        ("KernelPerceptron", {"rule": rules.PA()}, rules.PA()),
    ],
)
def test_the_rule_that_a_name_stands_for(name, parameters, rule):
    assert Spec.of(name, parameters).learner().rule == rule


def test_names_and_parameters_that_are_none():
    with pytest.raises(ValueError, match="there is no algorithm 'Adaline'; there are Perceptron, "):
        Spec.of("Adaline", {})
    with pytest.raises(TypeError, match="Perceptron has no parameter 'C'; it has class_weight, "):
        Spec.of("Perceptron", {"C": 1.0})


#: What does not go together: the parameters, what Python says, and what the command line says.
REFUSED = [
    ({"precision": "tf32"}, "precision='tf32' is for device='cuda'", "--precision tf32 is for --device cuda"),
    ({"budget_policy": "forgetron"}, "budget_policy='forgetron' needs", "--budget-policy forgetron needs"),
    ({"budget": 5, "device": "cuda"}, "use device='cpu'", "use --device cpu"),
]


@pytest.mark.parametrize(("parameters", "in_python", "as_option"), REFUSED)
def test_every_door_refuses_the_same(parameters, in_python, as_option, tmp_path, capsys):
    with pytest.raises(ParameterError, match=in_python) as spec:
        Spec.of("KernelPerceptron", parameters)
    with pytest.raises(ParameterError, match=in_python) as fit:
        rb.KernelPerceptron(**parameters).fit(X, Y)
    assert str(spec.value) == str(fit.value)
    (tmp_path / "rows.svm").write_text("1 1:1\n0 1:-1\n")
    options = [word for name, value in parameters.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    train = ["train", str(tmp_path / "rows.svm"), "-o", str(tmp_path / "m"), "-a", "kernel"]
    assert cli.main([*train, *options]) == 1
    assert as_option in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_an_error_of_parameters_survives_a_process():
    with pytest.raises(ParameterError) as raised:
        Spec.of("KernelPerceptron", {"precision": "tf32"})
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (str(copy), copy.parameter, copy.values) == (str(raised.value), "precision", raised.value.values)


def test_a_run_elsewhere_is_adopted():
    run = prepare(Spec.of("AveragedPerceptron", {"random_state": 0}), X, Y)
    model = rb.AveragedPerceptron(random_state=0)
    model.adopt(run.fit(), run.classes, ["a", "b"])
    same = rb.AveragedPerceptron(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, same.coef_)
    assert model.feature_names_in_.tolist() == ["a", "b"]
