"""The playground from start to end: a free port, the browser, and the server until Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from .server import application

HOST = "127.0.0.1"
#: The year of Rosenblatt's paper; where it is taken, the next that is free.
PORT, MORE_PORTS = 1958, 20


def bound(port: int | None) -> socket.socket:
    """A socket on this machine alone; of a port that was asked for no other will do."""
    for candidate in range(PORT, PORT + MORE_PORTS) if port is None else [port]:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would share a port that is in use
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, candidate))
            made.listen(64)
        except OSError as error:
            made.close()
            if port is not None:
                raise OSError(f"port {port} cannot be used ({error.strerror}): choose another by --port") from None
            continue
        return made
    raise OSError(f"the ports {PORT} to {PORT + MORE_PORTS - 1} are all in use: choose another by --port")


def server(listening: socket.socket, framed: bool = False) -> uvicorn.Server:
    """The server of a socket; ``run(sockets=[…])`` starts it. ``framed``: notebooks may show its page."""
    port = listening.getsockname()[1]
    hosts = [f"{name}:{port}" for name in (HOST, "localhost")] + ([HOST, "localhost"] if port == 80 else [])
    return uvicorn.Server(
        uvicorn.Config(
            application(hosts, framed), log_level="error", access_log=False, lifespan="off", server_header=False,
            ws="none", timeout_keep_alive=30, timeout_graceful_shutdown=2, proxy_headers=False,
        )
    )  # fmt: skip


def play(port: int | None = None, browser: bool = True, say: Callable[[str], None] = print) -> None:
    """Serve the playground until Ctrl-C.

    Parameters
    ----------
    port : int or None
        Where to listen; None: 1958, or the next that is free.
    browser : bool
        Whether to open the page in the browser.
    say : callable
        Where to write the address to.
    """
    with contextlib.closing(bound(port)) as listening:
        address = f"http://{HOST}:{listening.getsockname()[1]}/"
        say(f"The playground is at {address} (Ctrl-C ends it)")
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            server(listening).run(sockets=[listening])
        say("The playground has ended.")
