"""The server of the playground: what it answers, what it refuses, and how it begins and ends."""

import contextlib
import importlib.metadata
import json
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from clockless import GUARD
from playing import free_port, served

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.playground import records, server, serving

PAGE = Path(server.__file__).parent / "page"
FILES = [file for file in PAGE.rglob("*") if file.is_file()]
GOOD = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [0, 1, 1, 0], "settings": {}}


@pytest.fixture(scope="module")
def port():
    with served() as port:
        yield port


@pytest.fixture
def client(port):
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=GUARD) as client:
        yield client


def ask(client, kind, body, **headers):
    content = body if isinstance(body, (bytes, str)) else json.dumps(body)
    given = {"origin": str(client.base_url).rstrip("/"), "content_type": "application/json"} | headers
    named = {name.replace("_", "-"): value for name, value in given.items() if value is not None}
    return client.post(f"/api/{kind}", content=content, headers=named)


def raw(port, request):
    """What comes back for these bytes, as they are.

    A server that answers before it has read everything may close with bytes unread, and the reset then takes the answer
    along: asked again.
    """
    for _ in range(50):
        try:
            return _raw(port, request)
        except ConnectionError:
            pass
    return _raw(port, request)


def _raw(port, request):
    """What comes back for these bytes, as they are."""
    with socket.create_connection(("127.0.0.1", port), timeout=GUARD) as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
            if b"\r\n\r\n" in answer and b"connection: close" not in request.lower():
                break
    return answer


def get(port, path, host=None, *more):
    host = f"127.0.0.1:{port}" if host is None else host
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Connection: close", *more]
    return raw(port, ("\r\n".join(lines) + "\r\n\r\n").encode())


# ---- answers ----------------------------------------------------------------------------------------------------


def test_the_page_and_each_of_its_files(client):
    assert client.get("/").text == (PAGE / "index.html").read_text(encoding="utf-8")
    kinds = {"js": "text/javascript", "css": "text/css", "html": "text/html", "svg": "image/svg+xml",
             "json": "application/json"}  # fmt: skip
    for file in FILES:
        answer = client.get(f"/{file.relative_to(PAGE).as_posix()}")
        assert answer.content == file.read_bytes()
        assert answer.headers["content-type"].partition(";")[0] == kinds[file.suffix[1:]]


def test_the_page_asks_for_nothing_elsewhere():
    for file in FILES:
        found = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in found
        assert "https:" not in found
        assert " style=" not in found  # which the security policy would refuse


def test_a_run_as_the_library_makes_it(client):
    told = ask(client, "run", GOOD).json()
    trace = rb.trace(rb.Perceptron(shuffle=False), GOOD["points"], [-1, 1, 1, -1], exact="decimals")
    assert [step["cells"] for step in told["steps"]] == [list(row) for row in trace.table().rows]
    assert told["verdict"] == "no margin"
    assert ask(client, "separable", GOOD).json()["lambda"] == ["1", "1", "1", "1"]
    assert ask(client, "field", GOOD | {"at": [4]}).json()["fields"][0]["right"] == [0, 3]
    assert ask(client, "table", {"csv": "1,2,+1\n3,4,-1"}).json()["labels"] == [1, 0]
    assert list(ask(client, "examples", {}).json()) == [
        "four points", "separable", "narrow margin", "inseparable", "xor", "and", "or", "circles", "spirals",
        "iris", "three classes", "phrases, words", "phrases, pairs",
    ]  # fmt: skip


def test_what_is_wrong_is_said_in_a_sentence(client):
    assert ask(client, "run", GOOD | {"labels": [1] * 4}).json() == {
        "error": "Two classes are needed: place points of another class too."
    }
    assert "line 1" in ask(client, "table", {"csv": "1,x,a"}).json()["error"]
    assert ask(client, "run", "[1]").json() == {"error": "a request must be a JSON object"}
    assert ask(client, "run", '{"points": [[NaN, 1]]}').json() == {"error": "NaN is no number"}
    for body in ("{", "", b"\xff\xfe", "[" * 100_000, '{"a": ' + "9" * 5000 + "}"):
        answer = ask(client, "run", body)
        assert answer.status_code in (200, 400)
        assert set(answer.json()) == {"error"}


# ---- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", "127.0.0.1:{port}.evil.example", "[::1]:{port}", "",
     "127.0.0.1:{port}@evil.example", " 127.0.0.1:{port}x"],
)  # fmt: skip
def test_other_hosts_are_refused(port, host):
    answer = get(port, "/", host.format(port=port))
    assert answer.startswith((b"HTTP/1.1 403", b"HTTP/1.1 400"))
    assert b"<html" not in answer


def test_its_own_names_are_answered(port):
    assert get(port, "/").startswith(b"HTTP/1.1 200")
    assert get(port, "/", f"localhost:{port}").startswith(b"HTTP/1.1 200")
    assert get(port, "/", f"LOCALHOST:{port}").startswith(b"HTTP/1.1 200")


