"""What the server answers: the files of the page, and what it asks as JSON. All else is refused.

It listens on this machine alone, and a page of another site cannot use it: the Host header must name this server, so
that no other name can be pointed at it, and what computes is asked by POST, with the Origin of this page and as JSON.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from importlib import resources

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import ANSWERS, answer, rules_module

#: Bytes of a request at most.
LARGEST_BODY = 200_000
#: Requests under way at most. Connections that ask nothing are not counted.
MOST_AT_ONCE = 64

#: Only what the server itself sends may be loaded, run or asked.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors {}"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
#: Who may show the page in a frame: notebooks on this machine, in a browser or in VS Code.
NOTEBOOKS = "http://localhost:* http://127.0.0.1:* https://localhost:* vscode-webview: https://*.vscode-cdn.net"
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}


#: A place in the queue: does some work when it is its turn.
Turn = Callable[[Callable[[], Response]], Response]


def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page by their paths: nothing else is ever read from the disk."""
    files = {"/rules.js": (rules_module().encode(), TYPES["js"])}
    page = resources.files(__package__).joinpath("page")
    for folder, prefix in ((page, "/"), (page.joinpath("lessons"), "/lessons/")):
        for entry in folder.iterdir():
            kind = TYPES.get(entry.name.rpartition(".")[2])
            if kind is not None:
                files[prefix + entry.name] = (entry.read_bytes(), kind)
    files["/"] = files["/index.html"]
    return files


def application(hosts: Collection[str], framed: bool = False) -> ASGIApp:
    """The application, which answers requests to these hosts (each with its port); notebooks may frame its page."""
    files, turns = page_files(), Turns()

    async def file(request: Request) -> Response:
        body, kind = files.get(request.scope["path"], (None, None))
        if body is None:
            return refusal(404, "There is nothing here: the playground is at /")
        return Response(body, media_type=kind)

    async def answered(request: Request) -> Response:
        kind = request.path_params["kind"]
        if kind not in ANSWERS:
            return refusal(404, f"There is nothing to ask for at /api/{kind}")
        if request.headers.get("origin") not in {f"http://{host}" for host in hosts}:
            return refusal(403, "Only the page of this playground may ask: the Origin header is not its own.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return refusal(415, "A request must be JSON, with the content type application/json.")
        body = await _body(request)
        if body is None:
            return refusal(413, f"A request may have {LARGEST_BODY:,} bytes at most.")
        turn = turns.next(request.headers.get("x-turn", ""), kind)
        return await run_in_threadpool(turn, lambda: _json(answer(kind, body)))

    routes = [
        Route("/api/{kind}", answered, methods=["POST"]),
        Route("/{path:path}", file, methods=["GET"]),
    ]
    inner = Starlette(routes=routes)
    inner.router.redirect_slashes = False
    return Guard(inner, hosts, NOTEBOOKS if framed else "'none'")


class Guard:
    """Refuses requests to other hosts and too many at once, and puts the page's headers on every answer."""

    def __init__(self, inner: ASGIApp, hosts: Collection[str], framers: str) -> None:
        self.inner, self.hosts = inner, {host.encode() for host in hosts}
        self.headers = [(name.encode(), value.format(framers).encode()) for name, value in HEADERS.items()]
        self.under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self.headers]
            await send(message)

        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1 or named[0].lower() not in self.hosts:
            await refusal(403, "This server answers to its own name alone.")(scope, receive, guarded)
            return
        if self.under_way >= MOST_AT_ONCE:
            await refusal(503, "Too many requests at once: try again.")(scope, receive, guarded)
            return
        self.under_way += 1
        try:
            await self.inner(scope, receive, guarded)
        finally:
            self.under_way -= 1


class Turns:
    """One computation at a time; of those that wait, the newest of each kind and each page."""

    def __init__(self) -> None:
        self._newest: dict[tuple[str, str], int] = {}
        self._count = 0
        self._computing = threading.Lock()

    def next(self, page: str, kind: str) -> Turn:
        """A place in the queue of this kind. A page that does not name itself waits for all of its own."""
        self._count += 1
        number, key = self._count, (page[:40], kind)
        if page:
            if len(self._newest) > 1000:
                self._newest.clear()
            self._newest[key] = number

        def turn(work: Callable[[], Response]) -> Response:
            """Do it when it is its turn, unless it is out of date by then."""
            with self._computing:
                if page and self._newest.get(key, number) != number:
                    return refusal(409, "A newer request took the place of this one.")
                return work()

        return turn


async def _body(request: Request) -> bytes | None:
    """The body, or None where it is too large: it is not read further then."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > LARGEST_BODY:
        return None
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            return None
    return body


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")


def refusal(status: int, sentence: str) -> Response:
    """What is wrong, in a sentence: as JSON, which the page shows."""
    return JSONResponse({"error": sentence}, status) if status != 404 else PlainTextResponse(sentence, status)
