// Keys that work anywhere on the page. Films have the same ones.

import { $ } from "./dom.js";

/** What each key does: the button that it presses. Presenters send PageDown and PageUp, some of them arrows. */
export const KEYS = [
  { keys: ["n", "ArrowRight", "PageDown"], shown: "n  →  PageDown", press: "next", does: "one step" },
  { keys: ["b", "ArrowLeft", "PageUp"], shown: "b  ←  PageUp", press: "back", does: "one step back" },
  { keys: ["p"], shown: "p", press: "pass", does: "one pass" },
  { keys: ["r", " "], shown: "r  Space", press: "run", does: "run, or pause" },
  { keys: ["0", "Home"], shown: "0  Home", press: "first", does: "to the start" },
  { keys: ["e", "End"], shown: "e  End", press: "end", does: "to the end" },
  { keys: ["c"], shown: "c", press: "separable", does: "is it separable?" },
  { keys: ["f"], shown: "f", press: "projector", does: "picture and formulas alone, large; Esc leaves" },
  { keys: ["?"], shown: "?", press: "help", does: "this help" },
];

const TYPED = "input:not([type=checkbox]):not([type=range]), textarea, select";
/** What does something of its own at Space, and what at arrows, Home and End. */
const PRESSED = "input, button, summary, a", MOVED = "input, [role=radio]";

export class Keys {
  /** Whether single letters are shortcuts: those who speak to their machine may want none. */
  on = localStorage.getItem("keys") !== "off";

  constructor(page) {
    this.page = page;
    document.addEventListener("keydown", event => this.key(event));
  }

  switch(on) {
    this.on = on;
    localStorage.setItem("keys", on ? "on" : "off");
  }

  key(event) {
    if (event.defaultPrevented || $("dialog").open || event.target.closest(TYPED)) return;
    if (event.key === "Escape" && this.page.projector.on) return this.page.projector.leave();
    if (event.ctrlKey || event.metaKey) return this.undone(event);
    if (event.altKey || (!this.on && event.key.length === 1)) return;
    if (this.page.teaching.key(event)) return;
    const { press } = KEYS.find(({ keys }) => keys.includes(event.key)) ?? {};
    const own = event.key === " " ? PRESSED : event.key.length > 1 && !event.key.startsWith("Page") ? MOVED : null;
    if (own && event.target.closest(own)) return;
    if (press) {
      event.preventDefault();
      if (!$(press).disabled) $(press).click();
    } else if ("1234".includes(event.key) && Number(event.key) <= (this.page.state.classes?.length ?? 4)) {
      this.page.editing.choose(Number(event.key) - 1);
    }
  }

  undone(event) {
    const key = event.key.toLowerCase();
    const call = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : null;
    if (!call) return;
    event.preventDefault();
    this.page[call]();
  }
}
