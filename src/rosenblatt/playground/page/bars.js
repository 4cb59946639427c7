// The picture where points are not in a plane: each example by its score, and the weights of the features as bars.

import { number, svg } from "./dom.js";
import { mark } from "./plane.js";

/** Draw into a picture of this size; without a scene there is nothing to tell yet. */
export function bars(picture, width, height, label, scene) {
  const left = Math.min(190, 0.3 * width), right = width - 64, top = 34;
  const split = top + (height - top) * (scene?.bars ? 0.52 : 0.92), group = svg("g");
  picture.replaceChildren(group);
  picture.setAttribute("aria-label", label);
  if (!scene) return;
  dots(group, scene, { left, right, top, bottom: split - 44, width });
  if (scene.bars) weightBars(group, scene, { left, right, top: split + 20, bottom: height - 10 });
}

/** Each example at its score: right of 0 it is called +1. Of several classes: how far its own class leads. */
function dots(group, { scores, labels, captions, current, wrong, proof, two, edges, heading, names }, box) {
  const largest = Math.max(1, ...scores.map(Math.abs)) * 1.08, middle = (box.left + box.right) / 2;
  const x = s => middle + s / largest * (box.right - box.left) / 2;
  const gap = Math.min(44, (box.bottom - box.top) / scores.length), r = Math.min(9, gap * 0.36);
  const end = box.top + gap * scores.length;
  group.append(svg("text", { x: box.left < 150 ? 8 : box.left, y: box.top - 14, class: "heading" }, heading));
  group.append(svg("rect", { x: box.left, y: box.top, width: middle - box.left, height: end - box.top,
    class: two ? "side class-0" : "side wrong-side" }));
  group.append(svg("rect", { x: middle, y: box.top, width: box.right - middle, height: end - box.top,
    class: two ? "side class-1" : "side right-side" }));
  if (edges) for (const s of two ? [-1, 1] : [1])
    group.append(svg("line", { x1: x(s), x2: x(s), y1: box.top, y2: end, class: "edge" }));
  group.append(svg("line", { x1: middle, x2: middle, y1: box.top, y2: end, class: "boundary" }));
  if (two) {
    group.append(svg("text", { x: box.left + 4, y: end + 20, class: "note" }, `← ${names[0]}`));
    group.append(svg("text", { x: box.right - 4, y: end + 20, class: "note", "text-anchor": "end" }, `${names[1]} →`));
  }
  group.append(svg("text", { x: middle, y: end + 20, class: "note", "text-anchor": "middle" }, "0"));
  const strong = new Set(proof?.support ?? []);
  scores.forEach((s, i) => {
    const y = box.top + gap * (i + 0.5);
    if (i === current) group.append(svg("rect", { x: 2, y: y - gap / 2, width: box.width - 4, height: gap, class: "current-row" }));
    if (gap > 13) group.append(svg("text", { x: box.left - 10, y: y + 5, "text-anchor": "end", class: "caption" },
      fitting(captions?.[i] ?? `row ${i}`, box.left)));
    group.append(svg("line", { x1: box.left, x2: box.right, y1: y, y2: y, class: "rule" }));
    if (strong.has(i)) group.append(svg("circle", { cx: x(s), cy: y, r: r + 5, class: "support" }));
    group.append(mark(labels[i], x(s), y, r, { "data-row": i }));
    if (wrong?.has(i)) group.append(svg("path", { class: "wrong",
      d: `M${x(s) - 0.5 * r} ${y - 0.5 * r}l${r} ${r}m0 ${-r}l${-r} ${r}` }));
    if (gap > 13) group.append(svg("text", { x: box.right + 10, y: y + 5, class: "value" },
      proof?.lambda ? `λ = ${proof.lambda[i]}` : number(s, 3)));
  });
}

/** As much of a name as there is room for, left of the bars. */
function fitting(text, room) {
  const most = Math.max(4, Math.floor((room - 14) / 7.2));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The weight of each feature, and by how much this step changes it. */
function weightBars(group, { bars, features, barsHeading }, box) {
  const entries = features.flatMap((feature, j) => bars.map(({ before, after, name, code }) =>
    ({ before: before[j], after: after[j], label: name ? `${feature}, ${name}` : feature, code: code ?? (after[j] < 0 ? 0 : 1) })));
  const largest = Math.max(1, ...entries.flatMap(e => [Math.abs(e.before), Math.abs(e.after)])) * 1.1;
  const gap = Math.min(38, (box.bottom - box.top) / entries.length), middle = (box.left + box.right) / 2;
  const x = v => middle + v / largest * (box.right - box.left) / 2;
  group.append(svg("text", { x: box.left < 150 ? 8 : box.left, y: box.top - 14, class: "heading" }, barsHeading));
  group.append(svg("line", { x1: middle, x2: middle, y1: box.top, y2: box.top + gap * entries.length, class: "zero" }));
  entries.forEach(({ before, after, label, code }, i) => {
    const y = box.top + gap * (i + 0.5), thick = Math.min(18, gap * 0.56);
    if (gap > 12) group.append(svg("text", { x: box.left - 10, y: y + 5, "text-anchor": "end", class: "caption" }, fitting(label, box.left)));
    group.append(svg("rect", { x: Math.min(middle, x(after)), y: y - thick / 2, width: Math.abs(x(after) - middle),
      height: thick, class: `bar class-${code}` }));
    if (before !== after) group.append(svg("line", { x1: x(before), x2: x(after), y1: y, y2: y, class: "arrow added" }),
      svg("circle", { cx: x(before), cy: y, r: 3.5, class: "from" }));
    if (gap > 12) group.append(svg("text", { x: box.right + 10, y: y + 5, class: "value" }, number(after, 4)));
  });
}
