// Predict, then reveal: before each step the page asks what it will do. Crosses, bounds and the trace wait until then.

import { arrow } from "./arrows.js";
import { $, el, svg } from "./dom.js";
import { className } from "./state.js";

export class Predict {
  on = false;
  asking = false;
  seen = -1;  // the step after which was asked, or that was revealed
  right = 0;
  asked = 0;
  row = 0;  // right answers in a row

  constructor(page) {
    this.page = page;
    this.question = el("p", { id: "question", "aria-live": "polite" });
    this.answers = el("div", { class: "answers", role: "group", "aria-label": "Answers" });
    this.score = el("span", { id: "score" });
    this.bound = el("button", { id: "reveal-bound", type: "button", "aria-pressed": "false", click: () => this.reveal() }, "Show γ and the bound");
    this.panel = el("section", { id: "predicting", class: "predicting", "aria-label": "Predict", hidden: true }, this.question,
      el("div", { class: "below" }, this.answers, this.score, this.bound));
    const wide = matchMedia("(min-width: 900px)"), place = () => wide.matches ? document.querySelector(".beside").prepend(this.panel) : $("frame").after(this.panel);
    wide.addEventListener("change", place);
    place();
    $("next").addEventListener("click", event => {
      if (!this.on) return;
      event.stopImmediatePropagation();
      this.step();
    }, { capture: true });
  }

  turn(on) {
    if (on === this.on) return;
    Object.assign(this, { on, seen: -1, right: 0, asked: 0, row: 0 });
    document.body.classList.toggle("predict", on);
    document.body.classList.remove("bound-shown");
    this.bound.setAttribute("aria-pressed", "false");
    $("predict").setAttribute("aria-pressed", String(on));
    this.panel.hidden = !on;
    this.page.pause();
    if (on && this.page.run && this.page.state.step === this.page.run.steps.length) this.page.go(0);
    else this.page.render();
  }

  reveal() {
    const shown = document.body.classList.toggle("bound-shown");
    this.bound.setAttribute("aria-pressed", String(shown));
  }

  /** The step that is asked about. */
  get coming() {
    return this.page.run?.steps[this.page.state.step];
  }

  /** Whether w is one arrow in the plane, so that there is a way to go. */
  get inPlane() {
    const { page } = this;
    return page.is2d && page.run?.form === "binary" && !page.run.kernel;
  }

  get choices() {
    if (this.page.run.form === "binary" && !this.page.run.kernel)
      return [["stays", "right: w stays"], ["plus", "a mistake: w + x"], ["minus", "a mistake: w − x"]];
    return [["stays", "right: nothing changes"], ["moves", this.page.run.kernel ? "a mistake: its α changes" : "a mistake: weights move"]];
  }

  truth(step) {
    if (!step.moved) return "stays";
    return this.choices.length === 2 ? "moves" : step.coef[0] > 0 ? "plus" : "minus";
  }

  answer(choice) {
    const step = this.coming, truth = this.truth(step), good = choice === truth;
    this.asked += 1;
    this.right += good;
    this.row = good ? this.row + 1 : 0;
    this.told = [good ? "Right." : "No.", `${sentence(step, "right?")}${this.choices.find(([key]) => key === truth)[1].replace(/^.*: /, ", so ")}.`, good];
    this.uncover();
  }

  /** Show the step. */
  uncover() {
    this.asking = false;
    this.seen = this.page.state.step + 1;
    this.page.go(this.seen);
    this.answers.querySelector("button")?.focus();
  }

  /** The next question, or the answer to this one. */
  step() {
    if (!this.coming) return;
    if (this.asking) {
      this.told = ["So it is:", `${sentence(this.coming, "right?")}.`, null];
      this.uncover();
    } else {
      this.asking = true;
      this.page.render();
      this.answers.querySelector("button")?.focus();
    }
  }

  // ---- showing ---------------------------------------------------------------------------------------------------------