def test_two_hosts_or_none_are_refused(port):
    assert get(port, "/", None, "Host: evil.example").startswith((b"HTTP/1.1 403", b"HTTP/1.1 400"))
    assert raw(port, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").startswith((b"HTTP/1.1 403", b"HTTP/1.1 400"))
    assert raw(port, b"GET / HTTP/1.0\r\n\r\n").startswith((b"HTTP/1.1 403", b"HTTP/1.1 400"))
    absolute = "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert raw(port, absolute.encode()).startswith((b"HTTP/1.1 403", b"HTTP/1.1 400"))


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1",
                                    "http://127.0.0.1:{port}.evil.example", "http://localhost:1"])  # fmt: skip
def test_pages_of_other_origins_cannot_ask(client, port, origin):
    answer = ask(client, "run", GOOD, origin=origin and origin.format(port=port))
    assert answer.status_code == 403
    assert "Origin" in answer.json()["error"]


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"]
)
def test_only_json_is_read(client, kind):
    answer = ask(client, "run", GOOD, content_type=kind)
    assert answer.status_code == 415


def test_json_may_name_its_encoding(client):
    assert ask(client, "run", GOOD, content_type="Application/JSON; charset=utf-8").status_code == 200


def test_large_bodies_are_not_read(client, port):
    answer = ask(client, "run", b" " * (server.LARGEST_BODY + 1))
    assert answer.status_code == 413
    assert "200,000 bytes at most" in answer.json()["error"]
    head = f"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
    head += "Content-Type: application/json\r\nConnection: close\r\n"
    declared = raw(port, (head + "Content-Length: 99999999999\r\n\r\n").encode())
    assert declared.startswith(b"HTTP/1.1 413")
    chunk = b"2000\r\n" + b" " * 0x2000 + b"\r\n"
    chunked = raw(port, (head + "Transfer-Encoding: chunked\r\n\r\n").encode() + chunk * 30 + b"0\r\n\r\n")
    assert chunked.startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/../../pyproject.toml", "/%2e%2e/server.py", "/..%2fserver.py", "/%2e%2e%2fserver.py",
     "//etc/passwd", "/etc/passwd", "/page/../server.py", "/index.html/../../server.py", "/..\\server.py",
     "/%5c..%5cserver.py", "/index.html%00", "/index.html/", "/INDEX.HTML", "/server.py", "/.", "/..",
     "/file:///etc/passwd", "/api", "/api/", "/api/../index.html"],
)  # fmt: skip
def test_no_path_leads_elsewhere(port, path):
    answer = get(port, path)
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400", b"HTTP/1.1 405"))
    for secret in (b"import ", b"root:", b"[project]", b"<html"):
        assert secret not in answer


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(client, method):
    for path in ("/", "/api/run", "/api/examples"):
        answer = client.request(method, path)
        assert answer.status_code == 405
        assert "access-control-allow-origin" not in answer.headers
    assert client.get("/api/run").status_code in (404, 405)
    assert client.post("/").status_code == 405
    assert ask(client, "nothing", GOOD).status_code == 404


def test_every_answer_keeps_the_page_to_itself(client, port):
    refused = [
        ask(client, "run", GOOD, origin="http://evil.example"),
        client.get("/", headers={"host": "evil.example"}),
    ]
    for answer in [*map(client.get, ("/", "/nothing")), ask(client, "run", GOOD), *refused]:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


def test_connections_that_ask_nothing_keep_nobody_out(port):
    with contextlib.ExitStack() as idle:
        for _ in range(80):
            idle.enter_context(socket.create_connection((serving.HOST, port), GUARD))
        assert get(port, "/").startswith(b"HTTP/1.1 200")


def test_too_many_requests_at_once_are_refused_with_the_headers_of_the_page(client, monkeypatch):
    monkeypatch.setattr(server, "MOST_AT_ONCE", 0)
    answer = client.get("/")
    assert answer.status_code == 503
    assert answer.json() == {"error": "Too many requests at once: try again."}
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_it_listens_on_this_machine_alone():
    with served() as port, socket.socket() as probe:
        probe.settimeout(2)
        own = socket.gethostbyname(socket.gethostname())
        if own.startswith("127."):
            own = "127.0.0.2"  # not its address, though of this machine
        assert probe.connect_ex((own, port)) != 0


def test_a_request_that_is_cut_off_or_no_http_harms_nothing(client, port):
    for bad in (
        b"\x16\x03\x01",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n",
        b"POST /api/run HTTP/1.1\r\nHost: 127",
        b"\r\n" * 10,
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=GUARD) as connection:
            connection.sendall(bad)
    assert client.get("/").status_code == 200


# ---- many at once -----------------------------------------------------------------------------------------------


