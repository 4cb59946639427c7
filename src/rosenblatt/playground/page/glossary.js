// Every symbol explained: on hover, on focus, and with the arrow keys from one to the next.

import { $, el } from "./dom.js";

export const SYMBOLS = {
  x: "x: the example, a point as a vector of numbers, one for each feature.",
  y: "y: the class of the example as a sign: +1 or −1.",
  w: "w: the weights, one for each feature. The arrow w stands at a right angle to the boundary and points to the side of +1.",
  b: "b: the bias, the weight of a feature that is always 1. It moves the boundary off the origin.",
  s: "s: the score of the example, w·x + b. Above 0 it says +1, else −1; the boundary is where it is 0.",
  η: "η (eta): the learning rate, how far a mistake moves the weights. From zero weights it only changes their length.",
  τ: "τ (tau): how far this step moves the weights along y·x.",
  ℓ: "ℓ: the hinge loss, 1 − y·s where that is positive: how much the score falls short of a margin of 1.",
  C: "C: the largest step that one example may cause (PA-I), or how aggressive it is (PA-II).",
  v: "v: xᵀΣx, how uncertain the score of the example is: large while its features are little known.",
  Σ: "Σ: the variance of each weight, how unsure the rule still is of it. It begins at 1 (a: at 1/a) and falls with each step; the ellipse around w shows it.",
  r: "r: the larger, the smaller the steps of AROW, and the slower it becomes sure.",
  φ: "φ (phi): Φ⁻¹(η), how many standard deviations of its score an example is to be right by.",
  m: "m: the margin of the example, y·s, or how far its class leads the best wrong one.",
  c: "c: what a step adds to 1/Σ of each weight, times x².",
  β: "β (beta): how much smaller Σ becomes along x.",
  u: "u: the variance of the score after the step.",
  n: "n: v + 1/(2C).",
  A: "A: a·I + Σ x xᵀ over the mistakes so far; 1/A are the variances.",
  α: "α: the coefficient of each example. In the space of a kernel the weights are the sum of all α·φ(x).",
  K: "K: the kernel, the inner product of two examples in its space. The 1 of a bias is included.",
  "‖x‖²": "‖x‖²: the squared length of the example, the 1 of the bias included.",
  "‖w‖": "‖w‖: the length of the weights, the bias included.",
  M: "M: mistakes so far.",
  U: "Updates so far: steps that moved the weights.",
  R: "R: the length of the longest example, the 1 of the bias included. The larger, the more mistakes are possible.",
  γ: "γ (gamma): the margin, how far the nearest point lies from the boundary; here the best possible one, of the vectors (x, 1).",
  "(R/γ)²": "(R/γ)²: Novikoff's bound. However the points are ordered, a perceptron from zero makes at most so many mistakes.",
  "γ≤": "At most this: u·w grows by γ·τ with each update, so no separator has a margin above ‖w‖/Σ τ.",
  "γ≥": "At least this: the weights met so far that were right on all points show a margin, so the best one is no smaller.",
  "Σ τ": "Σ τ: all steps so far, added up.",
  λ: "λ (lambda): weights of the examples, none negative, under which they cancel: then no separator can exist.",
  "w̄": "The weights of the model: the mean of the weights after each example (averaged), or the best kept so far (pocket).",
  model: "How many points the model gets right: what the readout makes of all the weights met so far.",
  right: "How many points the weights of this moment get right.",
};

const tip = $("tip");

/** A symbol that explains itself. */
export function symbol(name, text = name, now = "") {
  return el("button", { type: "button", class: "symbol", tabindex: -1, "data-symbol": name, "data-now": now,
    pointerenter: show, pointerleave: hide, focus: show, blur: hide, click: show }, text);
}

function show(event) {
  const from = event.currentTarget;
  tip.textContent = SYMBOLS[from.dataset.symbol] + (from.dataset.now ? ` Now ${from.dataset.now}.` : "");
  tip.hidden = false;
  from.setAttribute("aria-describedby", "tip");
  const box = from.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(innerWidth - own.width - 8, box.left));
  const below = box.bottom + 6 + own.height < innerHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${below ? box.bottom + 6 : box.top - own.height - 6}px`;
}

function hide(event) {
  if (event.type === "pointerleave" && document.activeElement === event.currentTarget) return;
  tip.hidden = true;
  event.currentTarget.removeAttribute("aria-describedby");
}

/** One stop for the tab key; from there arrow keys go from symbol to symbol. */
export function walk(group) {
  const symbols = [...group.querySelectorAll(".symbol")];
  symbols.forEach((each, i) => { each.tabIndex = i ? -1 : 0; });
}

export function walks(group) {
  group.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const symbols = [...group.querySelectorAll(".symbol")], at = symbols.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const to = symbols[(at + step + symbols.length) % symbols.length];
    symbols.forEach(each => { each.tabIndex = each === to ? 0 : -1; });
    to.focus();
  });
}

document.addEventListener("keydown", event => {
  if (event.key === "Escape") tip.hidden = true;
});
