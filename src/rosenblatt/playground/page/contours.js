// Scores over the plane as lines and tints. A field is {values, n}: for each weight vector n × n scores, row by row from
// the bottom.

/** The scores of linear weights (the bias last) over a window. */
export function linearField(vectors, window, n) {
  const values = vectors.map(([a, b, c]) => {
    const out = new Float64Array(n * n);
    for (let j = 0, k = 0; j < n; j++) {
      const y = window.bottom + (window.top - window.bottom) * j / (n - 1);
      for (let i = 0; i < n; i++, k++)
        out[k] = a * (window.left + (window.right - window.left) * i / (n - 1)) + b * y + c;
    }
    return out;
  });
  return { values, n };
}

export const isFlat = field => field.values.every(values => values.every(v => v === 0));

/** The vector that wins everywhere (of one alone: the sign, 0 or 1), or null where several do. */
export function winner({ values, n }) {
  const at = k => values.length === 1 ? Number(values[0][k] > 0)
    : values.reduce((best, own, c) => own[k] > values[best][k] ? c : best, 0);
  const first = at(0);
  for (let k = 1; k < n * n; k++) if (at(k) !== first) return null;
  return first;
}

/** What is 0 on the boundary of each class: the score, or how far a class leads the best of the others. */
export function leads(field) {
  const { values, n } = field;
  if (values.length === 1) return [values[0]];
  return values.map((own, c) => {
    const out = new Float64Array(n * n);
    for (let k = 0; k < n * n; k++) {
      let best = -Infinity;
      for (let r = 0; r < values.length; r++) if (r !== c && values[r][k] > best) best = values[r][k];
      out[k] = own[k] - best;
    }
    return out;
  });
}

/** Where scores cross a level: pieces [x, y, x, y] in places of the grid. Marching squares. */
export function contour(values, n, level = 0) {
  const pieces = [];
  const cut = (a, b) => (level - a) / (b - a);
  for (let j = 0; j + 1 < n; j++) {
    for (let i = 0; i + 1 < n; i++) {
      const a = values[j * n + i], b = values[j * n + i + 1];
      const c = values[(j + 1) * n + i + 1], d = values[(j + 1) * n + i];
      const above = [a > level, b > level, c > level, d > level];
      const ends = [];
      if (above[0] !== above[1]) ends.push([i + cut(a, b), j]);
      if (above[1] !== above[2]) ends.push([i + 1, j + cut(b, c)]);
      if (above[2] !== above[3]) ends.push([i + 1 - cut(c, d), j + 1]);
      if (above[3] !== above[0]) ends.push([i, j + 1 - cut(d, a)]);
      if (ends.length === 2) pieces.push([...ends[0], ...ends[1]]);
      if (ends.length === 4) {  // a saddle: its middle decides
        const joined = ((a + b + c + d) / 4 > level) === above[0];
        const [p, q, r, s] = ends;
        pieces.push(...(joined ? [[...p, ...q], [...r, ...s]] : [[...p, ...s], [...q, ...r]]));
      }
    }
  }
  return pieces;
}

/** Pieces that share their ends, one after the other: whole lines, so that they can be dashed. */
export function joined(pieces) {
  const key = (x, y) => `${x.toFixed(6)} ${y.toFixed(6)}`, ends = new Map(), left = new Set(pieces), lines = [];
  for (const piece of pieces)
    for (const end of [key(piece[0], piece[1]), key(piece[2], piece[3])]) ends.set(end, [...ends.get(end) ?? [], piece]);
  const grow = line => {
    for (;;) {
      const [x, y] = line.at(-1), next = ends.get(key(x, y)).find(piece => left.has(piece));
      if (!next) return line;
      left.delete(next);
      line.push(key(next[0], next[1]) === key(x, y) ? next.slice(2) : next.slice(0, 2));
    }
  };
  for (const piece of pieces) {
    if (!left.delete(piece)) continue;
    lines.push(grow(grow([piece.slice(0, 2), piece.slice(2)]).reverse()));
  }
  return lines;
}

/** Means of neighbours: votes are steps, whose boundary would be as rough as the grid. */
export function smooth({ values, n }) {
  const once = from => from.map((_, k) => {
    const i = k % n, j = (k - i) / n;
    let [sum, count] = [0, 0];
    for (let b = Math.max(0, j - 1); b <= Math.min(n - 1, j + 1); b++)
      for (let a = Math.max(0, i - 1); a <= Math.min(n - 1, i + 1); a++, count++) sum += from[b * n + a];
    return sum / count;
  });
  return { values: values.map(scores => once(once(Float64Array.from(scores)))), n };
}

/** The colour of the class of each place, in a small picture that is stretched over the plane. */
export function tint(canvas, field, colours, opacity) {
  const size = 180, { values, n } = field, image = new ImageData(size, size);
  const at = (scores, x, y) => {
    const i = Math.min(n - 2, Math.floor(x)), j = Math.min(n - 2, Math.floor(y)), u = x - i, v = y - j, k = j * n + i;
    return (scores[k] * (1 - u) + scores[k + 1] * u) * (1 - v) + (scores[k + n] * (1 - u) + scores[k + n + 1] * u) * v;
  };
  for (let row = 0, p = 0; row < size; row++) {
    for (let column = 0; column < size; column++, p += 4) {
      const x = (column + 0.5) / size * (n - 1), y = (1 - (row + 0.5) / size) * (n - 1);
      const own = values.map(scores => at(scores, x, y));
      const winner = own.length === 1 ? Number(own[0] > 0) : own.indexOf(Math.max(...own));
      const [r, g, b] = colours[winner];
      image.data.set([r, g, b, opacity], p);
    }
  }
  canvas.width = canvas.height = size;
  canvas.getContext("2d").putImageData(image, 0, 0);
}

/** No tint. */
export function untint(canvas) {
  canvas.width = canvas.height = 1;
}
