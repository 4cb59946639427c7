"""The playground inside a notebook: the points of a table, in a frame that works."""

import base64
import json

import browsing
import clockless
import numpy as np
import pandas as pd
import pytest
from playing import served
from static_pages import hosted

import rosenblatt as rb
from rosenblatt.playground import notebook, requests


def in_link(player):
    text = player.address.partition("#")[2]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


@pytest.fixture(autouse=True)
def no_server(monkeypatch):
    monkeypatch.setattr(notebook, "_address", lambda: "http://127.0.0.1:1/")


def test_a_link_holds_the_points_their_names_and_settings():
    player = rb.play([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1], rule="pa", passes=5, step=3)
    assert in_link(player) == {
        "p": [[0, 0], [0, 1], [1, 0], [1, 1]], "l": [0, 1, 1, 0], "s": {"rule": "pa", "passes": 5}, "t": 3
    }  # fmt: skip
    table = pd.DataFrame({"length": [1.5, 2.5, 3.5], "width": [1, 2, 3]})
    held = in_link(rb.play(table, pd.Series(["no", "yes", "no"])))
    assert (held["n"], held["c"], held["l"]) == (["length", "width"], ["no", "yes"], [0, 1, 0])
    held = in_link(rb.play(np.eye(3), np.array([2, 10, 2])))
    assert (held["c"], held["l"]) == (["10", "2"], [1, 0, 1])  # in the order of their names
    assert rb.play().address == "http://127.0.0.1:1/"


def test_a_notebook_shows_a_frame_and_a_terminal_the_address():
    player = rb.play([[0, 0], [1, 1]], ["a", "b"], height=500)
    assert player._repr_html_().startswith(f'<iframe src="{player.address}" width="100%" height="500"')
    assert repr(player) == f"The playground is at {player.address}"


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (([[0, 0]],), {}, "play needs X and y, or neither of them"),
        (([[0, 0], [1, 1]], [0]), {}, "one label for each of the 2 rows of X, got 1"),
        (([[0, 0], [1, 1]], [0, "a"]), {}, "the labels must be of one type"),
        (([[0, 0], [1, 1]], [1, 1]), {}, "Two classes are needed"),
        ((np.zeros((101, 2)), np.arange(101) % 2), {}, "101 points are too many"),
        (([[0, 0], [1, 1]], [0, 1]), {"rule": "adaline"}, "rule must be one of perceptron"),
        (([[0, 0], [1, 1]], [0, 1]), {"speed": 1}, "there is no setting 'speed'"),
        (([[0, 0], [1, 1]], [0, 1]), {"step": -1}, "step must be a whole number >= 0"),
        (([[0, 0], [1, 1]], [0, 1]), {"height": 1}, "height must be a whole number of pixels"),
        ((), {"rule": "pa"}, "settings go with points"),
    ],
)
def test_what_cannot_be_shown_is_said(arguments, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        rb.play(*arguments, **options)


def test_a_notebook_on_this_machine_may_frame_the_page_and_no_other(tmp_path):
    browsing.needed(module=False)
    with served(framed=True) as port, served() as closed, hosted(tmp_path) as host, browsing.launched() as browser:
        player = notebook.Player(f"http://127.0.0.1:{port}/#{notebook._link([[0, 0], [1, 2]], [-1, 1], 1, {})}", 700)
        (tmp_path / "notebook.html").write_text(f"<!doctype html><title>A notebook</title>{player._repr_html_()}")
        (tmp_path / "other.html").write_text(f'<!doctype html><iframe src="http://127.0.0.1:{closed}/"></iframe>')
        page = browser.new_page()
        page.set_default_timeout(1000 * clockless.GUARD)
        page.goto(host + "notebook.html")
        frame = page.frame_locator("iframe")
        frame.locator("main[aria-busy='false']").wait_for(state="attached")
        assert frame.locator("#caption").inner_text().startswith("Step 1 of ")
        faults = []
        page.on("console", lambda line: faults.append(line.text))
        page.goto(host + "other.html")
        clockless.until(lambda: any("frame-ancestors" in fault for fault in faults))


def test_the_settings_of_the_page_are_those_of_play():
    every = {name: choices[-1] for name, choices in requests.CHOICES.items() if name not in ("rule", "readout")}
    assert in_link(rb.play([[0, 0], [1, 1]], [0, 1], **every))["s"] == every
