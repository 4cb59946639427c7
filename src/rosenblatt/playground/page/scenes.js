// What is to be drawn at a step: of the run, of the model, and of the certificate. Nothing is computed here but places.

import { smooth } from "./contours.js";
import { number } from "./dom.js";
import { ACROSS } from "./plane.js";
import { className } from "./state.js";

/** The step, and the weights before and after it. */
function moments(run, at) {
  const step = at ? run.steps[at - 1] : null;
  return { step, now: run.moments[step?.after ?? 0], before: run.moments[at > 1 ? run.steps[at - 2].after : 0] };
}

/** The points that a moment, or a model, does not get right. */
function wrongOf({ right }, points) {
  const good = new Set(right);
  return new Set(points.flatMap((_, i) => good.has(i) ? [] : [i]));
}

const codesOf = ({ labels }) => [...new Set(labels)].sort((a, b) => a - b);
const isPrefix = (some, all) => some.length <= all.length && some.every((v, i) => v === all[i]);

/** In the plane. `model` is what the server says of the readout at this step, where it was asked; `proof`, if shown. */
export function planeScene({ run, question, state, plane }, model, proof, needsModel) {
  const codes = codesOf(question), { settings } = question, sameRows = isPrefix(question.labels, state.labels);
  if (proof) return sameRows ? { codes, proof: { ...proof, points: state.points } } : { codes };
  const at = state.step, { step, now, before } = moments(run, at);
  const scene = { codes, model: settings.readout, called: code => className(question, code) };
  if (sameRows) {  // else rows were erased, and the new ones are not known yet
    scene.current = step?.row;
    scene.wrong = at ? wrongOf(model?.right ? model : now, question.points) : null;
  }
  if (model?.model) {
    const field = { values: model.model, n: ACROSS };
    scene.field = settings.readout === "voted" ? smooth(field) : field;
  }
  if (model?.last) scene.last = { values: model.last, n: ACROSS };
  if (run.kernel) {
    const sizes = question.points.map((_, i) => Math.max(...now.vectors.map(vector => Math.abs(vector[i]))));
    const largest = Math.max(...sizes) || 1;
    if (sameRows) scene.weights = sizes.map(size => Math.sqrt(size / largest));
  } else {
    scene[needsModel ? "last" : "field"] = plane.fieldOf(now.vectors);
    scene.update = arrows(run, question, codes, before, now, step);
    scene.tips = run.moments.flatMap(moment => moment.vectors.map(vector => vector.slice(0, 2)));
  }
  return scene;
}

/** The weights before and after, for each vector, and what was added. */
function arrows(run, question, codes, before, now, step) {
  const two = run.form === "binary", batch = question.settings.rule === "batch", x = now.variances ? "Σx" : "x";
  return now.vectors.map((vector, c) => {
    const a = step?.coef[c] ?? 0, size = Math.abs(a) === 1 ? "" : `${number(Math.abs(a), 3)}·`;
    return { before: before.vectors[c].slice(0, 2), after: vector.slice(0, 2), code: two ? null : codes[c],
      name: two ? "" : ` of ${className(question, codes[c])}`, sign: batch ? "+ Σ" : `${a < 0 ? "− " : "+ "}${size}${x}` };
  });
}

/** Where points are not in a plane: scores, and weights as bars. */
export function barScene({ run, question, state: { step: at, captions } }, proof) {
  const { points, settings } = question, codes = codesOf(question), { step, now, before } = moments(run, at);
  const two = run.form === "binary", best = run.kernel ? null : proof?.vectors, width = points[0].length;
  const lead = (scores, i) => two ? scores[0]
    : scores[run.codes[i]] - Math.max(...scores.filter((_, c) => c !== run.codes[i]));
  const score = (point, w) => point.reduce((sum, v, j) => sum + v * w[j], w[width]);
  const scene = {
    two, proof, labels: question.labels, captions, names: codes.map(code => className(question, code)),
    current: proof ? null : step?.row, wrong: step && !proof ? wrongOf(now, points) : null,
    heading: best ? "scores of the best separator" : two ? "score of each example" : "lead of the right class",
    scores: best ? points.map((point, i) => lead(best.map(w => score(point, w)), i)) : now.scores.map(lead),
    features: question.names ?? points[0].map((_, j) => `x[${j}]`), edges: Boolean(best),
  };
  const bar = (after, from, c, named) =>
    ({ after, before: from, code: named ? codes[c] : null, name: named ? className(question, codes[c]) : "" });
  if (proof?.meeting && two) {
    const [{ plus, minus }] = proof.meeting;
    scene.bars = [bar(plus, plus, 1, true), bar(minus, minus, 0, true)];
    scene.barsHeading = "weighted mean of each class: the same";
  } else if (!run.kernel) {
    const cut = vector => vector.slice(0, settings.bias ? width + 1 : width);
    scene.bars = (best ?? now.vectors).map((vector, c) => bar(cut(vector), cut(best ? vector : before.vectors[c]), c, !two));
    scene.barsHeading = best ? "weights of the best separator" : "weights";
    if (settings.bias) scene.features = [...scene.features, "bias"];
  }
  return scene;
}
