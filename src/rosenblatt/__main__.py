"""``python -m rosenblatt`` is the command ``rosenblatt``."""

from .cli import run

if __name__ == "__main__":
    run()
