// The lift: points rising onto the surface that a kernel of degree 2 makes of the plane, and the plane that cuts it. The
// coefficients of both are the server's.

import { ask, Refused } from "./api.js";
import { $, calm, el, number, svg } from "./dom.js";
import { mark } from "./plane.js";
import { className } from "./state.js";

const [WIDTH, HEIGHT, LINES, DETAIL] = [460, 340, 13, 24];

export class Lift {
  on = false;
  turned = -0.6;  // about the upright axis
  tilted = 0.42;  // of the view, from level
  raised = 1;  // how far the points have risen
  best = false;
  told = null;

  constructor(page) {
    this.page = page;
    this.picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "application", tabindex: 0, id: "lift-picture", "aria-label": "The lift",
      "aria-describedby": "lift-words", keydown: event => this.key(event) });
    this.slider = el("input", { type: "range", id: "lift-slider", min: 0, max: 1, step: 0.01, value: 1, "aria-label": "How far the points have risen",
      input: () => { this.rise(Number(this.slider.value)); } });
    this.which = el("button", { type: "button", id: "lift-best", "aria-pressed": "false", click: () => this.choose(!this.best) }, "Best separator");
    this.words = el("p", { id: "lift-words", class: "quiet" });
    this.panel = el("section", { id: "lift", "aria-labelledby": "lift-title", hidden: true }, el("h2", { id: "lift-title" }, "The lift"), this.picture,
      el("div", { class: "transport" }, el("button", { type: "button", class: "strong", id: "lift-play", click: () => this.play() }, "Lift"),
        el("label", { class: "slider" }, this.slider), this.which), this.words);
    document.querySelector(".now").before(this.panel);
    this.picture.addEventListener("pointerdown", event => { this.held = [event.clientX, event.clientY]; this.picture.setPointerCapture(event.pointerId); });
    this.picture.addEventListener("pointermove", event => this.drag(event));
    for (const kind of ["pointerup", "pointercancel"]) this.picture.addEventListener(kind, () => { this.held = null; });
  }

  turn(on) {
    if (on === this.on) return;
    this.on = on;
    this.panel.hidden = !on;
    $("lift-view").setAttribute("aria-pressed", String(on));
    cancelAnimationFrame(this.frame);
    if (!on) return;
    this.asked = null;
    this.choose(document.body.classList.contains("in-lesson"));
    const { settings, points } = this.page.state;
    if (points[0]?.length === 2 && (settings.space !== "poly" || settings.degree !== 2)) {
      const lifted = { ...settings, space: "poly", degree: 2, ...(settings.readout === "voted" ? { readout: "last" } : {}), ...(settings.rule === "batch" ? { rule: "perceptron" } : {}) };
      this.page.remember();
      this.page.controls.show(lifted);
      this.page.set({ settings: lifted, step: Infinity });
    } else this.show();
  }

  choose(best) {
    this.best = best;
    this.which.setAttribute("aria-pressed", String(best));
    this.asked = null;
    this.show();
  }

  async show() {
    const { run, question, state: { step } } = this.page;
    if (!this.on || !run) return;
    const asked = `${step} ${this.best}`;
    if (run === this.of && asked === this.asked) return;
    [this.of, this.asked] = [run, asked];
    try {
      const told = await ask("lift", { ...question, at: step, best: this.best });
      if (!told) return;
      [this.told, this.points, this.labels] = [told, question.points, question.labels];
      this.words.textContent = this.sentence(told);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.told = null;
      this.words.textContent = error.message;
    }
    this.draw();
  }

  sentence({ flat, surface, plane, above, round }) {
    if (flat) return this.best ? "The points cannot be separated by this kernel: there is no plane to show." : "All weights are 0: there is nothing to lift yet. Step on.";
    const term = (v, name, first) => Math.abs(v) < 5e-5 ? "" : `${v < 0 ? (first ? "−" : " − ") : first ? "" : " + "}${Math.abs(Math.abs(v) - 1) < 5e-5 && name ? "" : number(Math.abs(v), 3)}${name}`;
    const sum = (values, names) => {
      let text = "";
      values.forEach((v, i) => { text += term(v, names[i], text === ""); });
      return text || "0";
    };
    const [xx, xy, yy] = surface;
    return `Each point rises to z = ${sum([xx, yy, xy], ["x²", "y²", "xy"])}${round ? ", a round paraboloid" : ""}. The plane z = ${sum(plane, ["x", "y", ""])} cuts it: above it the `
      + `model says ${className(this.page.question, this.page.codes[above])}. Seen from above, the cut is the boundary. Drag to turn it.`;
  }

  // ---- moving --------------------------------------------------------------------------------------------------------

  rise(to) {
    this.raised = to;
    this.slider.value = to;
    this.draw();
  }

  play() {
    cancelAnimationFrame(this.frame);
    if (calm()) return this.rise(1);
    const began = performance.now();
    const tick = now => {
      const t = Math.min(1, (now - began) / 1800);
      this.turned = -0.6 - 0.9 * (1 - t);
      this.rise(t * t * (3 - 2 * t));
      if (t < 1) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  drag(event) {
    if (!this.held) return;
    this.look(this.turned - (event.clientX - this.held[0]) / 120, this.tilted + (event.clientY - this.held[1]) / 160);
    this.held = [event.clientX, event.clientY];
  }

  look(turned, tilted) {
    [this.turned, this.tilted] = [turned, Math.max(0.02, Math.min(1.5, tilted))];
    this.draw();
  }

  key(event) {
    const by = { ArrowLeft: [0.12, 0], ArrowRight: [-0.12, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    this.look(this.turned + by[0], this.tilted + by[1]);
  }

  // ---- drawing -------------------------------------------------------------------------------------------------------

  draw() {
    const { told } = this;
    if (!told || told.flat) {
      this.picture.setAttribute("aria-label", "The lift: nothing to show");
      return this.picture.replaceChildren();
    }
    const { surface: [xx, xy, yy], plane: [p, q, r], heights } = told;
    const spans = [0, 1].map(j => this.points.map(point => point[j])).map(values => [Math.min(...values), Math.max(...values)]);
    const [cx, cy] = spans.map(([from, to]) => (from + to) / 2), reach = 0.6 * Math.max(...spans.map(([from, to]) => to - from), 1e-9);
    const over = (x, y) => xx * x * x + xy * x * y + yy * y * y, cut = (x, y) => p * x + q * y + r;
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [cx + x * reach, cy + y * reach]);
    const tops = [0, ...heights, ...this.points.map(([x, y]) => cut(x, y))], [low, high] = [Math.min(...tops), Math.max(...tops)];
    const unit = 0.36 * WIDTH / reach / Math.SQRT2, tall = 1.5 * reach / (high - low || 1), middle = (low + high) / 2;
    const [ct, st, cv, sv] = [Math.cos(this.turned), Math.sin(this.turned), Math.cos(this.tilted), Math.sin(this.tilted)];
    const at = (x, y, z) => {
      const [a, b] = [x - cx, y - cy], across = a * ct - b * st, deep = a * st + b * ct;
      return [WIDTH / 2 + across * unit, HEIGHT / 2 - ((z - middle) * tall * cv + deep * sv) * unit];
    };
    const path = places => "M" + places.map(place => place.map(v => v.toFixed(1)).join(" ")).join("L");
    const steps = (count, centre) => Array.from({ length: count }, (_, k) => centre - reach + 2 * reach * k / (count - 1));
    const top = high + 0.15 * (high - low), bottom = low - 0.15 * (high - low);
    const floor = Math.min(0, low), lines = [
      ...steps(LINES, cx).map(x => steps(DETAIL, cy).map(y => [x, y, this.raised * over(x, y)])),
      ...steps(LINES, cy).map(y => steps(DETAIL, cx).map(x => [x, y, this.raised * over(x, y)]))]
      .flatMap(line => within(line, bottom, top)).map(line => line.map(place => at(...place)));
    const order = this.points.map(([x, y], i) => ({ x, y, i, deep: x * st + y * ct, above: heights[i] > cut(x, y) })).sort((a, b) => b.deep - a.deep);
    const lifted = ({ x, y, i }) => {
      const top = at(x, y, this.raised * heights[i]), foot = at(x, y, floor);
      return [svg("line", { x1: foot[0], y1: foot[1], x2: top[0], y2: top[1], class: "stem" }), mark(this.labels[i], ...top, 7)];
    };
    const up = this.raised > 0.98, below = up ? order.filter(each => !each.above) : order;
    this.picture.replaceChildren(
      svg("path", { d: path(corners.map(([x, y]) => at(x, y, floor))) + "Z", class: "floor-plane" }),
      svg("g", {}, lines.map(line => svg("path", { d: path(line), class: "mesh" }))),
      svg("g", {}, below.flatMap(lifted)),  // what lies below the plane is seen through it
      ...(up ? [svg("path", { d: path(corners.map(([x, y]) => at(x, y, cut(x, y)))) + "Z", class: "cutting" }),
        svg("g", {}, order.filter(each => each.above).flatMap(lifted))] : []));
    this.picture.setAttribute("aria-label", `${this.points.length} points ${this.raised > 0.98 ? "on the surface, cut by a plane" : "on their way up"}; arrow keys turn the view`);
  }
}

/** The pieces of a line on the surface that lie between two heights. */
function within(line, bottom, top) {
  const pieces = [];
  let piece = null;
  line.forEach((place, i) => {
    const before = line[i - 1];
    const crossing = z => place.map((v, j) => before[j] + (v - before[j]) * (z - before[2]) / (place[2] - before[2]));
    const inside = p => p[2] >= bottom && p[2] <= top, edge = p => p[2] > top ? top : bottom;
    if (!inside(place)) {
      if (piece) piece.push(crossing(edge(place)));
      piece = null;
      return;
    }
    if (!piece) pieces.push(piece = before ? [crossing(edge(before))] : []);
    piece.push(place);
  });
  return pieces;
}
