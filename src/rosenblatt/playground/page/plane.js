// The plane: points, boundary, weights as arrows, certificates. It draws what it is given and says what was clicked.

import { contour, isFlat, joined, leads, linearField, tint, untint, winner } from "./contours.js";
import { number, svg, vector } from "./dom.js";
import { Words } from "./words.js";

/** Places across of fields that the server computes. */
export const ACROSS = 48;

export const colourOf = code => `var(--class-${code})`;

/** The mark of a class around a place. */
export function mark(code, x, y, r, attributes = {}) {
  const shape = [
    () => svg("rect", { x: x - 0.9 * r, y: y - 0.9 * r, width: 1.8 * r, height: 1.8 * r }),
    () => svg("circle", { cx: x, cy: y, r }),
    () => svg("path", { d: `M${x} ${y - 1.25 * r}l${1.15 * r} ${2 * r}h${-2.3 * r}z` }),
    () => svg("path", { d: `M${x} ${y - 1.3 * r}l${1.2 * r} ${1.3 * r}l${-1.2 * r} ${1.3 * r}l${-1.2 * r} ${-1.3 * r}z` }),
  ][code]();
  for (const [key, value] of Object.entries({ class: `mark class-${code}`, ...attributes })) shape.setAttribute(key, value);
  return shape;
}

export class Plane {
  constructor(frame, canvas, picture) {
    Object.assign(this, { frame, canvas, picture, window: null, unit: 1, snap: 0.1 });
    this.resize();
  }

