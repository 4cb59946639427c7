"""Write the playground as files that any static host serves: the page, the Python behind it, and Pyodide to run that.

    python scripts/static_playground.py --out DIR

The runtime is the core of Pyodide, of a fixed version whose hash is checked: it is fetched once, by npm, and kept in
build/. Nothing is fetched by the page itself but what lies beside it, by relative addresses, so that DIR may lie
anywhere on a site. ``python -m http.server -d DIR`` shows it.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
KEPT = ROOT / "build" / "pyodide"

VERSION = "314.0.7"
INTEGRITY = "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
#: What of the package runs; package.json and README.md say what it is and under which licence.
RUNTIME = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", "package.json",
    "README.md",
)  # fmt: skip

#: What a film is made of, besides Python.
FILM = SOURCE / "rosenblatt" / "films" / "page"

#: The example that the page begins with (page/main.js), and what it asks of it first.
FIRST, ASKED = "separable", ("run", "separable")

#: Imports what the page needs with nothing else to import, and says which files that are.
TRACED = """
import json, sys
class Blocked:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in (*sys.stdlib_module_names, "rosenblatt") or name == "rosenblatt._native":
            raise ImportError(f"{name} is not there in the browser")
sys.meta_path.insert(0, Blocked)
sys.path.insert(0, sys.argv[1])
import rosenblatt.playground.answers
print(json.dumps([m.__file__ for name, m in sys.modules.items() if name.partition(".")[0] == "rosenblatt"]))
"""


class BuildError(Exception):
    """What is in the way, in one sentence."""


def runtime() -> bytes:
    """The package of Pyodide, as it was kept or fetched by npm; its hash is checked."""
    kept = KEPT / f"pyodide-{VERSION}.tgz"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        npm = shutil.which("npm")
        if npm is None:
            raise BuildError(
                f"Pyodide {VERSION} is not there and npm, which fetches it, is not installed: install Node.js, or put "
                f"pyodide-{VERSION}.tgz into {KEPT}"
            )
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            run = subprocess.run(
                [npm, "pack", f"pyodide@{VERSION}", "--silent"], cwd=folder, capture_output=True, text=True, check=False
            )
            made = Path(folder) / kept.name
            if run.returncode or not made.exists():
                why = (run.stderr.strip().splitlines() or ["it wrote no file"])[-1]
                raise BuildError(
                    f"npm could not fetch Pyodide {VERSION} ({why}): see that it reaches a registry, or put "
                    f"pyodide-{VERSION}.tgz into {KEPT}"
                )
            made.replace(kept)
    package = kept.read_bytes()
    found = "sha512-" + base64.b64encode(hashlib.sha512(package).digest()).decode()
    if found != INTEGRITY:
        raise BuildError(f"{kept} is not the package of Pyodide {VERSION}: its hash is {found}; delete it")
    return package


def python_files() -> list[Path]:
    """The modules that the page needs, found by importing them where nothing else can be imported."""
    run = subprocess.run([sys.executable, "-I", "-c", TRACED, str(SOURCE)], capture_output=True, text=True, check=False)
    if run.returncode:
        raise BuildError(f"the Python of the page does not run without NumPy:\n{run.stderr}")
    return sorted(Path(name) for name in json.loads(run.stdout))


def archive() -> bytes:
    """These modules, and what films are made of, as a zip file, the same bytes each time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
        for path in [*python_files(), *sorted(FILM.iterdir())]:
            entry = zipfile.ZipInfo(path.relative_to(SOURCE).as_posix(), (2000, 1, 1, 0, 0, 0))
            files.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def first_answers() -> str:
    """The examples and the first answers, which the page shows while Python starts."""
    from rosenblatt.playground import answers
    from rosenblatt.playground.examples import examples

    example = examples()[FIRST]
    question = {name: example.get(name) for name in ("points", "labels", "names", "classes", "settings")}
    asked = {kind: json.loads(answers.answer(kind, json.dumps(question))) for kind in ASKED}
    return answers.dumps({"examples": examples(), "question": question, "answers": asked})


def page() -> dict[str, bytes]:
    """The files of the page by name, told that there is no server."""
    from rosenblatt.playground.server import page_files

    files = {path.lstrip("/"): content for path, (content, _) in page_files().items() if path != "/"}
    served = b'<meta name="playground" content="served">'
    if files["index.html"].count(served) != 1:
        raise BuildError("page/index.html must say once that it is served, which is replaced here")
    told = (
        b'<meta name="playground" content="static">\n<meta http-equiv="Content-Security-Policy" content="default-src '
        b"'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: "
        b"blob:; connect-src 'self'; base-uri 'none'; form-action 'none'\">"
    )
    files["index.html"] = files["index.html"].replace(served, told)
    return files


def build(out: Path) -> None:
    """Write the whole folder."""
    package = runtime()
    out.mkdir(parents=True, exist_ok=True)
    for name, content in page().items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content)
    (out / "rosenblatt.zip").write_bytes(archive())
    (out / "first.json").write_text(first_answers(), encoding="utf-8")
    (out / "runtime").mkdir(exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(package)) as files:
        for name in RUNTIME:
            content = files.extractfile(f"package/{name}")
            assert content is not None
            (out / "runtime" / name).write_bytes(content.read())


def main() -> int:
    """Write the folder, or say what is in the way."""
    parser = argparse.ArgumentParser(description="Write the playground as files that any static host serves.")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    out = parser.parse_args().out
    try:
        build(out)
    except BuildError as problem:
        print(f"static_playground: {problem}", file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"The playground is in {out} ({size / 1e6:.1f} MB): python -m http.server -d {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
