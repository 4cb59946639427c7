// The numbers: this step in formulas, what holds so far, the two bounds closing in, and the answer of the certificate.

import { $, bound, el, equals, number, several, svg, vector } from "./dom.js";
import { symbol, walk } from "./glossary.js";

/** Replace what a group shows, and keep the symbol that has the focus. */
function refill(group, ...children) {
  const at = [...group.querySelectorAll(".symbol")].indexOf(document.activeElement);
  group.replaceChildren(...children);
  walk(group);
  if (at >= 0) group.querySelectorAll(".symbol")[at]?.focus();
}

/** Nothing to tell. */
export function clear() {
  $("now-title").textContent = "This step";
  for (const id of ["formulas", "numbers", "chart", "verdict", "answer"]) $(id).replaceChildren();
}

const pair = (heading, ...content) => el("div", {}, el("dt", {}, heading), el("dd", {}, ...content));

/** The formulas of a step; before the first, what will happen. */
export function formulas(step) {
  $("now-title").textContent = step ? `Step ${step.step}` : "This step";
  if (!step) {
    refill($("formulas"), el("p", { class: "quiet" },
      "At the start all weights are zero. A step shows one example to the learner: the score, whether that is right, and what changes."));
    return;
  }
  refill($("formulas"), ...step.formulas.map(([heading, parts]) =>
    pair(heading, ...parts.map(part => Array.isArray(part) ? symbol(...part) : part))));
}

/** What a verdict says, of the weights that it is about. */
function meaning(run, proof, settings) {
  if (run.verdict === "separated") return `every point is right${settings.readout === "last" ? "" : " with the last weights"}`;
  if (run.verdict === "stopped") return `after ${several(run.passes, "pass", "passes")}, `
    + ({ true: "though a separator exists", false: "as no separator exists" }[proof?.separable] ?? "undecided");
  return run.certificate || proof?.separable === false ? "no separator exists" : `none above 0.0001·${run.form === "multiclass" ? "√2·" : ""}R can exist`;
}

/** Mistakes, bounds and the verdict, as they stand after a step. */
export function soFar(run, at, proof, settings, model) {
  const step = at ? run.steps[at - 1] : null, ended = at === run.steps.length;
  const word = run.verdict;
  $("verdict").replaceChildren(el("strong", { class: ended ? `verdict ${word.replace(" ", "-")}` : "verdict" },
    ended ? word : at ? `pass ${step.pass}` : "not begun"), ` ${ended ? meaning(run, proof, settings) : at ? "goes on" : ""}`);
  const moment = run.moments[step?.after ?? 0], n = run.codes.length;
  const lower = lowerSoFar(run, at), upper = step?.upper ?? null;
  const mistakes = step?.mistakes ?? 0, most = boundParts(run, proof), exact = run.fractions && at ? run.fractions.steps[at - 1] : null;
  const entries = [
    pair("mistakes", symbol("M"), ` = ${mistakes}`, most ? ` ≤ ${bound(proof.bound, 1, 4)}` : ""),
    most && pair("bound", ...most),
    pair("right now", symbol("right", `${moment.right.length} of ${several(n, "point")}`)),
    model && settings.readout !== "last" && pair(settings.readout, symbol("model", `${model.right.length} of ${several(n, "point")}`),
      ...(model.vectors?.length === 1 && !run.kernel ? [" right with ", symbol("w̄"), ` = ${model.fractions?.[0] ?? vector(model.vectors[0].slice(0, -1))}`,
        ...(settings.bias ? [",  ", symbol("b"), ` = ${model.fractions?.[1] ?? number(model.vectors[0].at(-1))}`] : [])] : [" right"])),
    pair("length", symbol("‖w‖"), ` ${exact?.norm ?? equals(step?.norm ?? 0)},  `, symbol("R"), ` ${run.fractions?.R ?? equals(run.R)}`),
    pair("best margin", ...(lower == null ? [] : [symbol("γ≥", exact?.lower ?? bound(lower, -1)), " ≤ "]), symbol("γ"),
      ...(upper == null ? [": nothing is known yet"] : [" ≤ ", symbol("γ≤", exact?.upper ?? bound(upper, 1))])),
    pair("numbers", run.arithmetic),
  ];
  if (proof?.separable && proof.margin_augmented != null)
    entries.push(pair("in truth", symbol("γ"), ` ${proof.fractions?.margin ?? proof.margin_text}`));
  refill($("numbers"), ...entries.filter(Boolean));
  chart(run, at, proof);
}

/** (R/γ)² beside the mistakes, where that theorem speaks of the rule. */
function boundParts(run, proof) {
  if (!proof?.separable || proof.bound == null || !run.novikoff) return null;
  const two = run.form === "multiclass" ? "2·" : "";
  if (proof.fractions) return [two, symbol("(R/γ)²"), ` ${proof.fractions.bound}`];
  return [two, symbol("(R/γ)²"), ` ≈ ${two}(${number(proof.R, 4)}/${number(proof.margin_augmented, 4)})² ≈ ${number(proof.bound, 4)}`];
}