def test_a_newer_request_takes_the_place_of_one_that_waits(client, port, monkeypatch):
    begun, go_on, queued = threading.Event(), threading.Event(), threading.Semaphore(0)
    real, take_a_place = records.summary, server.Turns.next

    def slow(problem):
        begun.set()
        assert go_on.wait(GUARD)
        return real(problem)

    def in_the_queue(*arguments):
        place = take_a_place(*arguments)
        queued.release()
        return place

    monkeypatch.setattr(records, "summary", slow)
    monkeypatch.setattr(server.Turns, "next", in_the_queue)
    statuses = {}

    def request(name, turn):
        with httpx.Client(base_url=str(client.base_url), trust_env=False, timeout=GUARD) as own:
            statuses[name] = ask(own, "run", GOOD, x_turn=turn).status_code

    threads = [threading.Thread(target=request, args=("first", "a"))]
    threads[0].start()
    assert begun.wait(GUARD)
    assert queued.acquire(timeout=GUARD)
    for name, turn in (("second", "a"), ("other page", "b"), ("third", "a")):
        threads.append(threading.Thread(target=request, args=(name, turn)))
        threads[-1].start()
        assert queued.acquire(timeout=GUARD)
    assert client.get("/").status_code == 200  # which does not wait for them
    go_on.set()
    for thread in threads:
        thread.join(GUARD)
    assert statuses == {"first": 200, "second": 409, "other page": 200, "third": 200}


# ---- the command ------------------------------------------------------------------------------------------------


def play(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", "play", "--no-browser", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


@pytest.mark.posix
def test_it_says_where_it_is_and_ends_cleanly_at_ctrl_c():
    port = free_port()
    process = play("--port", str(port))
    try:
        assert process.stdout.readline() == f"The playground is at http://127.0.0.1:{port}/ (Ctrl-C ends it)\n"
        answer = httpx.get(f"http://127.0.0.1:{port}/", trust_env=False, timeout=GUARD)
        assert answer.status_code == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=GUARD)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (0, "The playground has ended.\n", "")


def test_a_port_that_is_taken(capsys):
    with served() as port:
        assert cli.main(["play", "--port", str(port), "--no-browser"]) == 1
        told = capsys.readouterr().err
        assert told.startswith(f"rosenblatt: port {port} cannot be used (")
        assert told.endswith("): choose another by --port\n")
        assert told.count("\n") == 1


def test_without_a_port_the_next_free_one_is_taken(monkeypatch):
    first = free_port()
    monkeypatch.setattr(serving, "PORT", first)
    with serving.bound(None) as one, serving.bound(None) as two:
        assert one.getsockname() == ("127.0.0.1", first)
        assert first < two.getsockname()[1] < first + serving.MORE_PORTS
        monkeypatch.setattr(serving, "MORE_PORTS", 1)
        with pytest.raises(OSError, match=f"the ports {first} to {first} are all in use: choose another by --port"):
            serving.bound(None)


@pytest.mark.parametrize("port", ["0", "65536", "x", "-1"])
def test_a_port_is_a_number(port, capsys):
    assert cli.main(["play", f"--port={port}"]) == 2
    assert "is not a port, a whole number from 1 to 65535" in capsys.readouterr().err


def test_the_browser_is_opened_at_the_address(monkeypatch):
    opened = threading.Event()
    found, told = [], []

    class Ended:
        def run(self, sockets):
            assert opened.wait(GUARD)

    monkeypatch.setattr(serving.webbrowser, "open", lambda address: (found.append(address), opened.set()))
    monkeypatch.setattr(serving, "server", lambda listening: Ended())
    serving.play(free_port(), True, told.append)
    assert told == [f"The playground is at {found[0]} (Ctrl-C ends it)", "The playground has ended."]


def test_a_missing_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert cli.main(["play", "--no-browser"]) == 1
    assert capsys.readouterr().err == (
        "rosenblatt: the playground needs Starlette and uvicorn: pip install 'rosenblatt[play]'\n"
    )


def test_the_playground_computes_without_scikit_learn():
    code = f"""
import sys
from rosenblatt.playground import server
for kind in ("run", "field", "separable"):
    server.ANSWERS[kind]({GOOD!r} | {{"at": [1], "settings": {{"space": "rbf"}}}})
server.ANSWERS["examples"]({{}})
assert "sklearn" not in sys.modules and "pandas" not in sys.modules
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_the_extra_is_what_is_imported():
    needs = [need.replace(" ", "").replace('"', "'") for need in importlib.metadata.requires("rosenblatt")]
    assert {need.partition(">")[0] for need in needs if "extra=='play'" in need} == {"starlette", "uvicorn"}


def test_the_page_has_the_rules_of_the_library_with_parameters_that_can_be_asked_for():
    from rosenblatt.playground import generator, requests

    lines = [line.split(" = ")[1].rstrip(";") for line in server.rules_module().splitlines()]
    listed, controls, choices, ranges, most, generated = map(json.loads, lines)
    assert most == {
        "points": requests.MOST_POINTS,
        "classes": requests.MOST_CLASSES,
        "name": requests.LONGEST_NAME,
        "coordinate": requests.LARGEST,
    }
    assert generated == {name: list(limits) for name, limits in generator.RANGES.items()}
    assert choices == {name: list(values) for name, values in requests.CHOICES.items()}
    assert ranges == {name: list(limits) for name, limits in requests.RANGES.items()}
    assert [rule["name"] for rule in listed] == list(requests.RULES)
    defaults = {control["name"]: control["default"] for control in controls}
    for rule in listed:
        chosen = requests.settings_of({"rule": rule["name"], **defaults})
        assert chosen.learning_rule(2) == requests.RULES[rule["name"]]()
