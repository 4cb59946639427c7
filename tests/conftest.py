"""Settings of the whole test run: the hypothesis profile, and where the real data lie."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "rosenblatt",
    deadline=None,
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("rosenblatt")

#: Signals that tests send, and what they do in a shell: under nohup, or behind a script's &, some are ignored.
SIGNALS = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL, "SIGTERM": signal.SIG_DFL}
for name, handler in SIGNALS.items():
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(getattr(signal, name), handler)


@pytest.fixture(scope="session")
def data_folder():
    """The folder of the real data sets: $ROSENBLATT_DATA, else ../shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ROSENBLATT_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is not a folder; set ROSENBLATT_DATA to where the data sets lie")
    return folder
