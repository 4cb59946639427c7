// The trace as a table: the cells are the library's, each row leads to its picture.

import { $, el } from "./dom.js";

/** Rows in the page at a time. */
const PAGE = 100;

export class TraceTable {
  constructor(go) {
    this.go = go;
    this.run = null;
    $("moves").addEventListener("change", () => this.show(this.run, this.at, true));
    $("scroll").addEventListener("keydown", event => {
      const rows = this.listed(), place = rows.findLastIndex(step => step.step <= this.at);
      const to = { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + 10, PageUp: place - 10, Home: 0,
        End: rows.length - 1 }[event.key];
      if (to === undefined || !rows.length) return;
      event.preventDefault();
      this.go(rows[Math.max(0, Math.min(rows.length - 1, to))].step);
    });
  }

  listed() {
    return $("moves").checked ? this.run.steps.filter(step => step.moved) : this.run.steps;
  }

  show(run, at, again = false) {
    const fresh = again || run !== this.run;
    [this.run, this.at] = [run, at];
    if (!run) {
      $("title").textContent = "";
      for (const id of ["table", "proved"]) $(id).replaceChildren();
      return;
    }
    const rows = this.listed(), place = Math.max(0, rows.findLastIndex(step => step.step <= at));
    const first = Math.floor(place / PAGE) * PAGE;
    if (fresh || first !== this.first) this.fill(rows, first);
    this.first = first;
    $("table").querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = $("table").querySelector(`tr[data-step="${at}"]`);
    row?.setAttribute("aria-current", "step");
    if (row) this.reveal(row);
    else if (at === 0) $("scroll").scrollTop = 0;
    if (fresh) {
      $("title").textContent = run.title;
      $("proved").replaceChildren(...run.proved.map(sentence => el("p", {}, sentence)), run.cut ? el("p", {}, run.cut) : "");
    }
    $("proved").hidden = at < run.steps.length;
  }

  fill(rows, first) {
    const { headings, align } = this.run, sides = [...align];
    const cell = (name, text, i) => el(name, { class: sides[i] === "r" ? "right" : null }, text);
    const turn = (label, step) => el("tr", {}, el("td", { colspan: headings.length },
      el("button", { type: "button", click: () => this.go(step) }, label)));
    const part = rows.slice(first, first + PAGE);
    $("table").replaceChildren(
      el("thead", {}, el("tr", {}, headings.map((text, i) => {
        const made = cell("th", text, i);
        made.scope = "col";
        return made;
      }))),
      el("tbody", {},
        first > 0 && turn(`… ${first} earlier`, rows[first - 1].step),
        part.map((step, i) => el("tr", { "data-step": step.step, click: () => this.go(step.step),
          class: [step.moved ? "moved" : "", i && step.pass !== part[i - 1].pass ? "begins" : ""].join(" ").trim() || null },
          step.cells.map((text, j) => cell("td", text, j)))),
        rows.length > first + PAGE && turn(`… ${rows.length - first - PAGE} later`, rows[first + PAGE].step)));
  }

  reveal(row) {
    const box = $("scroll"), head = $("table").tHead.offsetHeight;
    if (row.offsetTop - head < box.scrollTop) box.scrollTop = row.offsetTop - head - 4;
    const below = row.offsetTop + row.offsetHeight - box.clientHeight;
    if (below > box.scrollTop) box.scrollTop = below + 4;
  }
}
