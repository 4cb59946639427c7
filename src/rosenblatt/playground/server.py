"""What the server answers: the files of the page, examples, and four kinds of JSON requests. All else is refused.

It listens on this machine alone, and a page of another site cannot use it: the Host header must name this server, so
that no other name can be pointed at it, and what computes is asked by POST, with the Origin of this page and as JSON.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection
from dataclasses import asdict
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..core import rules
from . import certificates, fields, pasted, records
from .examples import examples
from .requests import RULES, RequestError, problem

#: Bytes of a request at most.
LARGEST_BODY = 200_000

#: Only what the server itself sends may be loaded, run or asked.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

#: A place in the queue: does some work when it is its turn.
Turn = Callable[[Callable[[], Response]], Response]

#: What can be requested, and how it is computed.
ANSWERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "run": lambda request: records.summary(problem(request)),
    "field": lambda request: fields.summary(problem(request), request),
    "separable": lambda request: certificates.summary(problem(request), request),
    "film": lambda request: {"html": records.film(problem(request))},
    "table": lambda request: pasted.table(request.get("csv"), request.get("pairs", False)),
}


def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page by their paths: nothing else is ever read from the disk."""
    files = {"/rules.js": (rules_module().encode(), TYPES["js"])}
    for entry in resources.files(__package__).joinpath("page").iterdir():
        kind = TYPES.get(entry.name.rpartition(".")[2])
        if kind is not None:
            files["/" + entry.name] = (entry.read_bytes(), kind)
    files["/"] = files["/index.html"]
    return files


def rules_module() -> str:
    """The rules and their parameters as a module of the page, so that it lists those of the library."""
    listed = [
        {
            "name": name, "title": "Batch descent" if name == "batch" else kind.title,
            "fractions": kind.short_in_fractions, "controls": [control.name for control in kind.controls],
        }
        for name, kind in RULES.items()
    ]  # fmt: skip
    controls = {
        control.name: {**asdict(control), "default": kind().control_value(control.name)}
        for kind in rules.ALL
        for control in kind.controls
    }
    return (
        f"export const RULES = {json.dumps(listed)};\nexport const CONTROLS = {json.dumps(list(controls.values()))};\n"
    )


def application(hosts: Collection[str]) -> ASGIApp:
    """The application, which answers requests to these hosts (each with its port)."""
    files, turns = page_files(), Turns()

    async def file(request: Request) -> Response:
        body, kind = files.get(request.scope["path"], (None, None))
        if body is None:
            return refusal(404, "There is nothing here: the playground is at /")
        return Response(body, media_type=kind)

    async def shown(request: Request) -> Response:
        return JSONResponse(examples())

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
        return await run_in_threadpool(turn, lambda: _answer(kind, body))

    routes = [
        Route("/api/examples", shown, methods=["GET"]),
        Route("/api/{kind}", answered, methods=["POST"]),
        Route("/{path:path}", file, methods=["GET"]),
    ]
    inner = Starlette(routes=routes)
    inner.router.redirect_slashes = False
    return Guard(inner, hosts)


class Guard:
    """Refuses requests to other hosts, and puts the headers that keep the page to itself on every answer."""

    def __init__(self, inner: ASGIApp, hosts: Collection[str]) -> None:
        self.inner, self.hosts = inner, {host.encode() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *own]
            await send(message)

        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1 or named[0].lower() not in self.hosts:
            await refusal(403, "This server answers to its own name alone.")(scope, receive, guarded)
            return
        await self.inner(scope, receive, guarded)


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


def _answer(kind: str, body: bytes) -> Response:
    try:
        request = json.loads(body, parse_constant=_refuse_constant)
        if not isinstance(request, dict):
            raise RequestError("a request must be a JSON object")
        return JSONResponse(ANSWERS[kind](request))
    except (RecursionError, UnicodeDecodeError, json.JSONDecodeError):
        return refusal(400, "The request is no JSON that can be read.")
    except ValueError as error:  # an answer too: browsers write other statuses to the console as faults of the page
        return refusal(200, str(error))


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


def _refuse_constant(name: str) -> Any:
    raise RequestError(f"{name} is no number")


def refusal(status: int, sentence: str) -> Response:
    """What is wrong, in a sentence: as JSON, which the page shows."""
    return JSONResponse({"error": sentence}, status) if status != 404 else PlainTextResponse(sentence, status)
