"""The playground as files, built once for all tests and served as any static host would."""

import contextlib
import functools
import http.server
import importlib.util
import threading
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "static_playground.py"


def builder():
    """The module that builds it."""
    spec = importlib.util.spec_from_file_location("static_playground", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def built(folder):
    """The page in a folder; the test is skipped, and it is said why, where the runtime has not been fetched."""
    module = builder()
    if not (module.KEPT / f"pyodide-{module.VERSION}.tgz").exists():
        pytest.skip("Pyodide has not been fetched: python scripts/static_playground.py --out build/playground")
    module.build(folder)
    return folder


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *words):
        pass


class Host(http.server.ThreadingHTTPServer):
    """A browser may hang up in the midst of a file."""

    def handle_error(self, request, address):
        pass


@contextlib.contextmanager
def hosted(folder):
    """A static host of a folder; yields its address."""
    server = Host(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
