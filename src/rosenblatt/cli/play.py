"""The command ``play``: the playground in the browser."""

from __future__ import annotations

import argparse


def run(arguments: argparse.Namespace) -> None:
    """Serve the page until Ctrl-C."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ImportError("the playground needs Starlette and uvicorn: pip install 'rosenblatt[play]'") from error
    from ..playground.serving import play

    play(arguments.port, not arguments.no_browser, lambda line: print(line, flush=True))
