"""The stub of the native module says what the module is, and only the engine imports it."""

import ast
import re
from pathlib import Path

import rosenblatt
from rosenblatt import _native

PACKAGE = Path(rosenblatt.__file__).parent


def members(body):
    """Of each function its arguments, and of each class its members."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            arguments = node.args
            found[node.name] = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        elif isinstance(node, ast.ClassDef):
            found[node.name] = members(node.body)
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = ["self"]
    return found


def signature(function):
    [text] = function.__nb_signature__
    source = re.sub(r"\\\d+", "...", text[0])  # defaults go by number
    return next(iter(members(ast.parse(source + ": ...").body).values()))


def public(thing):
    return {name for name in vars(thing) if not name.startswith("_")}


def test_stub_names_the_classes_the_functions_and_their_arguments():
    stub = members(ast.parse((PACKAGE / "_native.pyi").read_text(encoding="utf-8")).body)
    assert set(stub) == public(_native)
    for name, known in stub.items():
        native = getattr(_native, name)
        if not isinstance(native, type):
            assert signature(native) == known
            continue
        assert public(native) == set(known) - {"__init__"}
        for member, arguments in known.items():
            method = getattr(native, member)
            if hasattr(method, "__nb_signature__"):
                assert signature(method) == arguments, (name, member)


def test_only_the_engine_imports_the_native_module():
    importers = [p.name for p in PACKAGE.rglob("*.py") if "import _native" in p.read_text(encoding="utf-8")]
    assert importers == ["engine.py"]
