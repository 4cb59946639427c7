"""The playground, served from this process for tests."""

import contextlib
import socket
import threading

from clockless import GUARD

from rosenblatt.playground import serving


def free_port():
    with socket.socket() as probe:
        probe.bind((serving.HOST, 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def served(framed=False, port=None):
    """A playground on a port, by default a free one, which notebooks may frame; yields the port."""
    listening = serving.bound(port or free_port())
    server = serving.server(listening, framed)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(GUARD)
        listening.close()
