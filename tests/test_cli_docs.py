"""The pages of the command line are those of its help, and what they show is what comes out."""

import importlib.util
import os
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "cli_docs.py"


@pytest.fixture(scope="module")
def docs():
    spec = importlib.util.spec_from_file_location("cli_docs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_the_commands_is_current(docs):
    assert docs.PAGE.read_text(encoding="utf-8") == docs.page(), "run python scripts/cli_docs.py"


@pytest.mark.skipif(os.name != "posix", reason="the commands are written for a POSIX shell")
def test_the_tutorial_prints_what_it_shows(docs):
    shown = docs.TUTORIAL.read_text(encoding="utf-8")
    assert docs.without_times(shown) == docs.without_times(docs.tutorial()), "run python scripts/cli_docs.py"
