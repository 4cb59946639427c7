"""The package as a whole: its names, what importing it loads, its documentation, and what its models are made of."""

import doctest
import importlib
import importlib.metadata
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from discovery import CLASSIFIERS, ESTIMATORS, KERNEL, LINEAR, TAGGERS, named

import rosenblatt as rb
from rosenblatt.core import engine
from rosenblatt.core.state import State

PACKAGE = Path(rb.__file__).parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages([str(PACKAGE)], "rosenblatt.")
    if not module.name.rpartition(".")[2].startswith("_")
)
PUBLIC = [importlib.import_module(name) for name in ("rosenblatt", *MODULES)]


def run(script):
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


# ---- names -------------------------------------------------------------------------------------------------------


def test_every_public_name_is_there_and_no_other():
    assert dir(rb) == sorted(rb.__all__)
    for name in rb.__all__:
        assert getattr(rb, name) is not None
    from_estimators = importlib.import_module("rosenblatt.estimators")
    assert {found.__name__ for found in [*ESTIMATORS, *TAGGERS]} == set(from_estimators.__all__)
    modules = {name.split(".")[1] for name in MODULES} | {"annotations", "importlib", "sys", "TYPE_CHECKING", "Any"}
    unlisted = {name for name in vars(rb) if not name.startswith("_")} - set(rb.__all__) - modules
    assert unlisted == set()


def test_star_import_gives_the_public_names():
    space = {}
    exec("from rosenblatt import *", space)
    assert set(rb.__all__) <= set(space)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'rosenblatt' has no attribute 'Adaline'"):
        rb.Adaline  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("rosenblatt.adaline")


def test_the_rules_are_listed_and_frozen():
    assert {getattr(rb.rules, name) for name in rb.rules.__all__} == {*rb.rules.ALL, rb.rules.Rule}
    for kind in rb.rules.ALL:
        assert kind() == kind()
        assert hash(kind()) == hash(kind())
        with pytest.raises(AttributeError):
            kind().eta0 = 2.0


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", rb.__version__)
    assert importlib.metadata.version("rosenblatt") == rb.__version__
    pyproject = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dynamic = ["version"]' in pyproject
    assert 'metadata.version.input = "src/rosenblatt/__init__.py"' in pyproject


def test_types_are_shipped():
    assert (PACKAGE / "py.typed").is_file()


# ---- imports -----------------------------------------------------------------------------------------------------


def test_import_loads_neither_scikit_learn_nor_scipy_and_an_estimator_does():
    loaded = (
        "print(*sorted({name.partition('.')[0] for name in sys.modules} & {'sklearn', 'scipy', 'numpy', 'pandas'}))"
    )
    assert run(f"import sys, rosenblatt; rosenblatt.rules.PA1(C=0.5); dir(rosenblatt); {loaded}") in ([], ["numpy"])
    assert run(f"import sys; from rosenblatt.core import learner, reference, labels; {loaded}") == ["numpy"]
    assert {"sklearn", "scipy"} <= set(run(f"import sys, rosenblatt; rosenblatt.Perceptron; {loaded}"))


def test_the_learner_learns_without_scikit_learn():
    script = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sklearn", "scipy", "pandas", "joblib"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import numpy as np
