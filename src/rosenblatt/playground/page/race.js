// A race: two to four learners on the same points, with one slider. Their mistakes and boundaries are the server's.

import { ask, Refused, request } from "./api.js";
import { $, calm, el, several, svg, throttled } from "./dom.js";
import { Plane } from "./plane.js";
import { RULES } from "./rules.js";

const MOST = 4;
/** Not votes: to count them anew at every place of the plane takes seconds. */
const READOUTS = ["last", "averaged", "pocket"];
const SPACES = [["linear", "linear"], ["poly", "polynomial"], ["rbf", "RBF kernel"]];
/** Places across of a boundary. */
const ACROSS = 32;

export class Race {
  on = false;
  lanes = [{ rule: "perceptron", readout: "last", space: "linear" }, { rule: "perceptron", readout: "averaged", space: "linear" },
    { rule: "pa1", readout: "last", space: "linear" }];
  at = 0;
  told = null;

  constructor(page) {
    this.page = page;
    const canvas = el("canvas"), picture = svg("svg", { role: "img" }), frame = el("div", { class: "plane", id: "race-frame" }, canvas, picture);
    this.slider = el("input", { type: "range", id: "race-slider", min: 0, max: 0, value: 0, "aria-label": "Step of the race",
      input: () => { this.pause(); this.go(Number(this.slider.value)); } });
    this.runs = el("button", { type: "button", class: "strong", id: "race-run", click: () => this.timer ? this.pause() : this.start() }, "Run");
    this.caption = el("p", { id: "race-caption", "aria-live": "polite" });
    this.board = el("div", { id: "lanes" });
    this.more = el("button", { type: "button", id: "add-lane", click: () => { this.lanes.push({ ...this.lanes.at(-1) }); this.listed(); this.ask(); } }, "Add a learner");
    this.chart = el("figure", { id: "race-chart" });
    this.panel = el("section", { id: "race", "aria-label": "Race", hidden: true },
      el("div", { class: "track" }, frame, el("div", { class: "transport" }, this.runs, el("label", { class: "slider" }, this.slider)), this.caption),
      el("div", { class: "side-by-side" }, el("h2", {}, "Race"), this.board, this.more, this.chart));
    $("main").append(this.panel);
    this.plane = new Plane(frame, canvas, picture);
    this.ask = throttled(60, () => this.load());
    new ResizeObserver(throttled(60, () => { if (this.on) this.ask(); })).observe(frame);
    this.listed();
  }

  turn(on) {
    if (on === this.on) return;
    this.on = on;
    this.pause();
    this.page.pause();
    this.panel.hidden = !on;
    document.body.classList.toggle("racing", on);
    $("race-view").setAttribute("aria-pressed", String(on));
    this.asked = null;
    this.at = Number.isFinite(this.page.wanted) ? this.page.wanted : this.page.run?.steps.length ?? 0;
    if (on) this.show();
    else this.page.resized();
  }

  /** The learners, each by its three choices. */
  listed() {
    const choice = (lane, name, options, label) => {
      const select = el("select", { "aria-label": label, change: () => { lane[name] = select.value; this.ask(); } },
        options.map(([value, text]) => el("option", { value }, text)));
      select.value = lane[name];
      return select;
    };
    this.cells = this.lanes.map(() => el("p", { class: "tally" }));
    this.board.replaceChildren(...this.lanes.map((lane, i) => el("div", { class: `lane lane-${i}` }, el("span", { class: "swatch" }),
      choice(lane, "rule", RULES.map(({ name, title }) => [name, title]), `Rule of learner ${i + 1}`),
      choice(lane, "readout", READOUTS.map(name => [name, name]), `Readout of learner ${i + 1}`),
      choice(lane, "space", SPACES, `Space of learner ${i + 1}`),
      el("button", { type: "button", "aria-label": `Without learner ${i + 1}`, disabled: this.lanes.length < 2,
        click: () => { this.lanes.splice(i, 1); this.listed(); this.ask(); } }, "✕"), this.cells[i])));
    this.more.disabled = this.lanes.length === MOST;
  }

  go(step) {
    this.at = Math.max(0, Math.min(Number(this.slider.max), step));
    this.slider.value = this.at;
    this.ask();
  }

  start() {
    if (this.at === Number(this.slider.max)) this.at = 0;
    if (calm()) return this.go(Infinity);
    const tick = () => {
      this.timer = setTimeout(tick, Math.min(450, Number($("speed").value)));
      this.go(this.at + 1);
      if (this.at === Number(this.slider.max)) this.pause();
    };
    this.timer = setTimeout(tick, 0);
    this.runs.textContent = "Pause";
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.runs.textContent = "Run";
  }

  // ---- asking ----------------------------------------------------------------------------------------------------------

