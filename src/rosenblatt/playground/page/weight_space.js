// The weight space: each point forbids a half-plane of weights, and w walks to where nothing is forbidden. Below it the
// two curves of the proof. Lines are drawn from the points, numbers are the server's.

import { ask, Refused } from "./api.js";
import { arrow } from "./arrows.js";
import { $, bound, el, number, svg } from "./dom.js";

const [WIDTH, HEIGHT] = [430, 210];
/** Beyond the picture on all sides: it may be shown in a frame of another shape. */
const wide = { x: -WIDTH, y: -HEIGHT, width: 3 * WIDTH, height: 3 * HEIGHT };

export class WeightSpace {
  on = false;
  proof = null;
  all = false;  // whether the curves are shown up to where they meet

  constructor(page) {
    this.page = page;
    this.picture = el("figure", { class: "half-planes" });
    this.curves = el("figure", { class: "curves" });
    this.words = el("p", { class: "quiet" });
    this.claims = el("p", { id: "claims" });
    this.more = el("button", { type: "button", id: "where-they-meet", "aria-pressed": "false", click: () => { this.all = !this.all; this.show(); } },
      "To where they meet");
    this.panel = el("section", { id: "weights", class: "weights", "aria-labelledby": "weights-title", hidden: true },
      el("h2", { id: "weights-title" }, "Weight space"), el("div", { class: "pair" },
        el("div", {}, this.picture, this.words), el("div", {}, this.curves, this.claims, this.more)));
    document.querySelector(".now").after(this.panel);
  }

  turn(on) {
    this.on = on;
    this.panel.hidden = !on;
    document.body.classList.toggle("weight-space", on);
    $("weight-space").setAttribute("aria-pressed", String(on));
    this.show();
  }

  show() {
    const { run, question, state: { step } } = this.page;
    if (!this.on) return;
    if (run !== this.of) {
      [this.of, this.proof] = [run, null];
      if (run) this.load(run);
    }
    if (!run) {
      for (const part of [this.picture, this.curves, this.words, this.claims]) part.replaceChildren();
      return;
    }
    const why = this.notInPlane(run, question);
    this.words.replaceChildren(why || this.sentence(run, question.settings, step));
    this.picture.replaceChildren(...(why ? [] : [this.halfPlanes(run, question, step)]));
    this.twoCurves(step);
  }

  async load(run) {
    try {
      const proof = await ask("proof", this.page.question);
      if (!proof || run !== this.page.run) return;
      this.proof = proof;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.proof = { why_not: error.message };
    }
    this.show();
  }

  // ---- half-planes ---------------------------------------------------------------------------------------------------

  notInPlane(run, { points }) {
    if (run.kernel) return "In the space of a kernel there are too many weights to draw. The curves below hold there too.";
    if (run.form !== "binary") return "With several classes there is a weight vector for each: their space has too many dimensions to draw.";
    if (points[0].length !== 2) return `There are ${points[0].length} features, and as many weights: their space is drawn for two.`;
    return "";
  }

  sentence(run, { bias }, step) {
    const moment = momentAt(run, step), inside = moment.right.length === run.codes.length && step > 0;
    const sure = moment.variances ? "The ellipse is one standard deviation of w wide each way: where the rule still thinks w may lie. " : "";
    const here = sure + (inside ? "w is inside: every point is right." : "");
    if (!bias)
      return `Each point forbids the half-plane of weights that get it wrong; what none forbids is the solution cone. ${here}`;
    return `A slice of the three weights at the bias of this step, b = ${number(moment.vectors[0][2])}: each point forbids the weights that `
      + `get it wrong with this b. When b changes, the lines move; earlier w are shown from above. ${here}`;
  }