export function lowerSoFar(run, at) {
  let best = null;
  const last = at ? run.steps[at - 1].after : 0;
  for (let m = 0; m <= last; m++) {
    const { lower } = run.moments[m];
    if (lower > 0 && (best == null || lower > best)) best = lower;
  }
  return best;
}

/** The two bounds on the best margin over the updates. */
function chart(run, now, proof) {
  const moves = run.steps.filter((step, i) => step.after !== (i ? run.steps[i - 1].after : 0));
  const known = moves.filter(step => step.upper != null);
  const figure = $("chart");
  if (known.length < 2) {
    figure.replaceChildren();
    return;
  }
  const [width, height, left, bottom] = [310, 150, 40, 24];
  const truth = proof?.separable ? proof.margin_augmented : null;
  const top = Math.max(...known.map(step => step.upper), truth ?? 0) * 1.05;
  const x = k => left + k / (moves.length - 1) * (width - left - 8), y = v => 8 + (1 - v / top) * (height - 8 - bottom);
  const done = moves.filter(step => step.step <= now).length;
  let lower = null;
  const lowers = moves.map(step => {
    const shown = run.moments[step.after].lower;
    return lower = shown > 0 ? Math.max(lower, shown) : lower;
  });
  const at = (k, v) => `${x(k).toFixed(1)} ${y(v).toFixed(1)}`;
  const path = (values, until) => values.slice(0, until).map((v, k) => v == null ? "" :
    values[k - 1] != null ? `L${at(k, v)}` : k ? `M${at(k, 0)}L${at(k, v)}` : `M${at(k, v)}`).join("");
  const upper = moves.map(step => step.upper);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Bounds on the best margin over ${moves.length} updates: from above ${number(upper[Math.max(0, done - 1)])}, `
      + `from below ${number(lowers[Math.max(0, done - 1)])}` },
    svg("line", { x1: left, x2: width - 8, y1: y(0), y2: y(0), class: "zero" }),
    svg("line", { x1: left, x2: left, y1: 8, y2: y(0), class: "zero" }),
    svg("text", { x: left - 6, y: y(0) + 5, "text-anchor": "end" }, "0"),
    svg("text", { x: left - 6, y: 18, "text-anchor": "end" }, number(top / 1.05, 2)),
    svg("text", { x: width - 8, y: height - 4, "text-anchor": "end" }, `${moves.length} updates`),
    svg("path", { d: path(upper, upper.length), class: "faint" }),
    svg("path", { d: path(upper, done), class: "upper" }),
    svg("path", { d: path(lowers, done), class: "lower" }),
    truth != null && svg("line", { x1: left, x2: width - 8, y1: y(truth), y2: y(truth), class: "truth" }),
    truth != null && svg("text", { x: (left + width) / 2, y: y(truth) + (y(0) - y(truth) > 16 ? 14 : -6) }, `γ ${equals(truth, 4)}`),
    done > 0 && svg("circle", { cx: x(done - 1), cy: y(upper[done - 1]), r: 4, class: "upper" }));
  figure.replaceChildren(picture, el("figcaption", {},
    el("span", { class: "key upper" }), "γ ≤ ‖w‖/Σ τ  ", el("span", { class: "key lower" }), "γ ≥ margin met"));
}

/** The answer to "is it separable?", in words. */
export function answer(proof, shown) {
  $("separable").setAttribute("aria-pressed", String(shown));
  if (!shown || !proof) {
    $("answer").replaceChildren();
    return;
  }
  const [first, ...rest] = proof.text.split("\n");
  $("answer").replaceChildren(...[
    el("p", {}, el("strong", {}, { true: "Yes. ", false: "No. " }[proof.separable] ?? ""), first + "."),
    proof.lambda && !proof.meeting && el("p", {}, "Drawn: weights ", symbol("λ"), " under which the points cancel in the space of the kernel."),
    proof.vectors && el("p", {}, "Drawn: the separator of the widest band, and the points that hold it open (ringed)."),
    proof.meeting && el("p", {}, "Drawn: weights ", symbol("λ"), ` of a few points. The weighted ${proof.bias ? "mean" : "sum"} of `
      + (proof.several ? "what each class gains and that of what it loses" : "one class and that of the other")
      + " are the same place, so no separator can tell them apart: ", equation(proof)),
    ...rest.map(line => el("p", { class: "quiet" }, line.trim())),
  ].filter(Boolean));
  walk($("answer"));
}

const equation = ({ meeting, exact }) =>
  meeting.map(({ plus, minus }) => `${vector(plus.map(tidy))} ${exact ? "=" : "≈"} ${vector(minus.map(tidy))}`).join(",  ") + ".";
const tidy = v => Math.round(v * 1e6) / 1e6;
