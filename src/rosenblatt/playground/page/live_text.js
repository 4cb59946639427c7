// Live text: phrases that can be edited while the model learns from them, and a sentence with the share of each word.

import { ask, Refused } from "./api.js";
import { $, el, number, throttled } from "./dom.js";
import { className } from "./state.js";

const BEGIN = "good, pos\nbad, neg\nnot good, neg\nnot bad, pos";

export class LiveText {
  on = false;

  constructor(page) {
    this.page = page;
    this.lines = el("textarea", { id: "phrases", rows: 6, spellcheck: "false", "aria-label": "Phrases, each with its label",
      input: throttled(300, () => this.learn()) });
    this.pairs = el("input", { type: "checkbox", id: "phrase-pairs", change: () => this.learn() });
    this.wrong = el("p", { role: "alert", class: "wrong" });
    this.sentence = el("input", { type: "text", id: "sentence", maxlength: 500, value: "not bad", "aria-label": "A sentence", input: throttled(120, () => { this.said = true; this.read(); }) });
    this.reading = el("div", { id: "shares", "aria-live": "polite" });
    this.panel = el("section", { id: "live-text", "aria-labelledby": "text-title", hidden: true }, el("h2", { id: "text-title" }, "Text"),
      el("p", { class: "quiet" }, "One phrase a line, a comma, and its label. The model learns from them as you write."), this.lines,
      el("label", {}, this.pairs, " pairs of words too"), this.wrong,
      el("label", { class: "sentence" }, el("span", {}, "Then say"), this.sentence), this.reading);
    document.querySelector(".now").before(this.panel);
  }

  turn(on) {
    if (on === this.on) return;
    this.on = on;
    this.panel.hidden = !on;
    $("text-view").setAttribute("aria-pressed", String(on));
    if (!on) return;
    this.from = null;
    const { captions, names, settings } = this.page.state;
    if (!captions || !names) {
      this.lines.value = BEGIN;
      this.learn();
    } else if (settings.space !== "linear") {
      this.page.remember();
      this.page.controls.show(linear(settings));
      this.page.set({ settings: linear(settings) });
    } else this.show();
  }

  /** The phrases that the page is about, unless they are being written. */
  fill() {
    const { points, labels, captions, names } = this.page.state;
    if (document.activeElement === this.lines || !captions || !names) return;
    const written = points.map((_, i) => `${captions[i]}, ${className(this.page.state, labels[i])}`).join("\n");
    if (written !== this.lines.value) this.lines.value = written;
    if (!this.said) this.sentence.value = captions.at(-1);
    this.pairs.checked = names.some(name => name.includes(" "));
  }

  async learn() {
    try {
      const table = await ask("table", { csv: this.lines.value, pairs: this.pairs.checked });
      if (!table) return;
      this.wrong.textContent = table.captions ? "" : "These are numbers, not phrases.";
      if (table.captions) this.page.take({ ...table, settings: linear(this.page.state.settings), step: Infinity });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.wrong.textContent = error.message;
    }
  }

  show() {
    if (!this.on) return;
    const { run, state: { step } } = this.page;
    if (run === this.from && step === this.step) return;
    [this.from, this.step] = [run, step];
    this.fill();
    if (run) this.read();
    else this.reading.replaceChildren();
  }

  async read() {
    const { question, run, state: { step } } = this.page;
    if (!run || !this.sentence.value.trim()) return this.reading.replaceChildren();
    try {
      const told = await ask("sentence", { ...question, text: this.sentence.value, at: step });
      if (told) this.shares(told);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.reading.replaceChildren(el("p", { class: "quiet" }, error.message));
    }
  }

  /** Each word with its weight and what it adds; with several classes, for each of them. */
  shares({ shares, biases, scores, classes, said, tie, unknown }) {
    const two = scores.length === 1, largest = Math.max(1e-9, ...shares.flatMap(each => each.shares.map(Math.abs)), ...biases.map(Math.abs));
    const bar = (share, c) => {
      const width = 50 * Math.abs(share) / largest, meter = el("span", { class: "share" });
      const part = el("span", { class: two ? (share < 0 ? "class-0" : "class-1") : `class-${c}` });
      part.style.width = `${width}%`;
      part.style.left = `${share < 0 ? 50 - width : 50}%`;
      meter.append(part);
      return meter;
    };
    const row = (name, count, weights, values) => el("tr", {}, el("th", { scope: "row" }, name, count > 1 ? el("span", { class: "quiet" }, ` × ${count}`) : ""),
      el("td", {}, values.map(bar)), el("td", { class: "right" }, weights.map(v => number(v, 4)).join(", ")), el("td", { class: "right" }, values.map(v => number(v, 4)).join(", ")));
    this.reading.replaceChildren(
      el("p", { class: "says" }, tie ? "A tie: it says " : "It says ", el("strong", {}, said), two ? `, with a score of ${number(scores[0])}.`
        : `, with scores of ${classes.map((name, c) => `${name}: ${number(scores[c])}`).join(", ")}.`),
      el("table", {}, el("thead", {}, el("tr", {}, ["word", two ? `${classes[0]} ← → ${classes[1]}` : classes.join(", "), "weight", "adds"].map((text, i) =>
        el("th", { scope: "col", class: i > 1 ? "right" : null }, text)))),
        el("tbody", {}, shares.map(each => row(each.word, each.count, each.weights, each.shares)), biases.some(v => v) ? row("bias", 1, biases, biases) : "")),
      unknown.length ? el("p", { class: "quiet" }, `In none of the phrases, so without a weight: ${unknown.join(", ")}.`) : "");
  }
}

/** The settings in linear space, where each word has a weight. */
const linear = settings => settings.space === "linear" ? settings
  : { ...settings, space: "linear", readout: settings.readout === "voted" ? "last" : settings.readout };
