"""The reference describes everything: each public name, parameter, member, file format and HTTP path.

Commands and their options are on a page that is written from them (test_cli_docs). None of this needs Sphinx.
"""

import importlib
import inspect
import re
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest
from test_public_names import members, parameters

import rosenblatt as rb
from rosenblatt.data import formats, sources
from rosenblatt.playground import generator, lessons, requests

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "reference"


def page(name):
    return (REFERENCE / name).read_text(encoding="utf-8")


def in_code(text):
    """All that stands in backticks: whole, and its words."""
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S))
    return {*spans, *re.findall(r"[\w-]+", " ".join(spans))}


def public_objects():
    """Every public class, function and constant, by its full name."""
    modules = {"rosenblatt": rb}
    modules |= {f"rosenblatt.{name}": getattr(rb, name) for name in rb.__all__ if inspect.ismodule(getattr(rb, name))}
    return {
        f"{home}.{name}": getattr(module, name)
        for home, module in modules.items()
        for name in module.__all__
        if not inspect.ismodule(getattr(module, name)) and name != "__version__"
    }


OBJECTS = public_objects()


def described(docstring):
    """The names that a docstring describes: in its sections of parameters and attributes, or in double backticks."""
    lines = docstring.splitlines()
    heads = [line.partition(" : ")[0] for line, below in pairwise(lines) if below.startswith("    ")]
    listed = [head for head in heads if re.fullmatch(r"[*\w]+(, [*\w]+)*", head)]
    return {word for head in listed for word in re.findall(r"\w+", head)} | set(re.findall(r"``(\w+)``", docstring))


def documented(kind, name):
    """Whether a method or property has a docstring, its own or inherited, and a plain value a comment ``#:``."""
    member = getattr(kind, name, None)
    if callable(member) or isinstance(member, property):
        return bool(inspect.getdoc(member))
    homes = [base for base in kind.__mro__ if base.__module__.startswith("rosenblatt")]
    return any(re.search(rf"^    #: .*\n    {name}\b", inspect.getsource(base), flags=re.M) for base in homes)


def test_the_python_page_lists_every_public_name_once():
    listed = re.findall(r"^   ~(rosenblatt\.[\w.]+)$", page("python.md"), flags=re.M)
    assert sorted(listed) == sorted(OBJECTS), "the lists of docs/reference/python.md are those of __all__"
    assert "`rb.__version__`" in page("python.md")


@pytest.mark.parametrize("name", OBJECTS)
def test_every_name_parameter_and_member_is_described(name):
    value = OBJECTS[name]
    if not inspect.isclass(value) and not callable(value):
        return  # a constant: the page lists it, its comment says what it is
    docstring = inspect.getdoc(value)
    assert docstring, f"{name} has no docstring"
    if inspect.isbuiltin(value) or type(value).__name__ == "nb_func" or getattr(value, "_is_protocol", False):
        return
    if inspect.isclass(value) and issubclass(value, Exception):
        return
    missing = [parameter for parameter in parameters(value) if parameter not in described(docstring)]
    assert not missing, f"the docstring of {name} leaves out {', '.join(missing)}"
    if inspect.isclass(value):
        silent = [
            member for member in members(value)
            if member not in described(docstring) and not documented(value, member)
        ]  # fmt: skip
        assert not silent, f"{name} says nothing of {', '.join(silent)}"


def test_the_page_of_formats_names_every_format_name_ending_and_compression():
    named = in_code(page("file-formats.md"))
    known = {*formats.FORMATS, *formats.ALIASES, *formats.SUFFIXES, *sources.MAGIC.values()}
    assert known <= named, f"docs/reference/file-formats.md leaves out {sorted(known - named)}"


def test_the_page_of_paths_names_every_path_setting_and_choice():
    server = pytest.importorskip("rosenblatt.playground.server", reason="no starlette: pip install 'rosenblatt[play]'")
    named = in_code(page("http.md"))
    routes = [route.path for route in server.application(["127.0.0.1"]).inner.routes if "{" not in route.path]
    paths = {*routes, *(f"/api/{kind}" for kind in server.ANSWERS), "/", "/rules.js"}
    assert paths <= named, f"docs/reference/http.md leaves out the paths {sorted(paths - named)}"
    settings = {field.name for field in fields(requests.Settings)} - {"parameters"} | requests.CONTROLS.keys()
    settings |= generator.RANGES.keys()
    choices = {choice for listed in requests.CHOICES.values() for choice in listed}
    assert settings | choices <= named, f"docs/reference/http.md leaves out {sorted((settings | choices) - named)}"


def test_the_page_of_lessons_names_every_field_panel_and_fact():
    named = in_code(page("lesson-files.md"))
    refused = "^a lesson has no 'x'; there are (.*)$", "^scene 1 has no 'x'; there are (.*)$"
    wrong = {"x": 1}, {"title": "t", "scenes": [{"x": 1}]}
    fields_of = {word for lesson, told in zip(wrong, refused) for word in said(lesson, told)}
    known = {*lessons.PANELS, *lessons.DATA, *fields_of, *(f"{{{fact}}}" for fact in lessons.FACTS)}
    assert known <= named, f"docs/reference/lesson-files.md leaves out {sorted(known - named)}"


def said(lesson, sentence):
    """The names that a refusal of a lesson lists."""
    with pytest.raises(requests.RequestError) as refusal:
        lessons.validated(lesson)
    return re.match(sentence, str(refusal.value))[1].split(", ")


def test_the_page_of_model_files_names_every_key_of_a_file(tmp_path):
    import json

    from safetensors import safe_open

    rb.AveragedPerceptron(random_state=0).fit([[1.0, 2.0], [2.0, 1.0]], [0, 1]).save(tmp_path / "a.model")
    with safe_open(tmp_path / "a.model", "np") as file:
        metadata, tensors = file.metadata(), set(file.keys())
    named = in_code(page("model-files.md"))
    assert {*metadata, *json.loads(metadata["model"]), *tensors} <= named


def test_dead_links_and_what_is_fetched_from_elsewhere_are_found(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    check_site = importlib.import_module("check_site")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "index.html").write_text('<p id="here"></p><a href="../index.html#top">up</a>')
    (tmp_path / "index.html").write_text(
        '<a href="part/">in order</a><a href="part/#here">so is this</a><a href="https://example.org/">and this</a>'
        '<a href="gone.html">1</a><a href="part/#nowhere">2</a><script src="https://example.org/a.js"></script>'
    )
    assert check_site.faults(tmp_path.resolve()) == [
        "index.html loads https://example.org/a.js from elsewhere",
        "index.html links to gone.html, which is not there",
        "index.html links to part/#nowhere, and that page has no such place",
    ]