  show() {
    const { run, state, question } = this.page, at = state.step;
    document.body.classList.toggle("asking", this.on && this.asking && Boolean(run));
    if (!this.on || !run) return;
    if (at !== this.seen) Object.assign(this, { asking: true, seen: at });  // moved there by other means
    const step = this.coming, now = JSON.stringify([this.asking, at, this.asked, Boolean(step), run.title]);
    document.body.classList.toggle("asking", this.asking && Boolean(step));
    this.score.textContent = this.asked ? `${this.right} of ${this.asked} right${this.row > 2 ? `, ${this.row} in a row` : ""}` : "";
    if (now === this.shown && run === this.of) return;
    [this.shown, this.of] = [now, run];
    if (this.asking && step) {
      const name = className(question, question.labels[step.row]);
      this.question.className = "";
      this.question.textContent = `Next is row ${step.row}${this.page.is2d ? ", ringed" : ""}, of class ${name}. What will the step do?`;
      this.answers.replaceChildren(...this.choices.map(([key, text], i) =>
        el("button", { type: "button", "data-choice": key, click: () => this.answer(key) }, el("kbd", {}, String(i + 1)), ` ${text}`)));
    } else {
      const [word, why, good] = this.told ?? ["", "", null];
      this.question.className = good == null ? "" : good ? "good" : "bad";
      this.question.replaceChildren(...(this.asking ? ["The run has ended: step back, or to the start, to be asked again."]
        : [el("strong", {}, word), ` ${why}`]));
      this.answers.replaceChildren(...(step ? [el("button", { type: "button", id: "ask-on", class: "strong", click: () => this.step() }, "Next question")] : []));
    }
  }

  /** The scene less what would give the answer away. */
  scene(scene) {
    if (!this.on || !this.asking || !this.coming || !scene || scene.proof) return scene;
    const asked = { ...scene, current: this.coming.row, wrong: null };
    if (scene.update) asked.update = null;
    return asked;
  }

  /** w, and the two ways that it may go, as arrows to choose from. */
  drawn() {
    const { plane, run, state, question } = this.page;
    if (!this.on || !this.asking || !this.coming || !this.inPlane || this.page.proofShown) return;
    const w = run.moments[state.step ? run.steps[state.step - 1].after : 0].vectors[0].slice(0, 2), x = question.points[this.coming.row];
    const tips = { plus: w.map((v, j) => v + x[j]), minus: w.map((v, j) => v - x[j]) };
    const [ox, oy] = [plane.x(0), plane.y(0)], edge = 40;
    const room = (from, size, step) => step > 0 ? (size - edge - from) / step : step < 0 ? (edge - from) / step : Infinity;
    const unit = Math.max(6, Math.min(plane.unit, ...[w, ...Object.values(tips)].flatMap(([a, b]) => [room(ox, plane.width, a), room(oy, plane.height, -b)])));
    const at = ([a, b]) => [ox + a * unit, oy - b * unit], group = svg("g", { class: "guess" });
    if (w.some(v => v !== 0)) group.append(...arrow(at([0, 0]), at(w), "weights"));
    for (const [key, tip] of Object.entries(tips)) {
      const [px, py] = at(tip), number = this.choices.findIndex(([choice]) => choice === key) + 1;
      if (!x.some(v => v !== 0)) break;
      const chosen = svg("g", { class: "choice", "data-choice": key, pointerdown: event => { event.stopPropagation(); this.answer(key); } },
        ...arrow(at(w), [px, py], "ghost"), svg("circle", { cx: px, cy: py, r: 15 }), svg("text", { x: px, y: py + 5, "text-anchor": "middle" }, String(number)));
      group.append(chosen);
    }
    plane.picture.append(group);
  }

  key(event) {
    if (!this.on || !this.page.run || event.ctrlKey || event.metaKey || event.altKey || !this.page.keys.on) return false;
    const choice = this.asking && this.coming ? this.choices[Number(event.key) - 1] : null;
    if (choice) this.answer(choice[0]);
    else if (event.key === "n" && this.coming) this.step();
    else return false;
    event.preventDefault();
    return true;
  }
}

/** One of the formulas of a step, as text. */
const sentence = (step, heading) =>
  step.formulas.find(([name]) => name === heading)[1].map(part => Array.isArray(part) ? part[0] : part).join("");
