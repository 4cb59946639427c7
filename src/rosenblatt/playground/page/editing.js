// Points placed, moved and erased on the plane, by pointer or by keyboard.

import { $, el } from "./dom.js";
import { MOST } from "./rules.js";
import { className, SHAPES } from "./state.js";

export const ERASE = "erase";
/** Pixels: how near a finger must be to a point to drag it, and how far a tap may slip. */
const FINGER = 24, SLIP = 10;

export class Editing {
  /** `page` has state, plane, and changed(kind): "add" and "drag" while a point is placed and moves, "edit" when it is done. */
  constructor(page) {
    this.page = page;
    this.tool = 1;
    this.grabbed = -1;
    const picture = page.plane.picture;
    picture.addEventListener("pointerdown", event => { this.pressed = true; this.down(event); });
    picture.addEventListener("pointermove", event => this.move(event));
    picture.addEventListener("pointerup", event => this.up(event));
    picture.addEventListener("pointercancel", () => this.cancel());
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { this.pressed = false; });
    // a finger on a point drags it; anywhere else it may scroll
    picture.addEventListener("touchstart", event => { if (this.touches(event)) event.preventDefault(); }, { passive: false });
    picture.addEventListener("keydown", event => this.key(event));
    picture.addEventListener("focus", () => { this.byKeys = !this.pressed; page.redraw(); });
    picture.addEventListener("blur", () => { this.grabbed = -1; page.redraw(); });
    $("tools").addEventListener("keydown", event => this.turn(event));
  }

  /** The cross is the keyboard's: a pointer has one of its own. */
  get showsCross() {
    return this.byKeys && document.activeElement === this.page.plane.picture && !this.page.projector.on;
  }

  get editable() {
    const { points } = this.page.state;
    return points.length === 0 || points[0].length === 2;
  }

  // ---- tools -----------------------------------------------------------------------------------------------------

  show() {
    const { state, history } = this.page, count = state.classes?.length ?? MOST.classes;
    if (this.tool !== ERASE && this.tool >= count) this.tool = count - 1;
    $("tools").hidden = !this.editable;
    const now = JSON.stringify([this.tool, state.classes, Math.max(...state.labels, 1), state.points.length > 0, history.past.length > 0,
      history.future.length > 0]);
    if (now === this.shown) return;  // a button that is replaced while it is pressed would not be clicked
    this.shown = now;
    const tool = (value, label, shown) => el("button", { type: "button", role: "radio", "data-tool": value,
      "aria-checked": String(this.tool === value), tabindex: this.tool === value ? 0 : -1, "aria-label": label,
      class: value === ERASE ? null : `tool-${value}`, click: () => this.choose(value) }, ...shown);
    const focused = $("tools").contains(document.activeElement);
    $("tools").replaceChildren(
      ...Array.from({ length: count }, (_, code) => tool(code, `Place points of class ${className(state, code)}`,
        [el("span", { class: "shape" }, SHAPES[code]), ` ${className(state, code)}`])),
      tool(ERASE, "Erase points", ["✕ erase"]),
      el("button", { type: "button", id: "clear", disabled: state.points.length === 0, click: () => this.page.clear() }, "Clear"),
      el("button", { type: "button", id: "undo", disabled: !history.past.length, title: "Undo (Ctrl+Z)", "aria-label": "Undo",
        click: () => this.page.undo() }, "↶"),
      el("button", { type: "button", id: "redo", disabled: !history.future.length, title: "Redo (Ctrl+Y)", "aria-label": "Redo",
        click: () => this.page.redo() }, "↷"));
    if (focused) $("tools").querySelector("[tabindex='0']")?.focus();
  }

  choose(value) {
    this.tool = value;
    this.show();
  }

  turn(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const radios = [...$("tools").querySelectorAll("[role=radio]")], at = radios.indexOf(document.activeElement);
    if (!by || at < 0) return;
    event.preventDefault();
    const to = radios[(at + by + radios.length) % radios.length].dataset.tool;
    this.choose(to === ERASE ? ERASE : Number(to));
  }

  /** Whether a point is on its way. */
  get busy() {
    return this.dragged != null || this.grabbed >= 0;
  }

  // ---- the pointer -------------------------------------------------------------------------------------------------

  /** The point under a place of the screen, or −1. */
  under(event, reach) {
    return this.page.plane.hit(this.page.state.points, this.page.plane.place(event), reach);
  }

  touches({ touches, targetTouches }) {
    return this.editable && touches.length === 1 && this.under(targetTouches[0], FINGER) >= 0;
  }

  down(event) {
    if (!this.editable || event.button !== 0 || !event.isPrimary) return;
    const { state, plane } = this.page, finger = event.pointerType === "touch", hit = this.under(event, finger ? FINGER : undefined);
    this.byKeys = false;
    plane.picture.focus({ preventScroll: true });
    this.page.redraw();
    if (finger && (hit < 0 || this.tool === ERASE)) {  // a tap, or the beginning of a swipe: that is known at its end
      this.tap = { from: plane.place(event), hit };
      return;
    }
    if (this.tool === ERASE) {
      if (hit >= 0) this.erase(hit);
      return;
    }
    event.preventDefault();
    this.before = this.page.snapshot();
    if (hit < 0 && !this.place(plane.point(plane.place(event)))) return;
    this.dragged = hit < 0 ? state.points.length - 1 : hit;
    plane.picture.setPointerCapture(event.pointerId);
  }

  move(event) {
    this.page.plane.picture.classList.toggle("over", this.editable && (this.dragged != null || this.under(event) >= 0));
    if (this.dragged == null) return;
    const { state, plane } = this.page, to = plane.point(plane.place(event)), from = state.points[this.dragged];
    if (to[0] === from[0] && to[1] === from[1]) return;
    this.put(this.dragged, to);
  }

  up(event) {
    const { plane } = this.page, { tap } = this, at = plane.place(event);
    this.tap = null;
    if (tap && Math.hypot(at[0] - tap.from[0], at[1] - tap.from[1]) < SLIP) {
      if (tap.hit >= 0) return this.erase(tap.hit);
      this.before = this.page.snapshot();
      if (this.tool !== ERASE && this.place(plane.point(at))) this.page.changed("edit");
    }
    this.cancel();
  }

  cancel() {
    const moved = this.dragged != null && !this.before;
    this.tap = this.dragged = this.before = null;
    if (moved) this.page.changed("edit");
  }

  /** A point goes elsewhere; what was before its first move can be undone. */
  put(i, to) {
    this.begin();
    this.page.state.points[i] = to;
    this.page.changed("drag");
  }

  /** What is done next can be undone as far as `before`. */
  begin() {
    if (this.before) this.page.remember(this.before);
    this.before = null;
    if (this.page.example.name) this.page.own();
  }

  /** A new point of the class that is chosen; whether there was room for it. */
  place(point) {
    const { state } = this.page;
    if (state.points.length >= MOST.points) {
      this.page.say(`There are ${MOST.points} points already: the page draws no more.`);
      return false;
    }
    this.begin();
    state.points.push(point);
    state.labels.push(this.tool);
    state.captions?.push("");
    this.page.changed("add");
    return true;
  }

  erase(i) {
    this.before = this.page.snapshot();
    this.begin();
    for (const list of ["points", "labels", "captions"]) this.page.state[list]?.splice(i, 1);
    this.page.changed("edit");
  }

  // ---- the keyboard ------------------------------------------------------------------------------------------------

  /** The point under the cross, or −1. */
  get crossed() {
    const { plane, state } = this.page;
    return plane.hit(state.points, [plane.x(plane.cross[0]), plane.y(plane.cross[1])], 9);
  }

  key(event) {
    if (!this.editable || this.page.projector.on || event.ctrlKey || event.metaKey || event.altKey) return;
    const { plane, state } = this.page, { crossed } = this;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!this.byKeys && (way || event.key === " ")) return;  // after a click these are the page's
    if (way) this.walk(way, event.shiftKey);
    else if (event.key === "Enter" || event.key === " ") this.enter(crossed);
    else if ((event.key === "Delete" || event.key === "Backspace") && crossed >= 0) {
      this.grabbed = -1;
      this.erase(crossed);
    } else if ((event.key === "[" || event.key === "]") && state.points.length) {
      const by = event.key === "]" ? 1 : -1, n = state.points.length;
      this.visited = ((this.visited ?? (by > 0 ? -1 : 0)) + by + n) % n;
      plane.cross = [...state.points[this.visited]];
      this.tell(this.visited);
    } else return;
    this.byKeys = true;
    this.page.redraw();
    event.preventDefault();
    event.stopPropagation();
  }

  /** The cross goes a little way, and the point that it holds with it. */
  walk(way, far) {
    const { plane } = this.page, by = plane.snap * (far ? 10 : 2), w = plane.window;
    plane.cross = plane.onGrid([Math.min(w.right, Math.max(w.left, plane.cross[0] + way[0] * by)),
      Math.min(w.top, Math.max(w.bottom, plane.cross[1] + way[1] * by))]);
    if (this.grabbed >= 0) this.put(this.grabbed, [...plane.cross]);
    this.tell(this.grabbed >= 0 ? this.grabbed : this.crossed);
  }

  /** Put down what is held, pick up what is there, or place a point. */
  enter(at) {
    const { plane, state } = this.page;
    if (this.grabbed >= 0) {
      this.grabbed = -1;
      if (!this.before) this.page.changed("edit");
      this.page.say("Put down.");
    } else if (at >= 0 && this.tool === ERASE) this.erase(at);
    else if (at >= 0) {
      this.before = this.page.snapshot();
      [this.grabbed, plane.cross] = [at, [...state.points[at]]];
      this.page.say(`Picked up point ${at}: arrow keys move it, Enter puts it down.`);
    } else if (this.tool !== ERASE) {
      this.before = this.page.snapshot();
      if (this.place([...plane.cross])) this.page.changed("edit");
    }
  }

  tell(at) {
    const { plane, state } = this.page, place = plane.cross.join(", ");
    this.page.say(at >= 0 ? `${place}: point ${at}, class ${className(state, state.labels[at])}` : place);
  }
}
