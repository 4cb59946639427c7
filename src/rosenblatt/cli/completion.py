"""A script that completes commands, options and their values in a shell.

For zsh: rosenblatt completion zsh >> ~/.zshrc; for fish: rosenblatt completion fish > a file in its completions folder.
"""

from __future__ import annotations

import argparse

EXAMPLE = "rosenblatt completion bash >> ~/.bashrc"

_BASH = """_rosenblatt() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" files=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands} --help --version"
    else
        case "${{COMP_WORDS[1]}} $before" in
{values}
            *)
                files=yes
                case "${{COMP_WORDS[1]}}" in
{options}
                esac ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [ "$files" ] && [ "${{current#-}}" = "$current" ]; then
        local IFS=$'\n'
        COMPREPLY+=($(compgen -f -- "$current"))
    fi
}}
complete -o filenames -F _rosenblatt rosenblatt
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


def run(arguments: argparse.Namespace) -> None:
    """Do it."""
    from . import parser

    found = next(action.choices for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    if arguments.shell == "fish":
        print(_fish(found), end="")
        return
    values, options = [], []
    for name, own in found.items():
        spelled = []
        for action in own._actions:
            spelled += action.option_strings
            if action.choices:
                given = " ".join(map(str, action.choices))
                for option in action.option_strings or [name]:
                    values.append(f'            "{name} {option}") words="{given}" ;;')
        options.append(f'                    {name}) words="{" ".join(spelled)}" ;;')
    script = _BASH.format(commands=" ".join(found), values="\n".join(values), options="\n".join(options))
    print(("autoload -U +X bashcompinit && bashcompinit\n" if arguments.shell == "zsh" else "") + script, end="")


def _fish(commands: dict[str, argparse.ArgumentParser]) -> str:
    lines = [f"complete -c rosenblatt -n __fish_use_subcommand -a {name}" for name in commands]
    for name, own in commands.items():
        for action in own._actions:
            for option in action.option_strings:
                kind = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
                takes = f" -xa '{' '.join(map(str, action.choices))}'" if action.choices else ""
                lines.append(f"complete -c rosenblatt -n '__fish_seen_subcommand_from {name}' {kind}{takes}")
    return "\n".join(lines) + "\n"
