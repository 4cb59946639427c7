"""What the README shows works after ``pip install .`` alone, without any optional package."""

import importlib.metadata
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from rosenblatt.cli import demo

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")

ROOT = Path(__file__).parent.parent

REFUSE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OPTIONAL:
            raise ImportError(f"{name} is not in the base install")
sys.meta_path.insert(0, Refuse())
"""
RUN = """
import shlex, rosenblatt.cli
for command in COMMANDS:
    code = rosenblatt.cli.main(shlex.split(command)[1:])
    if code:
        sys.exit(f"{command}: exit code {code}")
"""
READ = """
import doctest
sys.exit(doctest.testfile(README, module_relative=False, encoding="utf-8").failed)
"""


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def base_install(name="rosenblatt", found=()):
    """The distributions that come with one that is installed without extras."""
    found = {*found, canonical(name)}
    requirements = importlib.metadata.requires(name) or ()
    if name == "rosenblatt":  # what is installed here may be older
        requirements = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    for requirement in requirements:
        needed = re.match(r"[\w.-]+", requirement).group()
        if "extra ==" not in requirement and canonical(needed) not in found:
            try:
                found |= base_install(needed, found)
            except importlib.metadata.PackageNotFoundError:  # of another platform or Python
                continue
    return found


def optional_modules():
    """The modules of all other distributions that are installed here."""
    base = base_install()
    owners = importlib.metadata.packages_distributions()
    return {module for module, of in owners.items() if not base & {canonical(name) for name in of}}


def commands():
    """Those that the README shows, and that the help of ``train`` and ``demo`` does."""
    shown = re.findall(r"^\$ (rosenblatt .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.M)
    assert len(shown) >= 2
    return [*shown, "rosenblatt train reviews.csv -o mood.model", "rosenblatt demo"]


def written(folder):
    """The files that the commands name."""
    for name in ("reviews.csv", "train.csv", "test.csv"):
        (folder / name).write_text(demo.REVIEWS, encoding="utf-8")
    return folder


def in_base_install(script, folder, **names):
    head = "".join(f"{name} = {value!r}\n" for name, value in {"OPTIONAL": optional_modules(), **names}.items())
    done = subprocess.run(
        [sys.executable, "-c", head + REFUSE + script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_optional_packages_cannot_be_imported(tmp_path):
    assert {"pandas", "pytest"} <= optional_modules()
    assert not {"numpy", "sklearn", "rosenblatt"} & optional_modules()
    script = "try:\n    import pandas\nexcept ImportError:\n    print('refused')"
    assert in_base_install(script, tmp_path) == "refused\n"


def test_the_commands_of_the_readme(tmp_path):
    told = in_base_install(RUN, written(tmp_path), COMMANDS=commands())
    assert "predicted pos over neg" in told
    assert all(f"{number}  {heading}" in told for number, (heading, _) in enumerate(demo.STOPS, 1))


def test_tables_of_numbers_and_categories(tmp_path):
    rows = "".join(f"{i % 7},{'ab'[i % 2]},{'yes' if i % 7 > 2 else 'no'}\n" for i in range(70))
    (tmp_path / "rows.csv").write_text("x,kind,label\n" + rows)
    shown = ["train rows.csv -o m", "evaluate m rows.csv", "predict m rows.csv -o labels.csv", "inspect m", "explain m"]
    in_base_install(RUN, tmp_path, COMMANDS=[f"rosenblatt {command}" for command in shown])


def test_the_python_of_the_readme(tmp_path):
    in_base_install(READ, tmp_path, README=str(ROOT / "README.md"))


@pytest.mark.slow
def test_a_true_installation(tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    bin_ = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    install = [bin_ / "python", "-m", "pip", "install", "-q", str(ROOT)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if "No matching distribution" in done.stderr or "connection" in done.stderr.lower():
        pytest.skip(f"no package index: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr[-2000:]
    written(tmp_path)
    for command in commands():
        line = [bin_ / "rosenblatt", *shlex.split(command)[1:]]
        ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{command}: {ran.stderr[-2000:]}"
