// The settings: which there are, when each matters, and why some do not go together.

import { $, el } from "./dom.js";
import { CONTROLS as PARAMETERS, RULES } from "./rules.js";
import { changed, DEFAULTS } from "./state.js";

const ruleOf = settings => RULES.find(rule => rule.name === settings.rule) ?? RULES[0];
const CONTROLS = [
  { name: "rule", label: "Rule", title: "how far to move", options: RULES.map(rule => [rule.name, rule.title]) },
  ...PARAMETERS.map(({ name, label, title, step, low }) =>
    ({ name, label, title, step, min: low, when: s => ruleOf(s).controls.includes(name) })),
  { name: "readout", label: "Readout", title: "which weights are the model", options: [["last", "last"], ["averaged", "averaged"], ["pocket", "pocket"], ["voted", "voted"]] },
  { name: "space", label: "Space", title: "where the weights live", options: [["linear", "linear"], ["rbf", "RBF kernel"], ["poly", "polynomial"],
    ["linear-kernel", "linear kernel"], ["sigmoid", "sigmoid"]] },
  { name: "gamma", label: "γ of K", title: "width of the kernel: the larger, the narrower", step: 0.1, min: 0.0001,
    when: s => ["rbf", "poly", "sigmoid"].includes(s.space) },
  { name: "degree", label: "Degree", when: s => s.space === "poly", step: 1, min: 1, max: 9 },
  { name: "coef0", label: "Constant", title: "added to γ·x·x'", when: s => ["poly", "sigmoid"].includes(s.space), step: 0.5 },
  { name: "bias", label: "Bias", box: true },
  { name: "ties", label: "Score 0", title: "what a score of exactly 0 counts as: a mistake, or what predict says, the first class",
    options: [["mistake", "mistake"], ["predict", "predict"]] },
  { name: "order", label: "Order", options: [["given", "as placed"], ["shuffled", "shuffled"]], when: s => s.rule !== "batch" },
  { name: "seed", label: "Seed", when: s => s.order === "shuffled" && s.rule !== "batch", step: 1, min: 0, max: 999999 },
  { name: "passes", label: "Passes", title: "at most", step: 1, min: 1, max: 200 },
  { name: "exact", label: "Fractions", title: "show exact numbers as fractions", box: true },
];

/** What must give way when a setting is chosen that it does not go with. */
function consistent(settings, name) {
  const s = { ...settings };
  const fractions = ruleOf(s).fractions && !["rbf", "sigmoid"].includes(s.space);
  if (s.exact && !fractions) {
    if (name === "exact") [s.rule, s.space] = ["perceptron", ["rbf", "sigmoid"].includes(s.space) ? "linear" : s.space];
    else s.exact = false;
  }
  if (s.rule === "batch") {
    if (name === "space" || name === "readout") s.rule = "perceptron";
    else [s.space, s.readout] = ["linear", "last"];
  }
  if (s.readout === "voted" && s.space === "linear") {
    if (name === "readout") s.space = "linear-kernel";
    else s.readout = "last";
  }
  return s;
}

export class Controls {
  constructor(changedTo) {
    this.inputs = new Map();
    for (const control of CONTROLS) {
      const { name, label, options, box, title, step, min, max } = control;
      const input = options
        ? el("select", {}, options.map(([value, text]) => el("option", { value }, text)))
        : el("input", box ? { type: "checkbox" } : { type: "number", step: "any", min, max, inputmode: "decimal", "data-step": step });
      input.id = `set-${name}`;
      const holder = el("label", { title, class: box ? "box" : null }, el("span", {}, label), input);
      input.addEventListener("change", () => {
        const value = box ? input.checked : options ? input.value : Number(input.value);
        if (!box && !options && (input.value === "" || !Number.isFinite(value))) return this.show(this.settings);
        const settings = consistent({ ...this.settings, [name]: value }, name);
        this.show(settings);
        changedTo(settings);
      });
      if (step) input.addEventListener("keydown", event => this.nudge(event, input, step));
      this.inputs.set(name, { control, input, holder });
      $("controls").append(holder);
    }
    $("controls").append(el("button", { type: "button", id: "reset", click: () => {
      this.show({ ...DEFAULTS });
      changedTo({ ...DEFAULTS });
    } }, "Reset"));
  }

  nudge(event, input, step) {
    const by = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (!by) return;
    event.preventDefault();
    const low = input.min === "" ? -Infinity : Number(input.min), high = input.max === "" ? Infinity : Number(input.max);
    const to = Math.min(high, Math.max(low, Number(input.value) + by));
    input.value = Number(to.toFixed(6));
    input.dispatchEvent(new Event("change"));
  }

  show(settings) {
    this.settings = settings;
    for (const [name, { control, input, holder }] of this.inputs) {
      if (control.box) input.checked = settings[name];
      else input.value = settings[name];
      holder.hidden = control.when ? !control.when(settings) : false;
    }
    $("reset").disabled = Object.keys(changed(settings)).length === 0;
    const word = name => {
      const { control, input } = this.inputs.get(name);
      return control.options.find(([value]) => value === input.value)[1];
    };
    $("summary").textContent = `${word("rule")}, ${word("readout")}, ${word("space")}`;
  }
}
