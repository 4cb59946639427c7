// A sentence: words as columns, tags as rows. At each step the right path and its rival through the lattice, and the
// difference that the weights move along. All numbers are the library's.

import { ask, Refused } from "./api.js";
import { $, calm, el, svg, throttled } from "./dom.js";

/** Places in the picture: between columns, between rows, of the first word and the first tag; half a node. */
const ACROSS = 118, DOWN = 78, LEFT = 150, TOP = 64, NODE = 21;
/** How far two paths on one edge are apart, and where along an edge each has its number. */
const APART = 4, ALONG = { right: 0.36, rival: 0.64 };

export class Sentence {
  on = false;
  told = null;
  at = 0;

  constructor(page) {
    this.page = page;
    const button = (id, text, title, click) => el("button", { id, type: "button", title, "aria-label": title, click }, text);
    const stop = step => () => { this.pause(); this.go(step()); };
    this.buttons = {
      first: button("lattice-first", "|◂", "To the first step (0)", stop(() => 0)),
      back: button("lattice-back", "◂", "One step back (b)", stop(() => this.at - 1)),
      run: el("button", { id: "lattice-run", type: "button", class: "strong", title: "Run, or pause (r)", click: () => this.timer ? this.pause() : this.start() }, "Run"),
      next: button("lattice-next", "▸", "One step (n)", stop(() => this.at + 1)),
      end: button("lattice-end", "▸|", "To the last step (e)", stop(() => Infinity)),
    };
    this.slider = el("input", { type: "range", id: "lattice-slider", min: 1, max: 1, value: 1, "aria-label": "Step", input: () => { this.pause(); this.go(this.slider.value - 1); } });
    this.picture = el("div", { id: "lattice-picture", tabindex: 0, role: "group", "aria-label": "Lattice; it scrolls where it is wide" });
    this.paths = el("p", { id: "lattice-paths" });
    this.caption = el("p", { id: "lattice-caption", "aria-live": "polite" });
    this.lines = el("textarea", { id: "lattice-lines", rows: 3, spellcheck: "false", "aria-label": "Sentences, each word with its tag", input: throttled(300, () => this.load()) });
    this.rule = el("select", { id: "lattice-rule", change: () => this.load() }, el("option", { value: "perceptron" }, "Perceptron"), el("option", { value: "pa" }, "PA"));
    this.wrong = el("p", { role: "alert", class: "wrong" });
    this.changes = el("div", { id: "lattice-changes" });
    this.proved = el("div", { id: "lattice-proved" });
    this.panel = el("section", { id: "lattice", "aria-labelledby": "lattice-title", hidden: true },
      el("div", { class: "track" }, el("h2", { id: "lattice-title" }, "A sentence"), this.picture, this.paths,
        el("div", { class: "transport", role: "group", "aria-label": "Steps of the sentence" }, ...Object.values(this.buttons), el("label", { class: "slider" }, this.slider)), this.caption),
      el("div", { class: "learned" },
        el("p", { class: "quiet" }, "A sequence of tags scores what its tags score at the words, in the circles, and what each scores after the tag before, on the edges. ",
          "The rival is the best sequence other than the right one. Write sentences of your own, a line each:"),
        this.lines, el("label", {}, el("span", {}, "Rule "), this.rule), this.wrong, this.changes, this.proved));
    $("main").append(this.panel);
  }

  turn(on) {
    if (on === this.on) return;
    this.on = on;
    this.pause();
    this.page.pause();
    this.panel.hidden = !on;
    document.body.classList.toggle("tagging", on);
    $("lattice-view").setAttribute("aria-pressed", String(on));
    if (!on) this.page.resized();
    else if (!this.told) this.load();
  }

  async load() {
    const question = { rule: this.rule.value, ...(this.told || this.lines.value ? { sentences: this.lines.value } : {}) };
    try {
      const told = await ask("lattice", question);
      if (!told) return;
      this.wrong.textContent = "";
      if (!this.lines.value) this.lines.value = told.sentences;
      this.told = told;
      this.pause();
      this.slider.max = told.steps.length;
      this.go(Math.min(this.at, told.steps.length - 1));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.wrong.textContent = error.message;
    }
  }

