// The page: what is shown, what was asked, and the step at which it stands.

import { ask, examples, Refused, request, Unanswered } from "./api.js";
import { bars } from "./bars.js";
import { untint } from "./contours.js";
import { Controls } from "./controls.js";
import * as dialogs from "./dialogs.js";
import { $, calm, el, several, throttled } from "./dom.js";
import { Editing } from "./editing.js";
import { walks } from "./glossary.js";
import * as links from "./links.js";
import * as panels from "./panels.js";
import { Plane } from "./plane.js";
import { barScene, planeScene } from "./scenes.js";
import { className, dataOf, decode, encode, settingsOf } from "./state.js";
import { TraceTable } from "./table.js";

const AHEAD = 24;

class Page {
  state = { points: [], labels: [], names: null, classes: null, captions: null, settings: settingsOf({}), step: 0 };
  run = null;  // the record of the server
  proof = null;  // its answer on separability
  proofShown = false;
  fields = new Map();  // the model at steps, where it is not linear or not the last weights
  past = [];
  timer = null;
  keysOn = localStorage.getItem("keys") !== "off";

  constructor() {
    this.plane = new Plane($("frame"), $("tint"), $("plane"));
    this.editing = new Editing(this);
    this.table = new TraceTable(step => this.go(step));
    this.controls = new Controls(settings => this.set({ settings }));
    this.refresh = throttled(70, () => this.load());
    this.askProof = throttled(150, () => this.loadProof());
    this.listen();
  }

  // ---- what it is about ----------------------------------------------------------------------------------------------

  /** Take other points or settings; the step stays at the end if it was there. */
  set({ data, settings, step }) {
    if (data) Object.assign(this.state, data);
    if (settings) this.state.settings = settings;
    if (step !== undefined) this.wanted = step;
    if (data) this.plane.window = null;
    this.changed("edit");
  }

  changed(kind) {
    this.pause();
    this.busy(true);
    if (kind === "drag") this.own();
    if (this.wanted === undefined) this.wanted = this.run && this.state.step === this.run.steps.length ? Infinity : this.state.step;
    if (kind === "edit" && this.is2d && !this.plane.holds(this.state.points)) this.plane.window = null;
    this.redraw(kind === "drag");
    this.refresh();
  }

  /** Whether an answer is awaited. */
  busy(now) {
    $("main").setAttribute("aria-busy", String(now));
  }

  /** From here on the points are the user's. */
  own() {
    $("example").value = "";
    $("about").textContent = "";
  }

  get is2d() {
    return this.state.points.length === 0 || this.state.points[0].length === 2;
  }

  remember() {
    const { points, labels, captions } = this.state;
    this.past.push(structuredClone({ points, labels, captions }));
    if (this.past.length > 50) this.past.shift();
  }

  forget() {
    this.past.pop();
  }

  get canUndo() {
    return this.past.length > 0;
  }

  undo() {
    if (this.canUndo) this.set({ data: this.past.pop() });
  }

  clear() {
    this.remember();
    this.own();
    this.set({ data: { points: [], labels: [], names: null, captions: null, classes: null }, step: 0 });
  }

  take(example) {
    this.past = [];
    $("about").textContent = example.about ?? "";
    const settings = example.settings ? settingsOf(example.settings) : this.state.settings;
    this.proofShown = false;
    this.run = this.proof = null;
    this.controls.show(settings);
    this.set({ data: dataOf(example), settings, step: example.step ?? 0 });
  }

  // ---- what the server says --------------------------------------------------------------------------------------------

  async load() {
    if (this.codes.length < 2) {
      this.run = this.proof = null;
      this.problem("");
      this.busy(false);
      return this.render();
    }
    try {
      const run = await ask("run", request(this.state));
      if (!run) return;
      this.run = run;
      this.proof = null;
      this.fields.clear();
      this.problem("");
      this.state.step = Math.min(this.wanted ?? 0, run.steps.length);
      this.wanted = undefined;
      this.askProof();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.run = this.proof = null;
      this.problem(error.message, error instanceof Unanswered && (() => this.load()));
      this.busy(false);
    }
    this.render();
  }

  async loadProof() {
    const run = this.run;
    if (!run) return;
    try {
      const proof = await ask("separable", { ...request(this.state), ...(this.is2d ? { window: this.plane.asked } : {}) });
      if (!proof || run !== this.run) return;
      this.proof = proof;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem(error.message);
    }
    if (run !== this.run || this.wanted !== undefined) return; // something newer is on its way
    this.busy(false);
    this.render();
  }

  /** Whether the server must say what the model is: weights alone tell it in linear space, if they are the last. */
  get needsField() {
    return this.state.settings.space !== "linear" || this.state.settings.readout !== "last";
  }

