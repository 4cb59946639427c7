// The page: what is shown, what was asked, and the step at which it stands.

import { ask, examples, Refused, request, Unanswered } from "./api.js";
import { bars } from "./bars.js";
import { untint } from "./contours.js";
import { Controls } from "./controls.js";
import * as dialogs from "./dialogs.js";
import { $, calm, el, paced, several, throttled } from "./dom.js";
import { Editing } from "./editing.js";
import { walks } from "./glossary.js";
import { History } from "./history.js";
import { Keys } from "./keys.js";
import * as links from "./links.js";
import * as panels from "./panels.js";
import { Plane } from "./plane.js";
import { Projector } from "./projector.js";
import { barScene, planeScene } from "./scenes.js";
import { className, dataOf, decode, encode, settingsOf } from "./state.js";
import { TraceTable } from "./table.js";
import { Teaching } from "./teaching.js";

const SOON = 3, AHEAD = 24;

class Page {
  state = { points: [], labels: [], names: null, classes: null, captions: null, generate: null, settings: settingsOf({}), step: 0 };
  example = { name: "", about: "" };
  wanted = 0;  // the step that was chosen, which a shorter run may not have; Infinity is the end of any
  changes = 0;  // of points and settings so far
  valid = 0;  // answers to what was asked before this change are out of date
  answered = -1;  // the change that the run shown answers
  run = null;  // the record of a run
  question = null;  // what that run answers: all else is asked about the same
  proof = null;  // the answer on separability; that of the points before while a new one is awaited
  proofShown = false;
  models = {};  // the model at steps, where it is not linear or not the last weights
  history = new History();
  timer = null;

  constructor() {
    this.plane = new Plane($("frame"), $("tint"), $("plane"));
    this.editing = new Editing(this);
    this.table = new TraceTable(step => this.go(step));
    this.controls = new Controls(settings => { this.remember(); this.set({ settings }); });
    this.projector = new Projector(() => this.resized());
    this.keys = new Keys(this);
    this.refresh = paced(70, () => this.load());
    this.askProof = paced(150, () => this.loadProof());
    this.teaching = new Teaching(this);
    this.listen();
  }

  // ---- what it is about ----------------------------------------------------------------------------------------------

  /** Take other points or settings. */
  set({ data, settings, step }) {
    if (data) Object.assign(this.state, data);
    if (settings) this.state.settings = settings;
    if (step !== undefined) this.wanted = step;
    this.changed("edit");
  }

  /** Points or settings are others now: a point was moved ("drag"), one was added under the pointer ("add"), or an "edit". */
  changed(kind) {
    this.pause();
    this.busy(true);
    this.changes += 1;
    if (kind !== "drag") this.valid = this.changes;
    if (this.codes.length < 2) this.nothing();
    if (kind === "edit" && this.is2d && !this.plane.holds(this.state.points)) this.plane.window = null;
    this.redraw();
    this.refresh();
  }

  /** No run to show. */
  nothing(problem = "") {
    this.run = this.question = this.proof = null;
    this.problem(problem);
  }

  /** Whether an answer is awaited. */
  busy(now) {
    $("main").setAttribute("aria-busy", String(now));
  }

  /** From here on the points are the user's. */
  own() {
    this.tell("", "");
  }

  /** The example that is shown, and what is said of it. */
  tell(name, about) {
    this.example = { name, about };
    $("example").value = name;
    $("about").textContent = $("about").title = about;
  }

  get is2d() {
    return this.state.points.length === 0 || this.state.points[0].length === 2;
  }

  /** All that can be undone. */
  snapshot() {
    const { step, ...what } = this.state;
    return structuredClone({ ...what, example: this.example });
  }

  remember(moment = this.snapshot()) {
    this.history.remember(moment);
  }

  undo() {
    this.restore(this.history.undo(this.snapshot()));
  }

  redo() {
    this.restore(this.history.redo(this.snapshot()));
  }

  restore(moment) {
    if (!moment) return;
    const { example, settings, ...data } = moment;
    this.tell(example.name, example.about);
    this.controls.show(settings);
    this.set({ data, settings });
  }

  /** No points; what classes and features are called stays. */
  clear() {
    this.remember();
    this.own();
    const names = this.is2d ? this.state.names : null;
    this.set({ data: { points: [], labels: [], captions: null, names, generate: null }, step: 0 });
  }

  /** Other points altogether: an example, a table or a link. */
  take(example, name = "") {
    if (this.state.points.length) this.remember();
    this.tell(name, example.about ?? "");
    const settings = example.settings ? settingsOf(example.settings) : this.state.settings;
    this.proofShown = false;
    this.nothing();
    this.plane.window = null;
    this.fresh = true;
    this.controls.show(settings);
    this.set({ data: { ...dataOf(example), generate: example.generate ?? null }, settings, step: example.step ?? 0 });
  }

  // ---- what the library says -------------------------------------------------------------------------------------------

