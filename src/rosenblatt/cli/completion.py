"""The command ``completion``: a script for a shell, made by shtab from the options of the commands."""

from __future__ import annotations

import argparse

import shtab

from .commands import parser

#: What arguments that name files and folders are called in help.
COMPLETERS = dict.fromkeys(("FILE", "MODEL", "NEW", "TEXT|FILE", "FILE|SHARE"), shtab.FILE) | {
    "FOLDER": shtab.DIRECTORY
}


def run(arguments: argparse.Namespace) -> None:
    """Print the script."""
    whole = parser()
    commands = next(action.choices for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    for command in commands.values():
        for action in command._actions:
            if action.metavar in COMPLETERS:
                action.complete = COMPLETERS[action.metavar]
    print(shtab.complete(whole, arguments.shell))