  /** Called when the page has drawn itself: other points are another race. */
  show() {
    if (!this.on) return;
    const about = JSON.stringify([this.page.state.points, this.page.state.labels, this.page.state.settings]);
    if (about === this.asked) return;
    this.asked = about;
    this.plane.window = null;
    this.ask();
  }

  async load() {
    const { state } = this.page, { plane } = this;
    if (!this.on) return;
    if (!this.page.is2d || this.page.codes.length < 2) return this.refuse("A race is run in the plane: place points of two classes, or load an example.");
    if (plane.resize() || !plane.window) plane.fit(state.points);
    const lanes = this.lanes.map(lane => ({ ...state.settings, ...lane, exact: false }));
    try {
      const told = await ask("race", { ...request(state), lanes, at: this.at, window: [...plane.asked.slice(0, 4), ACROSS], generate: state.generate ?? null });
      if (!told) return;
      this.told = told.lanes;
      this.slider.max = Math.max(...this.told.map(lane => lane.steps));
      this.slider.value = this.at = Math.min(this.at, Number(this.slider.max));
      this.draw();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refuse(error.message);
    }
  }

  refuse(sentence) {
    this.told = null;
    this.caption.textContent = sentence;
    this.chart.replaceChildren();
    for (const cell of this.cells) cell.textContent = "";
    this.draw();
  }

  // ---- showing -----------------------------------------------------------------------------------------------------------

  draw() {
    const { plane, told } = this, { state } = this.page, { points, labels } = state;
    if (!this.page.is2d) return plane.picture.replaceChildren();
    if (!plane.window) plane.fit(points);
    const lines = told?.flatMap(({ model }, i) => model && model.length === 1 ? [plane.lines(model[0], ACROSS, 0, { class: `boundary lane-${i}` })] : []) ?? [];
    const label = `Plane with ${several(points.length, "point")} and the boundaries of ${several(this.lanes.length, "learner")}`;
    plane.draw({ points, labels, codes: this.page.codes, names: state.names, label });
    plane.picture.append(...lines);
    if (!told) return;
    this.caption.textContent = `Step ${this.at} of ${this.slider.max}.`;
    told.forEach((lane, i) => {
      const done = lane.step === lane.steps ? ` · ${lane.verdict} after ${several(lane.passes, "pass", "passes")}` : "";
      const held = lane.held_out == null ? "" : `, held out: ${lane.held_out} of ${lane.held_out_of}`;
      this.cells[i].textContent = `${several(lane.mistakes[lane.step], "mistake")} · wrong: ${lane.wrong} of ${points.length}${held}${done}`;
    });
    this.mistakes();
  }

  mistakes() {
    const [width, height, left, bottom] = [430, 200, 36, 24], { told } = this, last = Number(this.slider.max) || 1;
    const most = Math.max(1, ...told.map(lane => lane.mistakes.at(-1)));
    const x = k => left + k / last * (width - left - 10), y = v => 8 + (1 - v / most) * (height - 8 - bottom);
    const path = (values, until) => "M" + values.slice(0, until + 1).map((v, k) => `${x(k).toFixed(1)} ${y(v).toFixed(1)}`).join("L");
    this.chart.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `Mistakes so far: ${told.map(lane => lane.mistakes[lane.step]).join(", ")}` },
      svg("line", { x1: left, x2: width - 10, y1: y(0), y2: y(0), class: "zero" }), svg("line", { x1: left, x2: left, y1: 8, y2: y(0), class: "zero" }),
      svg("text", { x: left - 6, y: y(0) + 4, "text-anchor": "end" }, "0"), svg("text", { x: left - 6, y: 18, "text-anchor": "end" }, String(most)),
      svg("text", { x: width - 10, y: height - 6, "text-anchor": "end" }, `${last} steps`),
      told.map((lane, i) => svg("path", { d: path(lane.mistakes, lane.steps), class: `lane-${i} faint` })),
      told.map((lane, i) => svg("path", { d: path(lane.mistakes, lane.step), class: `lane-${i}` })),
      told.map((lane, i) => svg("circle", { cx: x(lane.step), cy: y(lane.mistakes[lane.step]), r: 4, class: `lane-${i}` }))),
      el("figcaption", {}, "mistakes so far"));
  }

  key(event) {
    if (!this.on || event.ctrlKey || event.metaKey || event.altKey || !this.page.keys.on) return false;
    const to = { n: this.at + 1, b: this.at - 1, 0: 0, e: Infinity }[event.key];
    if (to === undefined && event.key !== "r") return false;
    event.preventDefault();
    if (event.key === "r") this.runs.click();
    else {
      this.pause();
      this.go(to);
    }
    return true;
  }
}
