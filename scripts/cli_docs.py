"""Write docs/cli.md from the options of the commands, and what the commands of docs/tutorial.md print.

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

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"
TUTORIAL = PAGE.with_name("tutorial.md")


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

`rosenblatt` goes from a file to a model, its predictions and its reasons, without a line of Python; `python -m
rosenblatt` is the same. [From a file to a shipped model](tutorial.md) shows it at work. This page is made from the help
of the commands.

- **Results** go to standard output, progress and errors to standard error; where that is no terminal there is no
  progress line.
- **Exit codes:** 0 what was asked for is done; 1 something is wrong with a file, the data, a model or a cluster, in one
  sentence with file and line; 2 the command line cannot be read; 141 the reader of a pipe went away; 130 interrupted by
  Ctrl-C, 143 by SIGTERM, 129 by SIGHUP. With `--json` an error is `{"error": "…"}` on standard output too.
- **An interrupt** while it learns lets `train` save the model so far and say so; a second one ends it at once and
  writes nothing. Any other command leaves the file that it was to write as it was. A signal that is ignored, as under
  `nohup`, stays ignored.
- **Files** appear whole or not at all; an existing one is replaced only by a complete new one
  ([what is promised](models.md)), and one that is read from not at all. If a file changes or goes away after the first
  pass, `train` ends with 1, and the model so far is saved.
- **Where nobody listens:** the result of `train` is the model, and of `convert` the new file. Once it is there, a
  summary that nobody takes (`>&-`, `| head -1`, a full disk) is no failure; a result that was to go to standard output,
  `--json` among them, is one. Standard error may be closed: the exit code tells.
- **Formats** are those of [rb.data](data.md), compressed or not. Tables need `pip install 'rosenblatt[data]'`.
- **Pipes:** `-` is standard input, and a named pipe or `<(…)` is as good as a file, held out too. Where it is read more
  than once (for several passes block by block, for rows that are held out of it, to number its labels), what comes is
  kept: 64 MiB in memory, then up to 16 GiB in the folder of temporary files (`TMPDIR`), without a name. One that is
  read once, as with `--passes 1`, may be endless. It counts as small, so that its rows are held in memory unless
  `--stream` is said. Named twice it is refused, and so it is on a cluster. A model is read from a file alone.
- No command loads scikit-learn. What `train` learns is what the estimator in Python learns from the same examples, to
  the bit: in memory as its `fit`, block by block as its `partial_fit`. `rb.load` takes the model file.
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
    return re.sub(r"\(\d+\.\d kB\), written after \d+\.\d\d s\b|\d+\.\d\d s\b", "… s", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    TUTORIAL.write_text(tutorial(), encoding="utf-8")
