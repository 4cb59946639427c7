"""Results are those that were recorded, to the bit: what changes one is a change of the specification."""

import json

import recording


def test_every_result_is_the_one_recorded():
    recorded, now = json.loads(recording.FILE.read_text()), recording.records()
    changed = sorted(name for name in recorded | now if recorded.get(name) != now.get(name))
    assert changed == [], "if that is meant, run tests/recording.py, and say so in CHANGELOG.md"