  async loadFields(step) {
    const run = this.run, at = [];
    if (this.fields.has(step) || this.loading) return;
    for (let k = Math.max(0, step - 4); k <= run.steps.length && at.length < AHEAD; k++) if (!this.fields.has(k)) at.push(k);
    this.loading = true;
    try {
      const answer = await ask("field", { ...request(this.state), at, ...(this.is2d ? { window: this.plane.asked } : {}) });
      if (answer && run === this.run) for (const field of answer.fields) this.fields.set(field.step, field);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem(error.message);
    } finally {
      this.loading = false;
    }
    this.render();
  }

  /** Say what is wrong; `again` is what may mend it. */
  problem(sentence, again) {
    $("problem").replaceChildren(sentence, ...(again ? [" ", el("button", { type: "button", id: "retry", click: again }, "Retry")] : []));
    $("problem").hidden = !sentence;
  }

  /** What a link carries: the state, and what is shown of it. */
  get linked() {
    return { ...this.state, view: this.proofShown ? { proof: true } : {} };
  }

  // ---- steps -----------------------------------------------------------------------------------------------------------

  go(step) {
    if (!this.run) return;
    this.state.step = Math.max(0, Math.min(this.run.steps.length, step));
    if (this.state.step === this.run.steps.length) this.pause();
    this.proofShown = false;
    this.render();
  }

  pass() {
    const { steps } = this.run ?? { steps: [] }, here = steps[this.state.step]?.pass;
    const next = steps.findIndex((step, i) => i > this.state.step && step.pass !== here);
    this.go(next < 0 ? steps.length : next);
  }

  start() {
    if (!this.run) return;
    if (this.state.step === this.run.steps.length) this.state.step = 0;
    if (calm()) return this.go(this.run.steps.length);
    const tick = () => {
      this.timer = setTimeout(tick, Number($("speed").value));
      this.go(this.state.step + 1);
    };
    this.timer = setTimeout(tick, 0);
    $("run").textContent = "Pause";
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    $("run").textContent = "Run";
  }

  toggle() {
    if (this.timer) {
      this.pause();
      this.caption();
    } else this.start();
  }

  // ---- showing -----------------------------------------------------------------------------------------------------------

  render() {
    if (!this.editing.busy) links.note(this.linked);
    this.redraw();
    const { run, state } = this, at = state.step;
    for (const id of ["first", "back"]) $(id).disabled = !run || at === 0;
    for (const id of ["next", "pass", "end"]) $(id).disabled = !run || at === run.steps.length;
    $("run").disabled = $("separable").disabled = $("python").disabled = !run;
    $("slider").max = run?.steps.length ?? 0;
    $("slider").value = at;
    $("slider").setAttribute("aria-valuetext", run ? `step ${at} of ${run.steps.length}` : "no run");
    document.body.classList.toggle("idle", !run);
    this.table.show(run, at);
    if (!run) panels.clear();
    if (!run) return this.caption();
    panels.formulas(at ? run.steps[at - 1] : null);
    panels.soFar(run, at, this.proof, state.settings, this.fields.get(at));
    panels.answer(this.proof, this.proofShown);
    if (!this.timer || at === run.steps.length) this.caption();
  }

  caption() {
    const { run, state } = this, at = state.step;
    const step = at && run ? run.steps[at - 1] : null;
    $("caption").textContent = !run ? "" : !step ? `${several(run.steps.length, "step")} in ${several(run.passes, "pass", "passes")}.`
      : `Step ${at} of ${run.steps.length}, pass ${step.pass}: row ${step.row}, class ${className(state, state.labels[step.row])}, `
        + `${step.why || "right"}${step.moved ? ", the weights move" : ""}.`;
  }

  redraw(dragging = false) {
    const { state, plane } = this, { points } = state;
    this.editing.show();
    $("hint").hidden = this.codes.length > 1;
    $("hint").textContent = points.length ? "Place points of another class too." : "Click to place points of two classes, or load an example.";
    if (plane.resize() || (this.is2d && !plane.window)) plane.fit(this.is2d ? points : []);
    const scene = dragging || this.run?.codes.length !== points.length ? null : this.scene();
    if (this.is2d) {
      plane.draw({ points, labels: state.labels, codes: this.codes, label: this.label, grabbed: this.editing.grabbed,
        focus: document.activeElement === plane.picture, ...scene });
    } else {
      untint($("tint"));
      bars(plane.picture, plane.width, plane.height, this.label, scene);
    }
  }

  /** The classes in the order of the run's weight vectors. */
  get codes() {
    return [...new Set(this.state.labels)].sort((a, b) => a - b);
  }

