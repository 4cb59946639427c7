// Points placed, moved and erased on the plane, by pointer or by keyboard.

import { $, el } from "./dom.js";
import { className, MOST_CLASSES, MOST_POINTS, SHAPES } from "./state.js";

export const ERASE = "erase";

export class Editing {
  /** `page` has state, plane, and changed(kind): "drag" while a point moves, "edit" when something is done. */
  constructor(page) {
    this.page = page;
    this.tool = 1;
    this.grabbed = -1;
    const picture = page.plane.picture;
    picture.addEventListener("pointerdown", event => this.down(event));
    picture.addEventListener("pointermove", event => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) picture.addEventListener(kind, () => this.up());
    picture.addEventListener("keydown", event => this.key(event));
    for (const kind of ["focus", "blur"]) picture.addEventListener(kind, () => { this.grabbed = -1; page.redraw(); });
    $("tools").addEventListener("keydown", event => this.turn(event));
  }

  get editable() {
    const { points } = this.page.state;
    return points.length === 0 || points[0].length === 2;
  }

  // ---- tools -----------------------------------------------------------------------------------------------------

  show() {
    const { state } = this.page, count = state.classes?.length ?? MOST_CLASSES;
    if (this.tool !== ERASE && this.tool >= count) this.tool = count - 1;
    $("tools").hidden = !this.editable;
    const now = JSON.stringify([this.tool, state.classes, Math.max(...state.labels, 1), state.points.length > 0, this.page.canUndo]);
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
      el("button", { type: "button", id: "undo", disabled: !this.page.canUndo, title: "Undo (Ctrl+Z)", click: () => this.page.undo() }, "Undo"));
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

  down(event) {
    if (!this.editable || event.button !== 0) return;
    const { state, plane } = this.page, at = plane.place(event), hit = plane.hit(state.points, at);
    if (this.tool === ERASE) {
      if (hit >= 0) this.erase(hit);
      return;
    }
    event.preventDefault();
    plane.picture.focus({ preventScroll: true });
    this.page.remember();
    if (hit < 0 && !this.add(plane.point(at))) return this.page.forget();
    this.dragged = hit < 0 ? state.points.length - 1 : hit;
    this.moved = hit < 0;
    plane.picture.setPointerCapture(event.pointerId);
    this.page.changed("drag");
  }

  move(event) {
    if (this.dragged == null) return;
    const { state, plane } = this.page, to = plane.point(plane.place(event)), from = state.points[this.dragged];
    if (to[0] === from[0] && to[1] === from[1]) return;
    state.points[this.dragged] = to;
    this.moved = true;
    this.page.changed("drag");
  }

  up() {
    if (this.dragged == null) return;
    this.dragged = null;
    if (this.moved) this.page.changed("edit");
    else this.page.forget();
  }

  add(point) {
    const { state } = this.page;
    if (state.points.length >= MOST_POINTS) {
      this.page.say(`There are ${MOST_POINTS} points already: the page draws no more.`);
      return false;
    }
    state.points.push(point);
    state.labels.push(this.tool);
    state.captions?.push("");
    return true;
  }

  erase(i) {
    this.page.remember();
    this.page.own();
    for (const list of ["points", "labels", "captions"]) this.page.state[list]?.splice(i, 1);
    this.page.changed("edit");
  }

  // ---- the keyboard ------------------------------------------------------------------------------------------------

  key(event) {
    if (!this.editable || event.ctrlKey || event.metaKey || event.altKey) return;
    const { plane, state } = this.page;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }, way = ways[event.key];
    const at = plane.hit(state.points, [plane.x(plane.cross[0]), plane.y(plane.cross[1])], 9);
    if (way) {
      const by = plane.snap * (event.shiftKey ? 10 : 2), w = plane.window;
      plane.cross = plane.onGrid([Math.min(w.right, Math.max(w.left, plane.cross[0] + way[0] * by)),
        Math.min(w.top, Math.max(w.bottom, plane.cross[1] + way[1] * by))]);
      if (this.grabbed >= 0) {
        state.points[this.grabbed] = [...plane.cross];
        this.page.changed("drag");
      } else this.page.redraw();
      this.tell(at);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.grabbed >= 0) {
        this.grabbed = -1;
        this.page.changed("edit");
        this.page.say("Put down.");
      } else if (at >= 0 && this.tool === ERASE) this.erase(at);
      else if (at >= 0) {
        this.page.remember();
        [this.grabbed, plane.cross] = [at, [...state.points[at]]];
        this.page.redraw();
        this.page.say(`Picked up point ${at}: arrow keys move it, Enter puts it down.`);
      } else if (this.tool !== ERASE) {
        this.page.remember();
        this.page.own();
        if (this.add([...plane.cross])) this.page.changed("edit");
      }
    } else if ((event.key === "Delete" || event.key === "Backspace") && at >= 0) {
      this.grabbed = -1;
      this.erase(at);
    } else if ((event.key === "[" || event.key === "]") && state.points.length) {
      const by = event.key === "]" ? 1 : -1, n = state.points.length;
      this.visited = ((this.visited ?? (by > 0 ? -1 : 0)) + by + n) % n;
      plane.cross = [...state.points[this.visited]];
      this.page.redraw();
      this.tell(this.visited);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  tell(at) {
    const { plane, state } = this.page, place = plane.cross.join(", ");
    this.page.say(at >= 0 ? `${place}: point ${at}, class ${className(state, state.labels[at])}` : place);
  }
}