  async load() {
    const asked = this.changes, question = structuredClone(request(this.state));
    if (this.codes.length < 2) {
      this.busy(false);
      return this.render();
    }
    try {
      const run = await ask("run", question);
      if (!run || asked < this.valid) return;  // what is asked about now comes next
      this.shows(run, question, asked);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (asked < this.valid) return;
      this.nothing();
      this.problem(error.message, error instanceof Unanswered && (() => this.again()));
      this.busy(false);
    }
    this.render();
  }

  /** Ask once more, after nobody answered. */
  again() {
    this.problem("");
    this.busy(true);
    this.refresh();
  }

  /** Take the answer to a question, asked after so many changes. */
  shows(run, question, asked) {
    Object.assign(this, { run, question, answered: asked });
    this.problem("");
    this.state.step = Math.min(this.wanted, run.steps.length);
    if (this.fresh) this.plane.window = null;
    this.fresh = false;
    this.askProof();
  }

  /** The question of the run, over the window that is drawn. */
  asking(more = {}) {
    return { ...this.question, ...more, ...(this.is2d ? { window: this.plane.asked } : {}) };
  }

  async loadProof() {
    const { run, plane: { window } } = this, current = () => run === this.run && window === this.plane.window;
    if (!run) return;
    try {
      const proof = await ask("separable", this.asking());
      if (!proof || !current()) return run === this.run ? this.askProof() : undefined;
      this.proof = { ...proof, of: run, window };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!current()) return;
      this.proof = null;
      this.problem(error.message, error instanceof Unanswered && (() => this.again()));
    }
    if (this.answered === this.changes) this.busy(false);
    this.render();
  }

  /** Whether the library must say what the model is: weights alone tell it in linear space, if they are the last. */
  get needsField() {
    const { space, readout } = this.question.settings;
    return space !== "linear" || readout !== "last";
  }

  /** The models that are known of this run in this window, by step. */
  get fields() {
    const { run, plane: { window } } = this;
    if (this.models.run !== run || this.models.window !== window) this.models = { run, window, fields: new Map() };
    return this.models.fields;
  }

  async loadFields(step) {
    const { run, fields, models } = this, at = [];
    if (fields.has(step) || models.loading || models.refused) return;
    const first = this.state.step === step, most = first ? SOON : AHEAD;  // what is looked at now comes first
    for (let k = first ? step : Math.max(0, step - 4); k <= run.steps.length && at.length < most; k++) if (!fields.has(k)) at.push(k);
    models.loading = true;
    try {
      const answer = await ask("field", this.asking({ at }));
      for (const field of answer?.fields ?? []) fields.set(field.step, field);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      models.refused = true;
      if (fields === this.fields) this.problem(error.message);
    } finally {
      models.loading = false;
    }
    if (fields === this.fields) this.render();
  }

  /** Say what is wrong; `again` is what may mend it. */
  problem(sentence, again) {
    const retry = again ? [" ", el("button", { type: "button", id: "retry", click: again }, "Retry")] : [];
    $("problem").replaceChildren(sentence, ...retry);
    $("problem").hidden = !sentence;
  }

  /** What a link carries: the state, and what is shown of it. */
  get linked() {
    const open = this.teaching.open;
    return { ...this.state, view: { ...(this.proofShown ? { proof: true } : {}), ...(open.length ? { open } : {}) } };
  }

  // ---- steps -----------------------------------------------------------------------------------------------------------

  go(step) {
    if (!this.run) return;
    const end = this.run.steps.length;
    this.state.step = Math.max(0, Math.min(end, step));
    this.wanted = this.state.step === end ? Infinity : this.state.step;
    if (this.state.step === end) this.pause();
    this.proofShown = false;
    this.render();
  }

  /** Draw a step, and wait for all that belongs to it. */
  async visit(step) {
    this.go(step);
    while (this.is2d && this.needsField && !this.fields.has(step) && !this.models.refused) {
      await new Promise(later => setTimeout(later, 20));
      await this.loadFields(step);
    }
    this.redraw();
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
    if (!this.editing.busy && !this.teaching.lessons.open) links.note(this.linked);
    this.redraw();
    const { run, state } = this, at = state.step;
    for (const id of ["first", "back"]) $(id).disabled = !run || at === 0;
    for (const id of ["next", "pass", "end"]) $(id).disabled = !run || at === run.steps.length;
    $("run").disabled = $("separable").disabled = $("export").disabled = !run;
    $("slider").max = run?.steps.length ?? 0;
    $("slider").value = at;
    $("slider").setAttribute("aria-valuetext", run ? `step ${at} of ${run.steps.length}` : "no run");
    document.body.classList.toggle("idle", !run);
    this.teaching.show();
    this.table.show(run, at);
    if (!run) panels.clear();
    if (!run) return this.caption();
    panels.formulas(at ? run.steps[at - 1] : null);
    panels.soFar(run, at, this.proof?.of === run ? this.proof : null, this.question.settings, this.fields.get(at));
    panels.answer(this.proof, this.proofShown);
    if (!this.timer || at === run.steps.length) this.caption();
  }

  /** Says the step; but while a point is held, what was said of that point stays. */
  caption() {
    if (this.editing.grabbed < 0) this.say(this.told);
  }

  /** The step in a sentence. */
  get told() {
    const { run, question } = this, at = this.state.step;
    const step = at && run ? run.steps[at - 1] : null;
    return !run ? "" : !step ? `${several(run.steps.length, "step")} in ${several(run.passes, "pass", "passes")}.`
      : `Step ${at} of ${run.steps.length}, pass ${step.pass}: row ${step.row}, class ${className(question, question.labels[step.row])}, `
        + `${step.why || "right"}${step.moved ? ", the weights move" : ""}.`;
  }

  redraw() {
    const { state, plane } = this, { points } = state;
    this.editing.show();
    $("hint").hidden = this.codes.length > 1;
    $("hint").textContent = !points.length ? "Click to place points of two classes, or load an example."
      : this.is2d ? "Place points of another class too." : "All are of one class: paste some of another too.";
    if (plane.resize() || (this.is2d && !plane.window)) plane.fit(this.is2d ? points : [], this.boundaries);
    const scene = this.run ? this.scene() : null;
    if (this.is2d) {
      plane.draw({ points, labels: state.labels, codes: this.codes, label: this.label, names: state.names,
        grabbed: this.editing.grabbed, cross: this.editing.showsCross, ...scene });
      if (scene) this.teaching.drawn();
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
    const at = this.state.step, proof = this.proofShown ? this.proof : null, { needsField } = this;
    if (!this.is2d) return this.teaching.scene(barScene(this, proof));
    if (proof?.field && proof.window !== this.plane.window) return null;  // it is asked for again
    if (needsField && !proof) this.loadFields(this.fields.has(at) ? Math.min(at + 4, this.run.steps.length) : at);
    return this.teaching.scene(planeScene(this, needsField ? this.model() : undefined, proof, needsField));
  }

  /** The model at this step; until it is there, the one that was drawn last, where it is of the same kind. */
  model() {
    const model = this.fields.get(this.state.step), { space, readout } = this.question.settings;
    const kind = JSON.stringify([space, readout, this.run.classes, this.plane.window]);
    if (model) this.drawn = { kind, model: { ...model, right: null } };
    return model ?? (this.drawn?.kind === kind ? this.drawn.model : undefined);
  }

  /** The first line of the run, for a window in which it can be seen. */
  get boundaries() {
    const { run } = this;
    return run && !run.kernel ? run.moments.slice(1, 2).map(moment => moment.vectors) : [];
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
    click("help", () => dialogs.help(this.keys));
    click("paste", () => dialogs.paste(table => this.take(table)));
    click("share", () => this.teaching.lessons.open ? dialogs.shareLesson(location.href) : dialogs.share(links.address(this.linked)));
    click("export", () => dialogs.exports(this));
    click("theme", () => this.theme());
    $("slider").addEventListener("input", () => { this.pause(); this.go(Number($("slider").value)); });
    $("example").addEventListener("change", () => this.choose($("example").value));
    addEventListener("hashchange", () => {
      if (this.teaching.lessons.fromLink()) return;
      if (location.hash.slice(1) !== encode(this.linked) && !this.fromLink()) this.problem("The link holds nothing that can be read.");
    });
    new ResizeObserver(throttled(60, () => this.resized())).observe($("frame"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    for (const id of ["formulas", "numbers", "answer"]) walks($(id));
  }

  /** An example by its name; "" are the points that are there. */
  choose(name) {
    if (this.examples[name]) this.take(this.examples[name], name);
    else this.own();
  }

  resized() {
    if (!this.plane.resize() || !this.plane.window) return;
    this.plane.window = null;
    this.render();
    this.askProof();
  }

  toggleProof() {
    if (!this.run) return;
    this.pause();
    this.proofShown = !this.proofShown;
    this.render();
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
    this.take({ ...link, about: link.about || this.examples[example]?.about }, example);
    this.proofShown = link.view.proof === true;
    this.teaching.panels(Array.isArray(link.view.open) ? link.view.open : []);
    links.came(this.state);
    return true;
  }

  async begin() {
    const kept = localStorage.getItem("theme");
    if (kept) document.documentElement.dataset.theme = kept;
    if (matchMedia("(max-width: 1099px), (max-height: 760px)").matches) $("settings").open = false;
    this.controls.show(this.state.settings);
    try {
      this.examples = await examples();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      return this.problem(error.message, () => location.reload());
    }
    $("example").append(el("option", { value: "" }, "your own"),
      ...Object.entries(this.examples).map(([name, { title }]) => el("option", { value: name }, title)));
    if (this.teaching.lessons.fromLink() || this.fromLink()) return;
    const broken = location.hash.length > 1;
    this.choose("separable");
    if (broken) this.tell("separable", "The link holds nothing that can be read: this is an example instead.");
  }
}

const page = new Page();
await page.begin();
export { page };
