"""The stub of the native module says what the module is, and only the engine imports it."""

import ast
from pathlib import Path

import rosenblatt
from rosenblatt import _native

PACKAGE = Path(rosenblatt.__file__).parent


def functions(source):
    tree = ast.parse(source)
    return {f.name: [a.arg for a in f.args.args] for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)}


def test_stub_names_the_functions_and_their_arguments():
    stub = functions((PACKAGE / "_native.pyi").read_text(encoding="utf-8"))
    native = {name: getattr(_native, name) for name in dir(_native) if not name.startswith("_")}
    assert set(stub) == set(native)
    for name, function in native.items():
        [signature] = function.__nb_signature__
        assert functions(signature[0] + ": ...")[name] == stub[name]


def test_only_the_engine_imports_the_native_module():
    importers = [p.name for p in PACKAGE.rglob("*.py") if "import _native" in p.read_text(encoding="utf-8")]
    assert importers == ["engine.py"]
