"use strict";
// Draws the record of a run, one frame at a time. All that is computed is in the record; here is only geometry.
const run = JSON.parse(document.getElementById("record").textContent);
const at = (id) => document.getElementById(id);
const SIDE = 480, LEFT = 62, BELOW = 62, ROOM = 10;
const CHANGES = ["w", "α", "b", "mistakes", "updates", "best margin"];
let shown = 0, timer = null;

// ---- SVG ----------------------------------------------------------------------------------------------------------

function draw(parent, kind, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function shape(parent, code, x, y, r, attributes) {
  const marks = [
    `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
    `M${x} ${y - 1.2 * r}l${1.2 * r} ${2.1 * r}h${-2.4 * r}z`,
    `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
    `M${x} ${y + 1.2 * r}l${1.2 * r} ${-2.1 * r}h${-2.4 * r}z`,
    `M${x - r / 3} ${y - r}h${2 * r / 3}v${2 * r / 3}h${2 * r / 3}v${2 * r / 3}h${-2 * r / 3}v${2 * r / 3}h${-2 * r / 3}v${-2 * r / 3}h${-2 * r / 3}v${-2 * r / 3}h${2 * r / 3}z`,
    `M${x} ${y - 1.15 * r}l${1.1 * r} ${0.8 * r}l${-0.42 * r} ${1.3 * r}h${-1.36 * r}l${-0.42 * r} ${-1.3 * r}z`,
  ];
  return draw(parent, "path", { d: marks[code % marks.length], ...attributes });
}

const path = (points) => "M" + points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L") + "z";

// ---- the plane ----------------------------------------------------------------------------------------------------

const inside = { x: LEFT, y: ROOM, width: SIDE - LEFT - ROOM, height: SIDE - BELOW - ROOM };
const across = (v) => inside.x + (inside.width * (v - run.low[0])) / (run.high[0] - run.low[0]);
const up = (v) => inside.y + inside.height - (inside.height * (v - run.low[1])) / (run.high[1] - run.low[1]);
const place = ([x, y]) => [across(x), up(y)];

function ticks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

const written = (v) => String(v).replace("-", "−");

function axes(svg) {
  draw(svg, "rect", { ...inside, class: "frame" });
  for (const v of ticks(run.low[0], run.high[0])) {
    draw(svg, "line", { x1: across(v), x2: across(v), y1: inside.y + inside.height, y2: inside.y + inside.height + 5, class: "tick" });
    draw(svg, "text", { x: across(v), y: inside.y + inside.height + 18, "text-anchor": "middle", class: "quiet" }, written(v));
  }
  for (const v of ticks(run.low[1], run.high[1])) {
    draw(svg, "line", { x1: inside.x - 5, x2: inside.x, y1: up(v), y2: up(v), class: "tick" });
    draw(svg, "text", { x: inside.x - 8, y: up(v) + 5, "text-anchor": "end", class: "quiet" }, written(v));
  }
  draw(svg, "text", { x: inside.x + inside.width / 2, y: SIDE - 12, "text-anchor": "middle" }, run.names[0]);
  draw(svg, "text", { x: 17, y: inside.y + inside.height / 2, "text-anchor": "middle", transform: `rotate(-90 17 ${inside.y + inside.height / 2})` }, run.names[1]);
}

// The part of a polygon where a·x + b·y + c >= 0.
function clip(polygon, [a, b, c]) {
  const kept = [], value = ([x, y]) => a * x + b * y + c;
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length], s = value(p), t = value(q);
    if (s >= 0) kept.push(p);
    if ((s > 0 && t < 0) || (s < 0 && t > 0)) kept.push([0, 1].map((k) => p[k] + ((q[k] - p[k]) * s) / (s - t)));
  });
  return kept;
}

const box = () => [[run.low[0], run.low[1]], [run.high[0], run.low[1]], [run.high[0], run.high[1]], [run.low[0], run.high[1]]];
const minus = (u, v) => u.map((value, k) => value - v[k]);

// Where each class leads all others; ties belong to the first.
function parts(vectors) {
  return vectors.map((own, code) => {
    let polygon = box();
    vectors.forEach((other, rival) => {
      const lead = minus(own, other);
      if (rival === code || polygon.length === 0) return;
      if (lead[0] || lead[1]) polygon = clip(polygon, lead);
      else if (lead[2] < 0 || (lead[2] === 0 && rival < code)) polygon = [];
    });
    return polygon;
  });
}

