// Points drawn at random by a few numbers, and the error on others that are held out.

import { ask, Refused } from "./api.js";
import { $, el, several } from "./dom.js";
import { GENERATED } from "./rules.js";

/** Steps whose error is asked for at once. */
const AT_ONCE = 24;
const FIELDS = [
  { name: "n", label: "Points", step: 2 },
  { name: "margin", label: "Margin", title: "No point is nearer to the line than this, before noise", step: 0.05 },
  { name: "noise", label: "Noise", title: "By how much points are then moved: the standard deviation", step: 0.05 },
  { name: "flipped", label: "Flipped", title: "The share of labels that are then turned round", step: 0.05 },
  { name: "seed", label: "Seed", title: "Equal seeds make equal points", step: 1 },
];
export const USUAL = { n: 40, margin: 0.2, noise: 0, flipped: 0, seed: 0 };

export class Generated {
  on = false;
  errors = { of: null, known: new Map() };

  constructor(page) {
    this.page = page;
    this.inputs = FIELDS.map(({ name, label, title, step }) => {
      const [min, max] = GENERATED[name];
      const input = el("input", { type: "number", id: `generate-${name}`, step, min, max, change: () => this.draw() });
      return [name, input, el("label", { title }, el("span", {}, label), input)];
    });
    this.wrong = el("p", { role: "alert", class: "wrong" });
    this.panel = el("form", { id: "generator", "aria-label": "Generated points", hidden: true, submit: event => { event.preventDefault(); this.draw(); } },
      ...this.inputs.map(([, , holder]) => holder),
      el("button", { type: "button", id: "another", click: () => this.another() }, "Another seed"),
      el("p", { class: "quiet" }, "A line through a disc, points on both sides; 200 others, drawn in the same way, are held out."), this.wrong);
    $("settings").after(this.panel);
    this.told = el("p", { id: "held-out", hidden: true });
    $("numbers").after(this.told);
  }

  turn(on) {
    if (on === this.on) return;
    this.on = on;
    this.panel.hidden = !on;
    $("generate").setAttribute("aria-pressed", String(on));
    if (!on) return;
    this.fill(this.page.state.generate ?? USUAL);
    if (!this.page.state.generate) this.draw();
    this.inputs[0][1].focus();
  }

  fill(values) {
    for (const [name, input] of this.inputs) if (document.activeElement !== input) input.value = values[name];
  }

  another() {
    const [, seed] = this.inputs.at(-1);
    seed.value = Number(seed.value) + 1;
    this.draw();
  }

  async draw() {
    this.drawing = true;
    const generate = Object.fromEntries(this.inputs.map(([name, input]) => [name, input.value === "" ? null : Number(input.value)]));
    try {
      const points = await ask("points", { generate });
      if (!points) return;
      this.wrong.textContent = "";
      this.page.take(points);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.wrong.textContent = error.message;
    } finally {
      this.drawing = false;
    }
  }

  // ---- held-out points -----------------------------------------------------------------------------------------------

  show() {
    const { run, question, state: { generate, step } } = this.page;
    if (this.on && generate) this.fill(generate);
    else if (this.on && run && !this.drawing && !this.wrong.textContent) this.turn(false);  // other points were chosen
    const asked = run && generate && question.points[0].length === 2 && run.form === "binary" ? run : null;
    if (this.errors.of !== asked) this.errors = { of: asked, known: new Map() };
    const error = this.errors.known.get(step);
    this.told.hidden = !asked;
    if (!asked) return;
    if (!error) this.load(step);
    else {
      const { readout } = question.settings, of = several(error.of, "held-out point");
      this.told.textContent = readout === "last" ? `Of ${of} ${error.model} are wrong.`
        : `Of ${of} ${error.model} are wrong with the ${readout} model, ${error.last} with the last weights.`;
    }
  }

  async load(step) {
    const { errors } = this, { run, state: { generate } } = this.page, at = [];
    if (errors.loading || errors.refused) return;
    for (let k = step; k <= run.steps.length && at.length < AT_ONCE; k++) if (!errors.known.has(k)) at.push(k);
    errors.loading = true;
    try {
      const told = await ask("held", { ...this.page.question, generate, at });
      told?.at.forEach((k, i) => errors.known.set(k, { of: told.of, model: told.model[i], last: told.last[i] }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      errors.refused = true;
    }
    errors.loading = false;
    if (errors === this.errors && !errors.refused) this.show();
  }
}
