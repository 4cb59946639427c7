"""The pages of the command line are those of its help, and what they show is what comes out."""

import gzip
import importlib.util
import re
import shlex
import shutil
from pathlib import Path

import pytest

from rosenblatt import cli

README = Path(__file__).parent.parent / "README.md"
SCRIPT = Path(__file__).parent.parent / "scripts" / "cli_docs.py"


@pytest.fixture(scope="module")
def docs():
    spec = importlib.util.spec_from_file_location("cli_docs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_the_commands_is_current(docs):
    assert docs.PAGE.read_text(encoding="utf-8") == docs.page(), "run python scripts/cli_docs.py"


@pytest.mark.posix
def test_the_tutorial_prints_what_it_shows(docs):
    shown = docs.TUTORIAL.read_text(encoding="utf-8")
    assert docs.without_times(shown) == docs.without_times(docs.tutorial()), "run python scripts/cli_docs.py"


@pytest.mark.slow
def test_the_first_screen_of_the_readme_is_what_comes_out(docs, data_folder, tmp_path, monkeypatch, capsys):
    shown = re.search(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.S)[1]
    for name in ("train.csv", "test.csv"):
        with gzip.open(data_folder / "imdb" / f"{name}.gz") as packed, open(tmp_path / name, "wb") as file:
            shutil.copyfileobj(packed, file)
    monkeypatch.chdir(tmp_path)
    printed = ""
    for command in re.findall(r"^\$ rosenblatt (.*)$", shown, flags=re.M):
        assert cli.main(shlex.split(command)) == 0
        printed += f"$ rosenblatt {command}\n{capsys.readouterr().out}"
    assert docs.without_times(printed) == docs.without_times(shown)