  /** Take the size of the frame; whether it is another than before. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (!width || !height || (width === this.width && height === this.height)) return false;  // one that is hidden has none
    Object.assign(this, { width, height });
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    return true;
  }

  /** Choose a window around the points and the origin, as far across as up, with room for arrows and for what lines
   * (a, b, c) of runs are near. */
  fit(points, boundaries = []) {
    const far = points.length ? Math.max(...points.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y)))) : 4;
    const about = 0.25 * (far || 1), around = [[-about, -about], [about, about]];
    const data = boxOf([[0, 0], ...points]), near = grown(data, 0.6 * Math.max(data.right - data.left, data.top - data.bottom));
    const feet = boundaries.filter(vectors => vectors.length === 1).map(([line]) => footOf(line, centre(data)));
    const seen = points.length ? feet.filter(foot => foot && within(foot, near)) : [[-4, -4], [4, 4]];
    const { left, right, bottom, top } = boxOf([...around, ...points, ...seen]);
    const across = (right - left) * 1.24, up = (top - bottom) * 1.24, [x, y] = [(left + right) / 2, (bottom + top) / 2];
    this.unit = Math.min(this.width / across, this.height / up);
    const [halfWidth, halfHeight] = [this.width / this.unit / 2, this.height / this.unit / 2];
    this.window = { left: x - halfWidth, right: x + halfWidth, bottom: y - halfHeight, top: y + halfHeight };
    this.snap = nice(Math.min(across, up) / 80);
    this.cross = this.onGrid([x, y]);
  }

  /** Whether all points are to be seen and not crowded. */
  holds(points) {
    const w = this.window;
    if (!w || !points.length) return false;
    const inside = points.every(([x, y]) => x > w.left && x < w.right && y > w.bottom && y < w.top);
    const xs = points.map(p => p[0]), ys = points.map(p => p[1]);
    const share = Math.max((Math.max(...xs) - Math.min(...xs)) / (w.right - w.left),
      (Math.max(...ys) - Math.min(...ys)) / (w.top - w.bottom));
    return inside && (points.length < 3 || share > 0.25);
  }

  get asked() {
    const w = this.window;
    return [w.left, w.right, w.bottom, w.top, ACROSS];
  }

  x = v => (v - this.window.left) * this.unit;
  y = v => (this.window.top - v) * this.unit;
  place = event => {
    const box = this.picture.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  point = ([px, py]) => this.onGrid([px / this.unit + this.window.left, this.window.top - py / this.unit]);
  onGrid = place => place.map(v => round(v, this.snap));

  /** The point at a place of the screen, or −1. */
  hit(points, [px, py], reach = 15) {
    let best = -1, nearest = reach;
    points.forEach(([a, b], i) => {
      const far = Math.hypot(this.x(a) - px, this.y(b) - py);
      if (far < nearest) [best, nearest] = [i, far];
    });
    return best;
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------

  /** Everything: points and what is to be shown with them. */
  draw(scene) {
    this.notes = svg("g", { "aria-hidden": "true" });  // words that lie above all else
    this.words = new Words(this.width, this.height, scene.points.map(([a, b]) => [this.x(a), this.y(b)]));
    const layers = [this.axes(scene.names), this.meaning(scene), this.points(scene), this.notes];
    if (scene.cross) layers.push(this.crosshair());
    this.picture.replaceChildren(...layers);
    this.picture.setAttribute("aria-label", scene.label);
  }

  axes(names) {
    const { left, right, bottom, top } = this.window, step = nice((right - left) / (this.width / 90));
    const group = svg("g", { class: "axes", "aria-hidden": "true" });
    const line = (x1, y1, x2, y2, zero) =>
      group.append(svg("line", { x1, y1, x2, y2, class: zero ? "zero" : null }));
    const tick = (x, y, value, anchor) => {
      const text = number(value), wide = 8 * text.length;
      group.append(svg("text", { x, y, "text-anchor": anchor }, text));
      this.words.take(anchor === "end" ? x - wide : x - wide / 2, y - 13, wide, 16);
    };
    for (let k = Math.ceil(left / step); k * step <= right; k++) {
      const at = this.x(k * step);
      line(at, 0, at, this.height, k === 0);
      if (k && at > 16 && at < this.width - 16) tick(at, clamp(this.y(0) + 18, 18, this.height - 6), k * step, "middle");
    }
    for (let k = Math.ceil(bottom / step); k * step <= top; k++) {
      const at = this.y(k * step);
      line(0, at, this.width, at, k === 0);
      if (k && at > 14 && at < this.height - 10) tick(clamp(this.x(0) - 7, 26, this.width - 6), at + 5, k * step, "end");
    }
    const named = j => cut(names?.[j] ?? `x[${j}]`), y = clamp(this.y(0) - 8, 20, this.height - 8);
    group.append(svg("text", { x: this.width - 8, y, "text-anchor": "end", class: "axis" }, named(0)),
      svg("text", { x: clamp(this.x(0) + 8, 8, this.width - 60), y: 18, class: "axis" }, named(1)));
    this.words.take(this.width - 8 - 8 * named(0).length, y - 14, 8 * named(0).length, 18);
    this.words.take(this.x(0) + 8, 2, 8 * named(1).length, 20);
    return group;
  }

  lines(values, n, level, attributes) {
    const { left, right, bottom, top } = this.window, at = (v, low, high) => low + (high - low) * v / (n - 1);
    const d = joined(contour(values, n, level)).map(line => "M" + line.map(([i, j]) =>
      `${this.x(at(i, left, right)).toFixed(1)} ${this.y(at(j, bottom, top)).toFixed(1)}`).join("L")).join("");
    return svg("path", { d, ...attributes });
  }

  /** Boundaries, arrows and certificates. */
  meaning({ field, last, model, update, tips, proof, codes, called }) {
    const group = svg("g", { "aria-hidden": "true" });
    if (proof) {
      untint(this.canvas);
      if (proof.vectors) group.append(...this.band(proof, codes));
      if (proof.meeting) group.append(...this.meeting(proof));
      return group;
    }
    if (field && !isFlat(field)) {
      tint(this.canvas, field, codes.map(colourNumbers), Number(css("--tint")));
      for (const values of leads(field)) group.append(this.lines(values, field.n, 0, { class: "boundary" }));
      const only = winner(field);
      if (only != null) this.notes.append(this.aside(`all of this is ${called(codes[only])}: the boundary lies outside`));
    } else untint(this.canvas);
    if (last && !isFlat(last))
      for (const values of leads(last)) group.append(this.lines(values, last.n, 0, { class: "boundary last" }));
    if (last) group.append(...this.legend(model));
    if (update) group.append(...this.sum(update, tips, Boolean(last)));
    return group;
  }

  /** What the two lines are. */
  legend(model) {
    const y = this.height - 16, line = (x, kind) => svg("line", { x1: x, x2: x + 34, y1: y, y2: y, class: `boundary ${kind}` });
    const text = (x, legend) => svg("text", { x, y: y + 5, class: "legend" }, legend);
    this.words.take(10, y - 14, 280, 28);
    return [line(14, ""), text(56, model), line(150, "last"), text(192, "last weights")];
  }

  /** A remark at the edge: so far above the lower one, or at the upper. */
  aside(text, low = null) {
    const y = low != null ? this.height - low : 20, wide = 7.6 * text.length;
    this.words.take(this.width - 10 - wide, y - 16, wide, 22);
    return svg("text", { x: this.width - 10, y, "text-anchor": "end", class: "legend aside" }, text);
  }

  fieldOf(vectors) {
    return linearField(vectors, this.window, vectors.length === 1 ? 2 : 161);
  }

  /** w before, what is added, and w: each class that moved has its own. `tips` are all that the run comes to; `legend`: there is one. */
  sum(vectors, tips, legend = false) {
    const share = this.share(tips), scale = share * this.unit, out = [];
    if (share !== 1) out.push(this.aside(`arrows at ${number(share)} × the scale of the axes`, legend && this.width < 580 ? 35 : 11));
    const arrows = vectors.flatMap(({ before, after, name, sign, code }) => {
      const own = code == null ? "" : ` class-${code}`, [from, to] = [before, after].map(([a, b]) => [a * scale, -b * scale]);
      if (before.every((v, i) => v === after[i])) return [[[0, 0], to, `weights${own}`, `w${name}`]];
      return [[[0, 0], from, `before${own}`, `w${name}`], [[0, 0], to, `weights${own}`, `new w${name}`],
        [...beside(from, to), "added", sign, true]];
    });
    const [ox, oy] = [this.x(0), this.y(0)];
    for (const [[ax, ay], [bx, by]] of arrows) this.words.avoid([ox + ax, oy + ay], [ox + bx, oy + by]);
    return [...out, ...arrows.flatMap(arrow => this.arrow(...arrow))];
  }

  /** How long a unit of weight is drawn, in units of the plane: 1, or a round share that keeps all tips in sight. */
  share(tips) {
    const [ox, oy] = [this.x(0), this.y(0)], edge = 34;
    const room = (from, size, step) => step > 0 ? (size - edge - from) / step : step < 0 ? (edge - from) / step : Infinity;
    const fits = Math.min(...tips.flatMap(([a, b]) => [room(ox, this.width, a), room(oy, this.height, -b)])) / this.unit;
    if (fits >= 1 || fits <= 0) return 1;
    const power = 10 ** Math.floor(Math.log10(fits));
    return Number((Math.floor(fits / power) * power).toPrecision(1));
  }

  /** An arrow between two places, in pixels from the origin, with a letter at its tip or beside it. */
  arrow(from, to, kind, label, midway = false) {
    const [ox, oy] = [this.x(0), this.y(0)], [x1, y1, x2, y2] = [ox + from[0], oy + from[1], ox + to[0], oy + to[1]];
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 2) return [];
    const [nx, ny] = [(x2 - x1) / length, (y2 - y1) / length], head = Math.min(15, length);
    const [bx, by] = [x2 - nx * head, y2 - ny * head], half = head * 0.43;
    const [x, y] = this.words.place(label, [x1, y1], [x2, y2], midway);
    this.notes.append(svg("text", { x, y: y + 5, "text-anchor": "middle", class: `letter ${kind}` }, label));
    return [
      svg("line", { x1, y1, x2: bx, y2: by, class: `arrow ${kind}` }),
      svg("path", { d: `M${x2} ${y2}L${bx - ny * half} ${by + nx * half}L${bx + ny * half} ${by - nx * half}Z`, class: `head ${kind}` }),
    ];
  }

  band(proof, codes) {
    const field = proof.field ? { values: proof.field, n: ACROSS } : this.fieldOf(proof.vectors);
    tint(this.canvas, field, codes.map(colourNumbers), Number(css("--tint")));
    const out = [];
    for (const values of leads(field)) {
      out.push(this.lines(values, field.n, 0, { class: "boundary" }));
      for (const level of field.values.length === 1 ? [-1, 1] : [1])
        out.push(this.lines(values, field.n, level, { class: "edge" }));
    }
    return out;
  }

  meeting({ meeting, points }) {
    const out = [], texts = new Map();
    for (const { plus, minus, rows } of meeting) {
      for (const [row, weight] of rows) {
        const to = weight > 0 ? plus : minus, [x, y] = points[row];
        out.push(svg("line", { x1: this.x(x), y1: this.y(y), x2: this.x(to[0]), y2: this.y(to[1]), class: "pull",
          "stroke-width": 1.5 + 4 * Math.abs(weight) }));
      }
      for (const sign of [1, -1]) {
        const side = rows.filter(([, weight]) => weight * sign > 0).map(([row]) => points[row]);
        out.push(svg("path", { class: `hull ${sign > 0 ? "plus" : "minus"}`,
          d: "M" + hull(side).map(([x, y]) => `${this.x(x)} ${this.y(y)}`).join("L") + "Z" }));
      }
      const [x, y] = [this.x(plus[0]), this.y(plus[1])];
      out.push(svg("circle", { cx: x, cy: y, r: 11, class: "met" }), svg("path", { class: "met",
        d: `M${x - 6} ${y - 6}l12 12m0 -12l-12 12` }));
      const place = `both are at ${vector(plus.map(v => Number(v.toFixed(4))))}`;
      texts.set(place, svg("text", { x: clamp(x + 16, 4, this.width - 9 * place.length), y: clamp(y + 34, 18, this.height - 8),
        class: "letter met" }, place));
    }
    this.notes.append(...texts.values());
    return out;
  }

  points({ points, labels, current, wrong, weights, proof, grabbed }) {
    const group = svg("g", { class: "points" });
    const r = Math.max(6, Math.min(12, this.width / 70)), strong = new Set(proof?.support ?? []);
    points.forEach(([a, b], i) => {
      const [x, y, code] = [this.x(a), this.y(b), labels[i]];
      if (weights?.[i]) group.append(svg("circle", { cx: x, cy: y, r: r + 3 + 9 * weights[i], class: "weight" }));
      if (strong.has(i)) group.append(svg("circle", { cx: x, cy: y, r: r + 6, class: "support" }));
      if (i === current) group.append(svg("circle", { cx: x, cy: y, r: r + 9, class: "current" }));
      group.append(mark(code, x, y, r, { "data-row": i, ...(i === grabbed ? { class: `mark class-${code} grabbed` } : {}) }));
      if (wrong?.has(i)) group.append(svg("path", { class: "wrong",
        d: `M${x - 0.55 * r} ${y - 0.55 * r}l${1.1 * r} ${1.1 * r}m0 ${-1.1 * r}l${-1.1 * r} ${1.1 * r}` }));
      if (proof?.lambda && proof.lambda[i] !== "0") group.append(this.lambda(proof, i, r));
    });
    return group;
  }

  /** λ of a point, on the side that is turned away from where the points meet. */
  lambda({ lambda, meeting, points }, i, r) {
    const [x, y] = [this.x(points[i][0]), this.y(points[i][1])];
    const [left, top] = meeting ? [this.x(meeting[0].plus[0]), this.y(meeting[0].plus[1])] : [x, y];
    const [dx, dy] = [x - left, y - top], far = Math.hypot(dx, dy);
    const [ux, uy] = far > 3 ? [dx / far, dy / far] : [0, -1], away = r + 12;
    const text = `λ = ${lambda[i]}`, wide = 8.5 * text.length;
    const side = ux > 0.3 ? 0 : ux < -0.3 ? 1 : 0.5;  // how much of the text is left of its place
    const begin = clamp(x + ux * away - side * wide, 4, this.width - wide - 4);
    return svg("text", { x: begin + side * wide, y: clamp(y + uy * (away + 6) + 5, 16, this.height - 6),
      class: "letter lambda", "text-anchor": ["start", "middle", "end"][2 * side] }, text);
  }

  crosshair() {
    const [x, y] = [this.x(this.cross[0]), this.y(this.cross[1])];
    return svg("g", { class: "cross", "aria-hidden": "true" },
      svg("path", { d: `M${x - 14} ${y}h28M${x} ${y - 14}v28` }),
      svg("text", { x: x + 10, y: y - 10 }, vector(this.cross)));
  }
}

