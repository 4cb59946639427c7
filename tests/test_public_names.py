"""The public names are those of tests/public_names.txt, so that a change of one shows in review.

``python tests/test_public_names.py`` writes the list anew after a change that is meant.
"""

import argparse
import inspect
import re
import textwrap
from pathlib import Path

import rosenblatt as rb
from rosenblatt import cli

LIST = Path(__file__).with_name("public_names.txt")


def parameters(value):
    return list(inspect.signature(value).parameters)


def members(kind):
    """The methods and properties of a class that this package defines, but for its parameters."""
    for name in sorted(set(dir(kind)) - set(parameters(kind))):
        owner = next((base for base in kind.__mro__ if name in vars(base)), object)
        of_sklearn = re.fullmatch(r"set_\w+_request", name)  # which puts it into our classes
        if not name.startswith("_") and owner.__module__.startswith("rosenblatt") and not of_sklearn:
            yield name


def commands():
    (action,) = (action for action in cli.parser()._actions if isinstance(action, argparse._SubParsersAction))
    for name, parser in sorted(action.choices.items()):
        options = ("/".join(option.option_strings) or option.dest for option in parser._actions)
        yield f"rosenblatt {name}", [option for option in options if option != "-h/--help"]


def public():
    """(owner, names): modules, the parameters of their functions and classes, the methods of our own, commands."""
    modules = {"rosenblatt": rb}
    modules |= {f"rosenblatt.{name}": getattr(rb, name) for name in rb.__all__ if inspect.ismodule(getattr(rb, name))}
    for home, module in modules.items():
        yield home, sorted(module.__all__)
        for name in sorted(module.__all__):
            value = getattr(module, name)
            is_plain = inspect.isclass(value) and not issubclass(value, Exception)
            if inspect.isfunction(value) or (is_plain and not getattr(value, "_is_protocol", False)):
                yield f"{home}.{name}()", parameters(value)
            if is_plain and module is rb:
                yield f"{home}.{name}", members(value)
    yield from commands()


def listing():
    lines = (f"{owner}: {' '.join(names)}".rstrip() for owner, names in public())
    return "".join(textwrap.fill(line, 110, subsequent_indent="    ", break_on_hyphens=False) + "\n" for line in lines)


def test_the_public_names_are_those_of_the_list():
    assert listing().splitlines() == LIST.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    LIST.write_text(listing(), encoding="utf-8")
