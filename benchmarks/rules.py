"""Held-out accuracy of every rule on the five data sets of ``accuracy.py`` after 1 and 5 passes, last and averaged.

``python benchmarks/rules.py`` measures (some minutes) into ``benchmarks/rules.json`` and writes the table of
``docs/reference/rules.md``; ``--write`` only writes it. Rules have their defaults and seed 0; nothing is tuned.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from accuracy import DATA
from harness import Missing

import rosenblatt as rb
from rosenblatt import rules

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "rules.json", HERE.parent / "docs" / "reference" / "rules.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
PASSES = (1, 5)
#: One of each rule; what has a parameter for each class is left out.
RULES: dict[str, rules.Rule] = {
    "Perceptron": rules.Perceptron(), "PA": rules.PA(), "PA-I": rules.PA1(), "PA-II": rules.PA2(), "MIRA": rules.MIRA(),
    "NormMIRA": rules.NormMIRA(), "Second-order perceptron": rules.SecondOrderPerceptron(), "CW": rules.CW(),
    "AROW": rules.AROW(), "AROW, r = 0.1": rules.AROW(r=0.1), "AROW, covariance": rules.AROW(variant="covariance"),
    "SCW-I": rules.SCW(), "SCW-II": rules.SCW(variant="II"), "NHERD": rules.NHERD(),
}  # fmt: skip


def measured(data: str) -> list[dict[str, Any]]:
    """One record for each rule and number of passes: online mistakes of the first pass, accuracy of both readouts."""
    what, load = DATA[data]
    X, y, X_test, y_test = load()
    records = []
    for name, rule in RULES.items():
        for passes in PASSES:
            model = rb.OnlineClassifier(rule=rule, readout="averaged", max_iter=passes, random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X, y)
            right = {
                readout: float(np.mean(model.with_readout(readout).predict(X_test) == y_test))
                for readout in ("last", "averaged")
            }
            record = {"data": data, "what": what, "rule": name, "passes": passes, "n": len(y_test), **right}
            records.append(record | {"online": float(model.mistakes_[0]) / len(y)})
            print(f"{data}  {name}  {passes}: last {right['last']:.2%}, averaged {right['averaged']:.2%}", flush=True)
    return records


def page(records: list[dict[str, Any]]) -> str:
    """The tables of the page."""
    lines = [
        "Test accuracy in per cent, the last weights / their average, every rule with its default parameters, seed 0; "
        "one run each, so that",
        "differences below the standard error (at the foot) say nothing. `python benchmarks/rules.py` measures it.", "",
    ]  # fmt: skip
    sets = [data for data in DATA if any(record["data"] == data for record in records)]
    names = list(dict.fromkeys(record["rule"] for record in records))
    by = {(record["data"], record["rule"], record["passes"]): record for record in records}
    for passes in PASSES:
        lines += [f"After {passes} pass{'es' if passes > 1 else ''}:", ""]
        lines += [f"| rule | {' | '.join(sets)} |", "|---|" + "---|" * len(sets)]
        best = {
            data: max(max(by[data, name, passes][kind] for kind in ("last", "averaged")) for name in names)
            for data in sets
        }
        for name in names:
            cells = []
            for data in sets:
                pair = [by[data, name, passes][kind] for kind in ("last", "averaged")]
                cells.append(
                    " / ".join(f"**{v:.1%}**" if v == best[data] else f"{v:.1%}" for v in pair).replace("%", "")
                )
            lines.append(f"| {name} | {' | '.join(cells)} |")
        lines.append("")
    errors = []
    for data in sets:
        own = [record for record in records if record["data"] == data]
        p, n = max(record["averaged"] for record in own), own[0]["n"]
        errors.append(f"{data} ± {100 * (p * (1 - p) / n) ** 0.5:.2f} ({n:,} rows; {own[0]['what']})")
    return "\n".join([*lines, "Standard errors: " + "; ".join(errors) + ".", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page from what was measured before")
    parser.add_argument(
        "--data", nargs="*", default=list(DATA), help="some of the data sets; the others stay as they were"
    )
    arguments = parser.parse_args()
    records = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    for data in [] if arguments.write else arguments.data:
        try:
            new = measured(data)
        except Missing as reason:
            print(f"{data}: {reason}")
            continue
        records = [record for record in records if record["data"] != data] + new
        RESULTS.write_text(json.dumps(records, indent=1) + "\n")
    text = PAGE.read_text(encoding="utf-8")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:start] + "\n" + page(records) + text[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