/** The smallest of 1, 2 and 5 times powers of ten that is no smaller. */
function nice(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return Number([1, 2, 5, 10].map(m => m * power).find(v => v >= size).toPrecision(6));
}

/** Where what is added is drawn: from tip to tip, or beside the new w where it would lie on that. */
function beside(from, to) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]], size = Math.hypot(dx, dy) || 1, whole = Math.hypot(...to) || 1;
  const off = Math.abs(from[0] * to[1] - from[1] * to[0]) / whole;
  if (off > 7) return [from, to];
  const aside = [-dy / size * 10, dx / size * 10];
  return [from, to].map(([x, y]) => [x + aside[0], y + aside[1]]);
}

const boxOf = points => ({ left: Math.min(...points.map(p => p[0])), right: Math.max(...points.map(p => p[0])),
  bottom: Math.min(...points.map(p => p[1])), top: Math.max(...points.map(p => p[1])) });
const grown = ({ left, right, bottom, top }, by) => ({ left: left - by, right: right + by, bottom: bottom - by, top: top + by });
const centre = ({ left, right, bottom, top }) => [(left + right) / 2, (bottom + top) / 2];
const within = ([x, y], box) => x >= box.left && x <= box.right && y >= box.bottom && y <= box.top;

/** The place of the line a·x + b·y + c = 0 that is nearest to a point; null where there is no line. */
function footOf([a, b, c], [x, y]) {
  const off = (a * x + b * y + c) / (a * a + b * b);
  return Number.isFinite(off) ? [x - off * a, y - off * b] : null;
}

const cut = name => name.length > 24 ? name.slice(0, 23) + "…" : name;
const round = (v, step) => Number((Math.round(v / step) * step).toFixed(6)) + 0;
const clamp = (v, low, high) => Math.max(low, Math.min(high, v));
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name);

function colourNumbers(code) {
  const hex = css(`--class-${code}`).trim().slice(1);
  return [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16));
}

function hull(points) {
  if (points.length < 3) return points.length ? points : [[0, 0]];
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const turn = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = points => {
    const out = [];
    for (const p of points) {
      while (out.length > 1 && turn(out.at(-2), out.at(-1), p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