  halfPlanes(run, { points, labels }, at) {
    const moment = momentAt(run, at), step = at ? run.steps[at - 1] : null;
    const all = run.moments.map(({ vectors }) => vectors[0]), b = moment.vectors[0][2];
    const spread = moment.variances?.[0].map(Math.sqrt), round = spread ? [w => Math.abs(w[0]) + spread[0], w => Math.abs(w[1]) + spread[1]] : null;
    const seen = spread ? [round[0](moment.vectors[0]) * HEIGHT / WIDTH, round[1](moment.vectors[0])] : [];
    const reach = 1.25 * Math.max(1e-9, ...seen, ...all.flatMap(([p, q]) => [Math.abs(p) * HEIGHT / WIDTH, Math.abs(q)])) || 1;
    const unit = HEIGHT / 2 / reach, x = v => WIDTH / 2 + v * unit, y = v => HEIGHT / 2 - v * unit;
    const far = 4 * (WIDTH + HEIGHT) / unit;
    const planes = points.map((point, i) => forbidden(point, run.codes[i] ? 1 : -1, b, far)).map((corners, i) =>
      ({ i, corners: corners?.map(([p, q]) => `${x(p).toFixed(1)} ${y(q).toFixed(1)}`) })).filter(({ corners }) => corners);
    const shape = ({ corners }) => `M${corners.join("L")}Z`, line = ({ corners }) => `M${corners[0]}L${corners[1]}`;
    const now = step?.row, mine = planes.filter(({ i }) => i === now);
    const trail = [[0, 0], ...run.steps.slice(0, at).map(each => run.moments[each.after].vectors[0])];
    const before = at ? momentAt(run, at - 1).vectors[0] : null, w = moment.vectors[0];
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Weight space: w = (${number(w[0])}, ${number(w[1])}), `
      + `${moment.right.length} of ${run.codes.length} points are right` },
      svg("defs", {}, svg("mask", { id: "free", maskUnits: "userSpaceOnUse", ...wide }, svg("rect", { ...wide, fill: "white" }),
        planes.map(plane => svg("path", { d: shape(plane), fill: "black" })))),
      planes.map(plane => svg("path", { d: shape(plane), class: `forbidden class-${labels[plane.i]}`, opacity: Math.min(0.12, 0.8 / planes.length) })),
      svg("rect", { ...wide, class: "free", mask: "url(#free)" }),
      svg("line", { x1: -WIDTH, x2: 2 * WIDTH, y1: y(0), y2: y(0), class: "zero" }), svg("line", { y1: -HEIGHT, y2: 2 * HEIGHT, x1: x(0), x2: x(0), class: "zero" }),
      svg("text", { x: WIDTH - 8, y: y(0) - 7, "text-anchor": "end", class: "letter" }, "w₁"), svg("text", { x: x(0) + 8, y: 18, class: "letter" }, "w₂"),
      planes.map(plane => svg("path", { d: line(plane), class: `limit class-${labels[plane.i]}` })),
      mine.map(plane => svg("path", { d: line(plane), class: `limit of-step class-${labels[plane.i]}` })),
      svg("path", { d: "M" + trail.map(([p, q]) => `${x(p).toFixed(1)} ${y(q).toFixed(1)}`).join("L"), class: "walk" }),
      trail.map(([p, q]) => svg("circle", { cx: x(p), cy: y(q), r: 2.6, class: "stop" })),
      ...arrow([x(0), y(0)], [x(w[0]), y(w[1])], "weights", 12),
      ...(before && step.moved ? arrow([x(before[0]), y(before[1])], [x(w[0]), y(w[1])], "added", 12) : []),
      spread ? svg("ellipse", { cx: x(w[0]), cy: y(w[1]), rx: spread[0] * unit, ry: spread[1] * unit, class: "sure" }) : null,
      svg("circle", { cx: x(w[0]), cy: y(w[1]), r: 6, class: "here" }));
  }

  // ---- the proof -----------------------------------------------------------------------------------------------------

  twoCurves(step) {
    const { proof } = this;
    this.more.hidden = true;
    if (!proof || proof.why_not || !proof.updates.length) {
      this.curves.replaceChildren();
      this.claims.textContent = proof?.why_not ?? (proof ? "Nothing moved, so there is nothing to prove." : "");
      return;
    }
    const { updates, ahead } = proof, count = updates.filter(each => each.step <= step).length, most = ahead.length ? ahead.at(-1)[0] : updates.length;
    const distant = most > 8 * updates.length;
    this.more.hidden = !distant;
    this.more.setAttribute("aria-pressed", String(this.all));
    const right = distant && !this.all ? 1.5 * updates.length : Math.max(most * 1.06, updates.length);
    const visible = ahead.filter(([M]) => M <= right), [width, height, left, bottom] = [430, 165, 36, 22];
    const top = 1.06 * Math.max(...visible.flatMap(([, floor, ceiling]) => [floor, ceiling]), ...updates.flatMap(each => [each.norm, each.ceiling ?? 0]));
    const x = M => left + M / right * (width - left - 10), y = v => 8 + (1 - v / top) * (height - 8 - bottom);
    const path = places => "M" + places.map(([M, v]) => `${x(M).toFixed(1)} ${y(v).toFixed(1)}`).join("L");
    const run = key => [[0, 0], ...updates.slice(0, count).map((each, k) => [k + 1, each[key]])];
    const drawn = (key, kind) => updates[0][key] == null ? null : svg("path", { d: path(run(key)), class: kind });
    const now = count ? updates[count - 1] : null, meet = ahead.length && most <= right ? ahead.at(-1) : null;
    this.curves.replaceChildren(
      svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.inWords(now, count) },
        svg("line", { x1: left, x2: width - 10, y1: y(0), y2: y(0), class: "zero" }), svg("line", { x1: left, x2: left, y1: 8, y2: y(0), class: "zero" }),
        svg("text", { x: left - 6, y: y(0) + 4, "text-anchor": "end" }, "0"), svg("text", { x: left - 6, y: 20, "text-anchor": "end" }, number(top / 1.06, 2)),
        svg("text", { x: width - 10, y: height - 6, "text-anchor": "end" }, `M = ${number(right, 3)}`),
        visible.length ? svg("path", { d: path(visible.map(([M, floor]) => [M, floor])), class: "floor ahead" }) : null,
        visible.length ? svg("path", { d: path(visible.map(([M, , ceiling]) => [M, ceiling])), class: "ceiling ahead" }) : null,
        drawn("ceiling", "ceiling"), drawn("floor", "floor"), drawn("norm", "norm"), drawn("progress", "progress"),
        meet ? [svg("circle", { cx: x(meet[0]), cy: y(meet[1]), r: 5, class: "meet" }),
          svg("text", { x: Math.min(x(meet[0]), width - 10), y: y(meet[1]) + 24, "text-anchor": "end", class: "meet" }, "(R/γ)²")] : null,
        now ? [["norm", now.norm], ["progress", now.progress]].map(([kind, v]) => svg("circle", { cx: x(count), cy: y(v), r: 4.5, class: kind })) : null),
      el("figcaption", {}, ...[["ceiling", this.names.ceiling], ["norm", "‖w‖"], ["progress", "u·w"], ["floor", this.names.floor]].flatMap(([kind, name]) =>
        updates[0][kind] == null ? [] : [el("span", { class: `key ${kind}` }), `${name} `])));
    const limit = proof.bound == null ? "" : ` No run can make more than ${bound(proof.bound, 1, 5)} updates: there the outer curves meet.`;
    this.claims.textContent = this.inWords(now, count) + limit;
  }

  /** What the outer curves are: those of the textbook where every step is 1 long. */
  get names() {
    const { rule, eta0, margin } = this.page.question.settings;
    return rule === "perceptron" && eta0 === 1 && margin === 0 && this.page.run.form === "binary" ? { floor: "Mγ", ceiling: "√M·R" }
      : { floor: "γ·Σ τ", ceiling: "longest ‖w‖" };
  }

  inWords(now, count) {
    if (!now) return "Before the first update everything is 0.";
    const ceiling = now.ceiling == null ? "" : ` ≤ ${this.names.ceiling} = ${number(now.ceiling)}`;
    return `M = ${count}: ${this.names.floor} = ${number(now.floor)} ≤ u·w = ${number(now.progress)} ≤ ‖w‖ = ${number(now.norm)}${ceiling}.`;
  }
}

const momentAt = (run, step) => run.moments[step ? run.steps[step - 1].after : 0];

/** The half-plane of weights that get a point wrong, as four corners, the first two on its edge; null for the point 0. */
function forbidden([p, q], y, b, far) {
  const length = Math.hypot(p, q);
  if (!length) return null;
  const [nx, ny] = [p / length, q / length], [ox, oy] = [-b * nx / length, -b * ny / length];
  const [ax, ay, bx, by] = [ox - ny * far, oy + nx * far, ox + ny * far, oy - nx * far];
  return [[ax, ay], [bx, by], [bx - y * nx * far, by - y * ny * far], [ax - y * nx * far, ay - y * ny * far]];
}