// The part of a line p + t·d, from t = low to t = high, where a·x + b·y + c >= 0 for all of these.
function cut(p, d, sides) {
  let low = -Infinity, high = Infinity;
  for (const [a, b, c] of sides) {
    const slope = a * d[0] + b * d[1], value = a * p[0] + b * p[1] + c;
    if (slope > 0) low = Math.max(low, -value / slope);
    else if (slope < 0) high = Math.min(high, -value / slope);
    else if (value < 0) return null;
  }
  return low < high ? [low, high].map((t) => [p[0] + t * d[0], p[1] + t * d[1]]) : null;
}

function lines(svg, vectors, kind) {
  const frame = [[1, 0, -run.low[0]], [-1, 0, run.high[0]], [0, 1, -run.low[1]], [0, -1, run.high[1]]];
  for (let code = 0; code < vectors.length; code++) {
    for (let rival = code + 1; rival < vectors.length; rival++) {
      const [a, b, c] = minus(vectors[rival], vectors[code]), size = a * a + b * b;
      if (!size) continue;
      const others = vectors.filter((_, third) => third !== code && third !== rival).map((other) => minus(vectors[code], other));
      const ends = cut([(-a * c) / size, (-b * c) / size], [-b, a], [...frame, ...others]);
      if (!ends) continue;
      const [[x1, y1], [x2, y2]] = ends.map(place);
      draw(svg, "line", { x1, y1, x2, y2, class: kind });
    }
  }
}

function normal(svg, [a, b, c]) {
  const size = Math.hypot(a, b), to = (inside.width / (run.high[0] - run.low[0])), scale = inside.height / (run.high[1] - run.low[1]);
  if (!size || Math.abs(to / scale - 1) > 0.05) return;  // not to scale: it would not stand upright
  const middle = [0, 1].map((k) => (c === 0 && run.low[k] <= 0 && run.high[k] >= 0 ? 0 : (run.low[k] + run.high[k]) / 2));
  const off = (a * middle[0] + b * middle[1] + c) / size ** 2, foot = [middle[0] - a * off, middle[1] - b * off];
  if (foot.some((v, k) => v < run.low[k] || v > run.high[k])) return;
  const [x, y] = place(foot), [u, v] = [a / size, -b / size], long = 0.2 * SIDE;
  draw(svg, "line", { x1: x, y1: y, x2: x + u * (long - 8), y2: y + v * (long - 8), class: "normal" });
  const tip = [[x + u * long, y + v * long], [x + u * (long - 14) - v * 6, y + v * (long - 14) + u * 6], [x + u * (long - 14) + v * 6, y + v * (long - 14) - u * 6]];
  draw(svg, "path", { d: path(tip), class: "tip" });
  draw(svg, "text", { x: x + u * (long + 14), y: y + v * (long + 14) + 5, "text-anchor": "middle", "font-weight": "bold" }, "w");
}

// Scores as the record writes them: two characters each, the cube root of their share of the largest.
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function decoded(text) {
  const values = new Float64Array(text.length / 2);
  for (let k = 0; k < values.length; k++)
    values[k] = ((DIGITS.indexOf(text[2 * k]) * 64 + DIGITS.indexOf(text[2 * k + 1]) - 2047) / 2047) ** 3;
  return values;
}

// What is above 0 where each class is said: of two classes the negative and the score itself. Where nothing is, the first.
function leadsOf(state) {
  const leads = state.leads.map(decoded), all = leads.length === 1 ? [leads[0].map((v) => -v), leads[0]] : leads;
  return leads.every((values) => values.every((v) => v === 0)) ? all.map((values, c) => values.map(() => (c ? -1 : 1))) : all;
}

const node = (i, j) => [inside.x + (inside.width * i) / (run.grid - 1), inside.y + inside.height * (1 - j / (run.grid - 1))];

// Calls with the corners and scores of each cell of the grid, around it.
function cells(values, each) {
  const n = run.grid;
  for (let j = 0; j + 1 < n; j++)
    for (let i = 0; i + 1 < n; i++)
      each(i, j, [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([a, b]) => [a, b, values[b * n + a]]));
}

const between = ([a, b, s], [c, d, t]) => node(a + ((c - a) * s) / (s - t), b + ((d - b) * s) / (s - t));
const crosses = (corners) => corners.flatMap((p, k) => ((p[2] > 0) !== (corners[(k + 1) % 4][2] > 0) ? [between(p, corners[(k + 1) % 4])] : []));

