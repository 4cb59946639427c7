"""Write docs/reference/cli.md from the options of the commands, and what those of tutorials/file-to-model.md print.

``python scripts/cli_docs.py``. A test holds both current.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rosenblatt import cli

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "cli.md"
TUTORIAL = PAGE.parents[1] / "tutorials" / "file-to-model.md"


def house(i: int) -> str:
    """A line of a table of houses and their prices."""
    rooms, area, town = 1 + i * 7 % 5, 30 + i * 37 % 91, ("Ulm", "Jena", "Gera")[i * i % 11 % 3]
    return f"{30.5 * rooms + 1.5 * area + 20 * len(town) + i % 7},{rooms},{area},{town}\n"


#: Files that the tutorial uses besides those of the tour.
FILES = {
    "houses.csv": "price,rooms,area,town\n" + "".join(map(house, range(300))),
    "new-reviews.csv": 'sentiment,review\npos,"A gem, and so funny."\nneg,"A bore: no jokes, no plot."\n',
    "broken.csv": 'sentiment,review\npos,"A gem, and so funny."\nneg,A bore, no jokes\nneg,"A bore: no jokes."\n',
}

INTRODUCTION = """# The command line

`rosenblatt` trains models on files, evaluates and explains them, and predicts with them, without a line of Python;
`python -m rosenblatt` is the same. [From a file to a shipped model](../tutorials/file-to-model.md) is a tutorial. This
page is made from the help of the commands.

- **Output:** results go to standard output, progress and errors to standard error. Progress is shown only in a
  terminal.
- **Exit codes:** 0 success; 1 an error in a file, the data, a model or a cluster, reported in one sentence with file
  and line; 2 an error in the command line; 141 the reader of the output closed the pipe; 130 interrupted by Ctrl-C, 143
  by SIGTERM, 129 by SIGHUP. With `--json` an error is also printed as `{"error": "…"}` on standard output.
- **Interrupts:** `train` saves the model so far and says so, `tune` the model of the
  [best so far](../how-to/tune.md#the-same-model-again); a second interrupt ends it at once and writes nothing. Any
  other command leaves the file that it was to write as it was. A signal that is ignored, as under `nohup`, stays
  ignored.
- **Files** are written completely or not at all; an existing one is replaced only by a complete new one
  ([details](model-files.md#what-it-promises)), and a file that is read from is never overwritten. If a file changes or
  disappears after the first pass, `train` exits with 1 and saves the model so far.
- **Closed output:** once `train` has written the model, or `convert` the new file, a summary that cannot be printed
  (`>&-`, `| head -1`, a full disk) is no failure. A result that belongs on standard output, such as `--json`, is one.
  Standard error may be closed.
- **Formats** are those of [rb.data](file-formats.md), compressed or not.
- **Weights** of rows (`--weight`, or those of Vowpal Wabbit's lines) say by how much a row moves the model. Mistakes,
  the progressive figure and what `tune` compares leave out rows of weight 0 and count each other row once; means, idf,
  the held-out figure and `evaluate` count every row once, whatever its weight.
- **Pipes:** `-` is standard input; named pipes and `<(…)` are read like files, also as `--held-out`. A pipe that is
  read more than once (several passes block by block, `--held-out SHARE`, `convert` to number labels) is buffered: 64
  MiB in memory, then up to 16 GiB in an unnamed temporary file (in `TMPDIR`). One that is read once, as with `--passes
  1`, may be endless. A pipe counts as a small file, so that its rows are held in memory unless `--stream` is set. A
  pipe that is named twice is refused, and so is one on a cluster. Models are read from regular files only.
- No command loads scikit-learn. `train` learns what the estimator in Python learns from the same examples, to the bit:
  in memory as its `fit`, block by block as its `partial_fit`. `rb.load` reads the model file.
"""


def page() -> str:
    """The whole page."""
    commands = next(a.choices for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction))
    return "\n".join([INTRODUCTION, *(section(name, parser) for name, parser in commands.items())])


def section(name: str, parser: cli.options.Parser) -> str:
    """A command: an example, what it does, its options."""
    lines = [f"## {name}", "", "```sh", parser.example, "```", "", (parser.description or "").strip(), ""]
    for group in parser._action_groups:
        rows = list(options(parser, group))
        if rows:
            title = {"positional arguments": "argument", "options": "option"}.get(group.title or "", group.title)
            lines += [f"| {title} | |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def options(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> Iterator[str]:
    """A row for each option of a group."""
    for action in group._group_actions:
        if isinstance(action, argparse._HelpAction):
            continue
        value = "" if action.nargs == 0 else f" {action.metavar or '|'.join(map(str, action.choices or [action.dest]))}"
        spelled = ", ".join(action.option_strings) + value if action.option_strings else value.strip()
        text = parser._get_formatter()._expand_help(action).replace("|", "\\|")
        yield f"| `{spelled.replace('|', chr(92) + '|')}` | {text} |"


def tutorial() -> str:
    """The tutorial with what its commands print now, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILES.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        os.mkdir(Path(folder, "bin"))
        Path(folder, "bin", "rosenblatt").write_text(f'#!/bin/sh\nexec {sys.executable} -m rosenblatt "$@"\n')
        Path(folder, "bin", "rosenblatt").chmod(0o755)
        path = os.pathsep.join([str(Path(folder, "bin")), os.environ["PATH"]])

        def printed(block: re.Match[str]) -> str:
            lines = ["```console"]
            for command in re.findall(r"^\$ (.*)$", block[0], flags=re.M):
                ended = subprocess.run(
                    command, shell=True, cwd=folder, env=os.environ | {"PATH": path}, text=True, encoding="utf-8",
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                )  # fmt: skip
                lines += [f"$ {command}", *ended.stdout.rstrip().splitlines()]
            return "\n".join([*lines, "```"])

        return re.sub(r"```console\n.*?```", printed, TUTORIAL.read_text(encoding="utf-8"), flags=re.S)


def without_times(text: str) -> str:
    """The same with times masked, which differ from run to run, and sizes of models, which hold their time."""
    return re.sub(r"\(\d+\.\d kB\)", "(… kB)", re.sub(r"\b\d+\.\d\d s\b", "… s", text))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    TUTORIAL.write_text(tutorial(), encoding="utf-8")
