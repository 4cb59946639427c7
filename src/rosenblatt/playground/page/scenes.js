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

/** In the plane. `model` is what the server says of the readout at this step, where it was asked; `proof`, if shown. */
export function planeScene({ run, state, codes, plane }, model, proof, needsModel) {
  if (proof) return { proof: { ...proof, points: state.points } };
  const at = state.step, { step, now, before } = moments(run, at);
  const scene = { current: step?.row, model: state.settings.readout, wrong: at ? wrongOf(model ?? now, state.points) : null };
  if (model?.model) {
    const field = { values: model.model, n: ACROSS };
    scene.field = state.settings.readout === "voted" ? smooth(field) : field;
  }
  if (model?.last) scene.last = { values: model.last, n: ACROSS };
  if (run.kernel) {
    const sizes = state.points.map((_, i) => Math.max(...now.vectors.map(vector => Math.abs(vector[i]))));
    const largest = Math.max(...sizes) || 1;
    scene.weights = sizes.map(size => Math.sqrt(size / largest));
  } else {
    scene[needsModel ? "last" : "field"] = plane.fieldOf(now.vectors);
    scene.update = arrows(run, state, codes, before, now, step);
  }
  return scene;
}

/** The weights before and after, for each vector, and what was added. */
function arrows(run, state, codes, before, now, step) {
  const two = run.form === "binary", batch = state.settings.rule === "batch";
  return now.vectors.map((vector, c) => {
    const a = step?.coef[c] ?? 0, size = Math.abs(a) === 1 ? "" : `${number(Math.abs(a), 3)}·`;
    return { before: before.vectors[c].slice(0, 2), after: vector.slice(0, 2), code: two ? null : codes[c],
      name: two ? "" : ` of ${className(state, codes[c])}`, sign: batch ? "+ Σ" : `${a < 0 ? "− " : "+ "}${size}x` };
  });
}

/** Where points are not in a plane: scores, and weights as bars. */
export function barScene({ run, state, codes }, proof) {
  const { points, settings } = state, { step, now, before } = moments(run, state.step);
  const two = run.form === "binary", best = run.kernel ? null : proof?.vectors, width = points[0].length;
  const lead = (scores, i) => two ? scores[0]
    : scores[run.codes[i]] - Math.max(...scores.filter((_, c) => c !== run.codes[i]));
  const score = (point, w) => point.reduce((sum, v, j) => sum + v * w[j], w[width]);
  const scene = {
    two, proof, labels: state.labels, captions: state.captions, names: codes.map(code => className(state, code)),
    current: proof ? null : step?.row, wrong: step && !proof ? wrongOf(now, points) : null,
    heading: best ? "scores of the best separator" : two ? "score of each example" : "lead of the right class",
    scores: best ? points.map((point, i) => lead(best.map(w => score(point, w)), i)) : now.scores.map(lead),
    features: state.names ?? points[0].map((_, j) => `x${j + 1}`), edges: Boolean(best),
  };
  const bar = (after, from, c, named) =>
    ({ after, before: from, code: named ? codes[c] : null, name: named ? className(state, codes[c]) : "" });
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