  // ---- steps -----------------------------------------------------------------------------------------------------------

  get last() {
    return (this.told?.steps.length ?? 1) - 1;
  }

  go(step) {
    if (!this.told) return;
    this.at = Math.max(0, Math.min(this.last, Number(step)));
    if (this.at === this.last) this.pause();
    this.draw();
  }

  start() {
    if (!this.told) return;
    if (this.at === this.last) this.at = -1;
    if (calm()) return this.go(Infinity);
    const tick = () => {
      this.timer = setTimeout(tick, 3 * Number($("speed").value));  // there is more to read than on the plane
      this.go(this.at + 1);
    };
    this.timer = setTimeout(tick, 0);
    this.buttons.run.textContent = "Pause";
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.buttons.run.textContent = "Run";
  }

  /** Whether a key was for the sentence; what belongs to the picture that it hides does nothing. */
  key(event) {
    if (!this.on || event.ctrlKey || event.metaKey || event.altKey) return false;
    const { key, target } = event, here = { n: 1, ArrowRight: 1, PageDown: 1, b: -1, ArrowLeft: -1, PageUp: -1 }[key];
    const to = here ? this.at + here : { 0: 0, Home: 0, e: Infinity, End: Infinity }[key];
    if (key.startsWith("Page") && this.page.teaching.lessons.open) return false;
    if (key === "p" || key === "c") return true;
    if ((to === undefined && key !== "r" && key !== " ") || (key.length > 1 && target.closest("input"))) return false;
    if (key === " " && target.closest("input, button, summary, a")) return false;
    if (key.length > 1 && target === this.picture) return true;  // it scrolls
    event.preventDefault();
    if (to === undefined) this.buttons.run.click();
    else {
      this.pause();
      this.go(to);
    }
    return true;
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------------

  draw() {
    const { told, at } = this, step = told.steps[at];
    this.slider.value = at + 1;
    this.slider.setAttribute("aria-valuetext", `step ${at + 1} of ${told.steps.length}`);
    for (const name of ["first", "back"]) this.buttons[name].disabled = at === 0;
    for (const name of ["next", "end"]) this.buttons[name].disabled = at === this.last;
    this.caption.textContent = `Step ${at + 1} of ${told.steps.length}, pass ${step.pass}, sentence ${step.sentence + 1}. ${step.told}`;
    const path = (kind, text) => el("span", { class: "of-path" }, el("span", { class: `swatch ${kind}` }), text);
    this.paths.replaceChildren(path("right", `the right tags, S = ${step.score}`), path("rival", `the rival, S = ${step.rival_score}`));
    this.picture.replaceChildren(lattice(step, told.tags, Math.max(...told.steps.map(each => each.words.length))));
    this.changes.replaceChildren(difference(step));
    this.proved.replaceChildren(...told.proved.map(sentence => el("p", {}, sentence)));
  }
}

/** ΔΦ as a table, with what each weight becomes. */
function difference({ changes, moved, tau, norm2 }) {
  const row = each => el("tr", { class: each.difference.startsWith("+") ? "gains" : "loses" }, el("th", { scope: "row" }, each.name),
    [each.difference, each.before, moved ? each.after : ""].map(cell => el("td", { class: "right" }, cell)));
  return el("table", {}, el("caption", {}, moved ? `The update: w ← w + τ·ΔΦ, τ = ${tau}, ‖ΔΦ‖² = ${norm2}` : `The difference ΔΦ; nothing moves`),
    el("thead", {}, el("tr", {}, ["right − rival", "ΔΦ", "w", moved ? "new w" : ""].map((text, i) => el("th", { scope: "col", class: i ? "right" : null }, text)))),
    el("tbody", {}, changes.map(row)));
}

/** The lattice: every node and edge, and over them the two paths. It has room for the longest sentence, so that nothing moves with the step. */
function lattice({ words, right, rival, emissions, links, told }, tags, longest) {
  const n = words.length, width = LEFT + (longest - 0.38) * ACROSS + 44, height = TOP + (tags.length - 1) * DOWN + 10 + 2 * NODE, middle = TOP + (tags.length - 1) * DOWN / 2 + 10;
  const place = (t, code) => t < 0 ? [LEFT - 0.62 * ACROSS, middle] : t === n ? [LEFT + (n - 0.38) * ACROSS, middle] : [LEFT + t * ACROSS, TOP + code * DOWN + 10];
  const weight = (from, to, t) => links[t === 0 ? 0 : 1 + from][t === n ? tags.length : to];
  const named = (from, to, t) => `${t === 0 ? "start" : tags[from]}→${t === n ? "end" : tags[to]}: ${weight(from, to, t)}`;
  const ends = t => t < 0 || t === n ? [0] : tags.map((_, code) => code);
  const faint = [];
  for (let t = 0; t <= n; t++)
    for (const from of ends(t - 1))
      for (const to of ends(t)) faint.push(line(place(t - 1, from), place(t, to), `way${weight(from, to, t) === "0" ? "" : " weighs"}`, named(from, to, t)));
  const marks = [], numbers = [];
  for (let t = 0; t <= n; t++) {
    const steps = { right: [right[t - 1] ?? 0, right[t] ?? 0], rival: [rival[t - 1] ?? 0, rival[t] ?? 0] };
    const same = String(steps.right) === String(steps.rival);
    for (const [kind, [from, to]] of Object.entries(steps)) {
      const a = place(t - 1, from), b = place(t, to), off = same ? (kind === "right" ? -APART : APART) : 0;
      marks.push(line(a, b, `path ${kind}`, named(from, to, t), off));
      if (!same || kind === "right") numbers.push(label(a, b, same ? 0.5 : ALONG[kind], weight(from, to, t), same ? "both" : kind));
    }
  }
  const nodes = words.flatMap((_, t) => tags.map((tag, code) => {
    const [x, y] = place(t, code), is = [right[t] === code && "right", rival[t] === code && "rival"].filter(Boolean).join(" ");
    return svg("g", { class: `node ${is}` }, svg("title", {}, `${words[t]}|${tag}: ${emissions[t][code]}`),
      svg("circle", { cx: x, cy: y, r: NODE }), is === "right rival" ? svg("circle", { cx: x, cy: y, r: NODE - 5, class: "inner" }) : null,
      svg("text", { x, y: y + 5, "text-anchor": "middle" }, emissions[t][code]));
  }));
  const edge = (t, text) => svg("g", { class: "terminal" }, svg("circle", { cx: place(t, 0)[0], cy: middle, r: 5 }),
    svg("text", { x: place(t, 0)[0] + (t < 0 ? -9 : 9), y: middle + 4, "text-anchor": t < 0 ? "end" : "start" }, text));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told },
    svg("g", {}, ...faint), svg("g", {}, ...marks), edge(-1, "start"), edge(n, "end"), svg("g", {}, ...nodes), svg("g", {}, ...numbers),
    ...words.map((word, t) => svg("text", { class: "word", x: place(t, 0)[0], y: 26, "text-anchor": "middle" }, word)),
    ...tags.map((tag, code) => svg("text", { class: "tag", x: 6, y: place(0, code)[1] + 5 }, tag)));
  picture.style.minWidth = `${0.7 * width}px`;  // narrower, its numbers could not be read: it scrolls
  return picture;
}

/** An edge, moved aside by `off` where another lies on it. */
function line([x1, y1], [x2, y2], kind, title, off = 0) {
  const length = Math.hypot(x2 - x1, y2 - y1), dx = -off * (y2 - y1) / length, dy = off * (x2 - x1) / length;
  return svg("line", { x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy, class: kind }, svg("title", {}, title));
}

function label([x1, y1], [x2, y2], along, text, kind) {
  return svg("text", { class: `amount ${kind}`, x: x1 + along * (x2 - x1), y: y1 + along * (y2 - y1) - (kind === "both" ? 9 : -5), "text-anchor": "middle" }, text);
}
