"""A page in the browser on which a perceptron learns: place points, step through a run, see the proof.

It is served to this machine alone, without the network, until Ctrl-C. Needs pip install 'rosenblatt[play]'.
"""

from __future__ import annotations

import argparse

EXAMPLE = "rosenblatt play"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("--port", metavar="N", type=port, help="where to listen (1958, or the next that is free)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def port(text: str) -> int:
    """A port number."""
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, a whole number from 1 to 65535")
    return int(text)


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ImportError("the playground needs Starlette and uvicorn: pip install 'rosenblatt[play]'") from error
    from ..playground.serving import play

    play(arguments.port, not arguments.no_browser, lambda told: print(told, flush=True))