  get label() {
    const n = this.state.points.length, { run } = this, at = this.state.step;
    const where = run && at ? `, step ${at} of ${run.steps.length}` : "";
    return `Plane with ${n} point${n === 1 ? "" : "s"}${where}.`;
  }

  /** What belongs to this step; where the model must be asked for, that is done. */
  scene() {
    const at = this.state.step, proof = this.proofShown ? this.proof : null, end = this.run.steps.length;
    const model = this.needsField ? this.fields.get(at) : undefined;
    if (!this.is2d) return barScene(this, proof);
    if (this.needsField && !proof) this.loadFields(model ? Math.min(at + 4, end) : at);
    return planeScene(this, model, proof, this.needsField);
  }

  say(caption) {
    $("caption").textContent = caption;
  }

  // ---- listening ---------------------------------------------------------------------------------------------------------

  listen() {
    const click = (id, call) => $(id).addEventListener("click", call);
    click("first", () => this.go(0));
    click("back", () => { this.pause(); this.go(this.state.step - 1); });
    click("next", () => { this.pause(); this.go(this.state.step + 1); });
    click("pass", () => { this.pause(); this.pass(); });
    click("end", () => this.go(Infinity));
    click("run", () => this.toggle());
    click("separable", () => this.toggleProof());
    click("help", () => this.help());
    click("paste", () => dialogs.paste(table => { this.own(); this.take(table); }));
    click("share", () => dialogs.share(links.address(this.linked)));
    click("python", () => dialogs.python(this.run.program));
    click("theme", () => this.theme());
    $("slider").addEventListener("input", () => { this.pause(); this.go(Number($("slider").value)); });
    $("example").addEventListener("change", () => this.take(this.examples[$("example").value]));
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) !== encode(this.linked) && !this.fromLink()) this.problem("The link holds nothing that can be read.");
    });
    new ResizeObserver(throttled(60, () => this.resized())).observe($("frame"));
    document.addEventListener("keydown", event => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    for (const id of ["formulas", "numbers", "answer"]) walks($(id));
  }

  resized() {
    if (!this.plane.resize() || !this.plane.window) return;
    this.plane.window = null;
    this.fields.clear();
    this.render();
    this.askProof();
  }

  toggleProof() {
    if (!this.run) return;
    this.pause();
    this.proofShown = !this.proofShown;
    this.render();
  }

  help() {
    dialogs.help(this.keysOn, on => {
      this.keysOn = on;
      localStorage.setItem("keys", on ? "on" : "off");
    });
  }

  key(event) {
    const inText = event.target.closest("input:not([type=checkbox]):not([type=range]), textarea, select");
    if (event.defaultPrevented || $("dialog").open || inText) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "z") {
      event.preventDefault();
      return this.undo();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !this.keysOn) return;
    const press = { n: "next", b: "back", p: "pass", r: "run", 0: "first", e: "end", c: "separable", "?": "help" }[event.key];
    if (press && !$(press).disabled) {
      event.preventDefault();
      $(press).click();
    } else if ("1234".includes(event.key) && Number(event.key) <= (this.state.classes?.length ?? 4)) {
      this.editing.choose(Number(event.key) - 1);
    }
  }

  theme() {
    const dark = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    document.documentElement.dataset.theme = dark === "dark" ? "light" : "dark";
    localStorage.setItem("theme", document.documentElement.dataset.theme);
    this.redraw();
  }

  fromLink() {
    const text = location.hash.slice(1);
    if (!text || text === encode(this.linked)) return false;
    const link = decode(text);
    if (!link) return false;
    const example = Object.keys(this.examples).find(name =>
      ["points", "labels"].every(list => JSON.stringify(this.examples[name][list]) === JSON.stringify(link[list])));
    this.own();
    $("example").value = example ?? "";
    this.take({ ...link, about: link.about || this.examples[example]?.about });
    this.proofShown = link.view.proof === true;
    links.came(this.state);
    return true;
  }

  async begin() {
    const kept = localStorage.getItem("theme");
    if (kept) document.documentElement.dataset.theme = kept;
    if (matchMedia("(max-width: 700px)").matches) $("settings").open = false;
    this.controls.show(this.state.settings);
    try {
      this.examples = await examples();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      return this.problem(error.message, () => location.reload());
    }
    $("example").append(el("option", { value: "" }, "your own"),
      ...Object.entries(this.examples).map(([name, { title }]) => el("option", { value: name }, title)));
    if (this.fromLink()) return;
    const broken = location.hash.length > 1;
    $("example").value = "separable";
    this.take(this.examples.separable);
    if (broken) $("about").textContent = "The link holds nothing that can be read: this is an example instead.";
  }
}

const page = new Page();
await page.begin();
export { page };