from rosenblatt.core import engine, rules
from rosenblatt.core.learner import Learner
rows = engine.admit(np.array([[1.0, 3], [2, 3], [-3, 1], [1, -1]]))
learner = Learner(rules.Perceptron(), readout="averaged", fit_intercept=False)
learner.allocate(rows.n_features, 2, rows.dtype)
learner.fit(rows, np.array([1, 0, 1, 0], np.int32), shuffle=False)
print(learner.verdict, learner.n_updates, *learner.predict(rows))
"""
    assert run(script) == ["separated", "13", *"1010"]


# ---- documentation -----------------------------------------------------------------------------------------------


def public_objects():
    """Every module of the package, and every public class and function that it defines."""
    for module in PUBLIC:
        yield module.__name__, module
        for name, found in vars(module).items():
            own = getattr(found, "__module__", None) == module.__name__
            if own and not name.startswith("_") and (inspect.isclass(found) or inspect.isfunction(found)):
                yield f"{module.__name__}.{name}", found


def test_every_module_class_and_function_has_a_docstring():
    everything = dict(public_objects())
    assert len(everything) > len(PUBLIC) + len(ESTIMATORS)
    assert [name for name, found in everything.items() if not (found.__doc__ or "").strip()] == []


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_every_method_and_attribute_of_an_estimator_has_a_docstring(found):
    bare = []
    for name, member in inspect.getmembers(found):
        own = getattr(getattr(member, "fget", member), "__module__", None) or ""
        if not name.startswith("_") and own.startswith("rosenblatt") and not inspect.getdoc(member):
            bare.append(name)
    assert bare == []


def entries(doc, section):
    """Names documented in a section of a numpydoc docstring, in order."""
    found = re.search(
        rf"^{section}\n-+\n(.*?)(?=^\S[^\n]*\n-{{3,}}\n|\Z)", inspect.cleandoc(doc), re.MULTILINE | re.DOTALL
    )
    names = re.findall(r"^(\w[\w, ]*?) ?:", found[1], re.MULTILINE) if found else []
    return [name for group in names for name in group.split(", ")]


@pytest.mark.parametrize("found", [*ESTIMATORS, *TAGGERS, *rb.rules.ALL], ids=named)
def test_every_parameter_is_documented_by_name_and_default(found):
    parameters = inspect.signature(found).parameters
    documented = entries(found.__doc__, "Parameters")
    assert sorted(documented) == sorted(parameters)
    assert "{" + "parameters" + "}" not in found.__doc__
    for name, parameter in parameters.items():
        line = re.search(rf"^\s*{name} : (.*)$", found.__doc__, re.MULTILINE)[1]
        default = re.search(r"default=(.*)$", line)[1]
        assert eval(default) == parameter.default, (name, line)


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_every_attribute_that_is_documented_is_there(found):
    X, y = np.arange(40.0).reshape(20, 2) % 7, np.arange(20) % 2
    params = {"early_stopping": True, "max_iter": 2}
    more = {"kernel": "linear"} if found in KERNEL else {}
    more |= {"confidence": "full"} if "confidence" in found().get_params() else {}
    model = found(**params, **more).fit(X, y)
    documented = entries(found.__doc__, "Attributes")
    assert {"coef_", "intercept_", "n_iter_", "n_updates_"} <= set(documented)
    assert [name for name in documented if not hasattr(model, name)] == []
    if found in KERNEL:
        other = found(**params, kernel="rbf").fit(X, y)
        assert [name for name in documented if not hasattr(other, name)] == ["coef_"]
        assert 'with ``kernel="linear"`` alone' in found.__doc__
    if "confidence" in more:
        other = found(**params).fit(X, y)
        assert [name for name in documented if not hasattr(other, name)] == ["covariance_"]


@pytest.mark.parametrize("found", ESTIMATORS, ids=named)
def test_every_argument_of_a_method_is_documented(found):
    names = ("fit", "partial_fit", "learn_one", "predict", "predict_one", "decision_function", "with_readout", "save")
    refused = ("learn_one", "predict_one") if found in KERNEL else ()
    for name in names:
        if hasattr(found, name) and name not in refused:
            arguments = list(inspect.signature(getattr(found, name)).parameters)[1:]
            assert entries(getattr(found, name).__doc__, "Parameters") == arguments, name


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_examples_in_docstrings(module):
    assert doctest.testmod(module).failed == 0


def test_there_are_examples_to_run():
    finder = doctest.DocTestFinder()
    with_examples = [module for module in PUBLIC if any(found.examples for found in finder.find(module))]
    assert {"rosenblatt.core.rules", "rosenblatt.core.reference", "rosenblatt.estimators.classifiers"} <= {
        module.__name__ for module in with_examples
    }


# ---- what a model is made of -------------------------------------------------------------------------------------

PLAIN = (bool, int, float, complex, str, bytes, type(None), np.ndarray, np.generic, np.dtype)


def parts(value, path):
    """Everything a value holds, down to the leaves, with where it was found."""
    if isinstance(value, PLAIN):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from parts(key, f"{path} key")
            yield from parts(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple, set, frozenset)):
        for i, item in enumerate(value):
            yield from parts(item, f"{path}[{i}]")
    else:
        assert type(value).__module__.startswith("rosenblatt."), f"{path} is a {type(value)}"
        if type(value) is engine.Tally:
            yield path, value.values
            return
        assert inspect.getsourcefile(type(value)).endswith(".py")
        yield from parts(value.__getstate__() if isinstance(value, State) else vars(value), path)


@pytest.mark.parametrize(
    ("found", "how"),
    [(found, how) for found in ESTIMATORS for how in ("fit", "partial_fit")]
    + [(found, "learn_one") for found in LINEAR],
)
def test_a_model_is_made_of_arrays_and_plain_values(found, how):
    model = found(random_state=0)
    if how == "learn_one":
        for k in range(6):
            model.learn_one({"a": 1.0, f"b{k}": -1.0}, k % 3)
    else:
        getattr(model, how)(np.eye(6), np.arange(6) % (3 if found in CLASSIFIERS else 6))
    model.predict_one({"a": 1.0}) if how == "learn_one" else model.predict(np.eye(6))
    leaves = list(parts(model.__getstate__(), named(found)))  # all but its lock
    assert any(isinstance(leaf, np.ndarray) for _, leaf in leaves)
    for path, leaf in leaves:
        assert not (isinstance(leaf, np.ndarray) and leaf.dtype == object), path