function regions(svg, state) {
  leadsOf(state).forEach((values, code) => {
    let d = "";
    cells(values, (i, j, corners) => {
      const part = corners.flatMap((p, k) => {
        const q = corners[(k + 1) % 4];
        return [...(p[2] > 0 ? [node(p[0], p[1])] : []), ...((p[2] > 0) !== (q[2] > 0) ? [between(p, q)] : [])];
      });
      if (part.length > 2) d += path(part);
    });
    if (d) draw(svg, "path", { d, fill: run.colours[code], class: "region" });
  });
}

function contours(svg, state, kind) {
  const all = leadsOf(state);
  let d = "";
  for (const values of all.slice(all.length === 2 ? 1 : 0))
    cells(values, (i, j, corners) => {
      const ends = crosses(corners).map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`);
      for (let k = 0; k + 1 < ends.length; k += 2) d += `M${ends[k]}L${ends[k + 1]}`;
    });
  if (d) draw(svg, "path", { d, class: kind });
}

function plane(svg, frame) {
  const state = run.states[frame.state];
  if (run.picture === "regions") {
    regions(svg, state);
    contours(svg, state, "boundary");
  } else {
    parts(state.vectors).forEach((polygon, code) => {
      if (polygon.length > 2) draw(svg, "path", { d: path(polygon.map(place)), fill: run.colours[code], class: "region" });
    });
    if (frame.moved && frame.state > 0) lines(svg, run.states[frame.state - 1].vectors, "before");
    lines(svg, state.vectors, "boundary");
    if (state.vectors.length === 2) normal(svg, state.vectors[1]);
  }
  axes(svg);
  const r = run.points.length > 120 ? 4 : 8;
  run.points.forEach((point, i) => shape(svg, run.codes[i], ...place(point), r, { fill: run.colours[run.codes[i]], class: "point" }));
  for (const i of state.wrong) {
    const [x, y] = place(run.points[i]), k = 0.7 * r, d = `M${x - k} ${y - k}l${2 * k} ${2 * k}m0 ${-2 * k}l${-2 * k} ${2 * k}`;
    draw(svg, "path", { d, class: "halo" });
    draw(svg, "path", { d, class: "cross" });
  }
  if (frame.row !== null) {
    const [cx, cy] = place(run.points[frame.row]);
    draw(svg, "circle", { cx, cy, r: r + 8, class: "now" });
  }
}

// ---- weights as bars ----------------------------------------------------------------------------------------------

function bars(svg, frame) {
  const all = run.states.flatMap((state) => state.vectors[1]), most = Math.max(...all.map(Math.abs)) || 1;
  const now = run.states[frame.state].vectors[1], before = frame.moved && frame.state > 0 ? run.states[frame.state - 1].vectors[1] : now;
  const names = [...run.names, "bias"].slice(0, now.length), high = (SIDE - 50) / names.length, wide = 120;
  const zero = wide + (SIDE - wide - 20) / 2, unit = (SIDE - wide - 70) / 2 / most;
  names.forEach((name, j) => {
    const y = 10 + j * high, value = now[j], length = Math.abs(value) * unit;
    draw(svg, "text", { x: wide - 10, y: y + high / 2 + 5, "text-anchor": "end", "font-weight": before[j] === value ? "normal" : "bold" }, name.length > 16 ? name.slice(0, 15) + "…" : name);
    draw(svg, "rect", { x: value < 0 ? zero - length : zero, y: y + high * 0.15, width: length, height: high * 0.7, fill: run.colours[value < 0 ? 0 : 1], class: "point" });
    if (before[j] !== value) draw(svg, "line", { x1: zero + before[j] * unit, x2: zero + before[j] * unit, y1: y + 1, y2: y + high - 1, class: "before" });
    draw(svg, "text", { x: value < 0 ? zero - length - 5 : zero + length + 5, y: y + high / 2 + 5, "text-anchor": value < 0 ? "end" : "start", class: "quiet" }, written(Number(value.toPrecision(4))));
  });
  draw(svg, "line", { x1: zero, x2: zero, y1: 5, y2: SIDE - 38, class: "boundary" });
  draw(svg, "text", { x: zero, y: SIDE - 14, "text-anchor": "middle" }, `←  ${run.classes[0]}      weight      ${run.classes[1]}  →`);
}

// ---- one frame ----------------------------------------------------------------------------------------------------

function show(k, aloud) {
  const earlier = new Map(run.frames[shown].numbers);
  shown = Math.max(0, Math.min(run.frames.length - 1, k));
  const frame = run.frames[shown], svg = at("picture");
  svg.replaceChildren();
  (run.picture === "weights" ? bars : plane)(svg, frame);
  const list = at("numbers");
  list.replaceChildren();
  for (const [name, text] of frame.numbers) {
    const term = document.createElement("dt"), value = document.createElement("dd");
    term.textContent = name;
    value.textContent = text;
    value.dataset.of = name;
    if (earlier.has(name) && earlier.get(name) !== text && CHANGES.includes(name)) value.className = "changed";
    list.append(term, value);
  }
  at("proved").hidden = shown !== run.frames.length - 1;
  at("slider").value = shown;
  at("slider").setAttribute("aria-valuetext", `step ${frame.numbers[0][1]}`);
  for (const id of ["first", "back"]) at(id).disabled = shown === 0;
  for (const id of ["next", "last"]) at(id).disabled = shown === run.frames.length - 1;
  const told = frame.numbers.map(([name, text]) => `${name}: ${text}`).join("; ");
  at("told").textContent = `${run.title}. ${told}. Wrong rows: ${run.states[frame.state].wrong.map((i) => run.rows[i]).join(", ") || "none"}.`;
  if (aloud) at("spoken").textContent = told;
}

function pause() {
  clearTimeout(timer);
  timer = null;
  at("play").textContent = "▶ Play";
  at("play").setAttribute("aria-label", "Play");
}

function tick() {
  if (shown === run.frames.length - 1) return pause();
  show(shown + 1, false);
  timer = setTimeout(tick, Number(at("speed").value));
}

function toggle() {
  if (timer !== null) return pause();
  if (shown === run.frames.length - 1) show(0, false);
  at("play").textContent = "❚❚ Pause";
  at("play").setAttribute("aria-label", "Pause");
  timer = setTimeout(tick, Number(at("speed").value));
}

function go(k) {
  pause();
  show(k, true);
}

// To the end of a pass.
function pass() {
  let k = Math.min(shown + 1, run.frames.length - 1);
  while (k + 1 < run.frames.length && run.frames[k + 1].pass === run.frames[k].pass) k++;
  go(k);
}

// The keys of the playground, as far as a film has what they do.
const KEYS = {
  n: "next", ArrowRight: "next", PageDown: "next", b: "back", ArrowLeft: "back", PageUp: "back", p: "pass",
  r: "toggle", " ": "toggle", 0: "first", Home: "first", e: "last", End: "last",
};

// ---- legend, controls ---------------------------------------------------------------------------------------------

function entry(text, paint) {
  const item = document.createElement("li"), icon = draw(item, "svg", { viewBox: "0 0 20 20", "aria-hidden": "true" });
  paint(icon);
  item.append(text);
  at("legend").append(item);
}

if (run.picture !== "weights") {
  run.classes.forEach((name, code) => entry(name, (icon) => shape(icon, code, 10, 10, 7, { fill: run.colours[code], class: "point" })));
  entry("this example", (icon) => draw(icon, "circle", { cx: 10, cy: 10, r: 8, class: "now" }));
  entry("wrong side", (icon) => draw(icon, "path", { d: "M3 3l14 14m0 -14l-14 14", class: "cross" }));
}
if (run.picture === "lines") entry("before the update", (icon) => draw(icon, "line", { x1: 0, x2: 20, y1: 10, y2: 10, class: "before" }));
for (const sentence of run.proved) {
  const line = document.createElement("p");
  line.textContent = sentence;
  at("proved").append(line);
}
at("slider").max = run.frames.length - 1;
at("slider").addEventListener("input", (event) => go(Number(event.target.value)));
at("first").addEventListener("click", () => go(0));
at("back").addEventListener("click", () => go(shown - 1));
at("next").addEventListener("click", () => go(shown + 1));
at("last").addEventListener("click", () => go(run.frames.length - 1));
at("play").addEventListener("click", toggle);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const calls = { next: () => go(shown + 1), back: () => go(shown - 1), first: () => go(0), last: () => go(run.frames.length - 1), pass, toggle };
  const call = KEYS[event.key], named = event.key.length > 1 || event.key === " ";
  const own = { " ": ["BUTTON", "SELECT"], other: ["SELECT", "INPUT"] }[event.key === " " ? " " : "other"];
  if (!call || (named && own.includes(event.target.tagName)) || event.target.tagName === "SELECT") return;
  calls[call]();
  event.preventDefault();
});
show(0, false);
