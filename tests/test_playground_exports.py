"""What can be taken along from the page: the picture, the film and the program, each a file that stands alone."""

import base64
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest
from browsing import needed
from PIL import Image
from test_playground_browser import address, browser, choose, library, load, open_page, pages, state, usual_page

__all__ = ["address", "browser", "open_page", "pages", "usual_page"]  # fixtures

needed()


def saved(page, kind, folder):
    """A file that the page makes."""
    with page.expect_download() as download:
        page.click(f"#save-{kind}")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture(open_page, tmp_path, scheme):
    page = open_page(color_scheme=scheme, width=920, height=600)
    load(page, "three classes")
    for _ in range(3):
        page.keyboard.press("n")
    page.click("#export")
    text = saved(page, "svg", tmp_path).read_text(encoding="utf-8")
    root = xml.etree.ElementTree.fromstring(text)
    assert not re.search(r"var\(|class=|<style|https?://(?!www\.w3\.org/)", text)  # it needs no sheet and no other file
    shapes = [each.tag.rpartition("}")[2] for each in root.iter()]
    assert shapes.count("image") == 1  # the regions
    assert {"rect", "circle", "path", "line", "text"} <= set(shapes)
    assert "new w of C" in "".join(root.itertext())
    with Image.open(saved(page, "png", tmp_path)) as picture:
        assert picture.size == (2 * round(float(root.get("width"))), 2 * round(float(root.get("height"))))
        dark = np.asarray(picture.convert("L")).mean() < 128
    assert dark == (scheme == "dark")


@pytest.mark.parametrize(("name", "space"), [("xor", "rbf"), ("phrases, words", "linear")])
def test_the_film(open_page, tmp_path, name, space):
    page = open_page(width=1120, height=780)
    load(page, name)
    choose(page, "space", space)
    page.keyboard.press("n")
    run = library(page)
    page.click("#export")
    with Image.open(saved(page, "gif", tmp_path)) as film:
        assert film.n_frames == len(run) + 1
        assert film.info["loop"] == 0
        frames = []
        for at in range(film.n_frames):
            film.seek(at)
            frames.append(np.asarray(film.convert("RGB")))
    assert len({frame.tobytes() for frame in frames}) == len(frames)
    assert state(page)["step"] == 1
    made, expected = map(record, (saved(page, "html", tmp_path).read_text(encoding="utf-8"), run.animate().to_html()))
    assert made["frames"] == expected["frames"]
    assert [state["wrong"] for state in made["states"]] == [state["wrong"] for state in expected["states"]]
    assert {name: made[name] for name in ("title", "points", "low", "high")} == {
        name: expected[name] for name in ("title", "points", "low", "high")
    }


def record(text):
    """The record of a film, out of its page."""
    return json.loads(re.search(r'<script type="application/json" id="record">(.*?)</script>', text, re.DOTALL)[1])


def test_a_film_is_read_as_it_was_written(open_page):
    page = open_page()
    rng = np.random.default_rng(3)  # noise, of which the table of codes is full again and again
    pixels = rng.choice(
        np.array([[r, g, b] for r in (0, 128, 252) for g in (0, 64, 252) for b in (4, 200)]), (2, 90, 120)
    )
    data = page.evaluate(
        """async ([pixels, height, width]) => {
            const { gif } = await import("/gif.js"), frames = pixels.map(values => {
                const frame = new ImageData(width, height);
                values.forEach((v, i) => { frame.data[i + Math.floor(i / 3)] = v; });
                for (let p = 3; p < frame.data.length; p += 4) frame.data[p] = 255;
                return frame;
            });
            const bytes = new Uint8Array(await gif(frames, [100, 250]).arrayBuffer());
            return btoa(String.fromCharCode(...bytes));
        }""",
        [pixels.reshape(2, -1).tolist(), 90, 120],
    )
    with Image.open(io.BytesIO(base64.b64decode(data))) as film:
        assert film.n_frames == 2
        for at, delay in enumerate((100, 250)):
            film.seek(at)
            assert film.info["duration"] == delay
            assert np.array_equal(np.asarray(film.convert("RGB")), pixels[at])


def test_the_program_needs_rosenblatt_and_numpy_alone(open_page, tmp_path):
    page = open_page()
    load(page, "phrases, pairs")
    page.click("#export")
    program = saved(page, "py", tmp_path)
    blocked = "import sys\nfor name in ('pandas', 'polars', 'pyarrow', 'matplotlib'): sys.modules[name] = None\n"
    ran = subprocess.run(
        [sys.executable, "-c", blocked + program.read_text(encoding="utf-8")], capture_output=True, encoding="utf-8"
    )
    assert ran.stderr == ""
    assert "separated" in ran.stdout.lower()
    assert "not good" in ran.stdout  # by their names
    assert "pandas" not in program.read_text(encoding="utf-8")
