// Words in a picture that do not lie on each other.

/** About how wide a letter and how high a line is, in pixels. */
const LETTER = 9, LINE = 20;

export class Words {
  /** `points` are the middles of marks, which words should rather not hide. */
  constructor(width, height, points) {
    Object.assign(this, { width, height, points, lines: [], taken: [] });
  }

  /** A place that is taken. */
  take(x, y, width, height) {
    this.taken.push({ x, y, width, height });
  }

  /** A line that words should rather not hide. */
  avoid([x1, y1], [x2, y2]) {
    const parts = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 12);
    for (let k = 1; k <= parts; k++) this.lines.push([x1 + (x2 - x1) * k / parts, y1 + (y2 - y1) * k / parts]);
  }

  /** The middle of a word at the tip of an arrow, or beside it: the best of some places around. */
  place(word, [x1, y1], [x2, y2], midway) {
    const wide = LETTER * word.length + 4, size = Math.hypot(x2 - x1, y2 - y1), [nx, ny] = [(x2 - x1) / size, (y2 - y1) / size];
    const ways = midway ? [[-ny, nx], [ny, -nx]] : [[nx, ny], [-ny, nx], [ny, -nx], [nx - ny, ny + nx], [nx + ny, ny - nx]];
    const along = midway ? [0.5, 0.65, 0.35] : [1], places = [];
    for (const far of midway ? [12, 20] : [8, 22, 36])  // the first is the best, others the same
      for (const share of along)
        for (const [ux, uy] of ways) {
          const length = Math.hypot(ux, uy), [vx, vy] = [ux / length, uy / length];
          places.push([x1 + share * (x2 - x1) + vx * (far + wide / 2 * Math.abs(vx) + 4),
            y1 + share * (y2 - y1) + vy * (far + LINE / 2)]);
        }
    const cost = ([px, py], i) => this.cost({ x: px - wide / 2, y: py - LINE / 2, width: wide, height: LINE }) + i / 4;
    const costs = places.map(cost), [px, py] = places[costs.indexOf(Math.min(...costs))];
    const found = [Math.max(wide / 2, Math.min(this.width - wide / 2, px)), Math.max(LINE / 2, Math.min(this.height - LINE / 2, py))];
    this.take(found[0] - wide / 2, found[1] - LINE / 2, wide, LINE);
    return found;
  }

  cost(box) {
    const outside = box.x < 2 || box.y < 2 || box.x + box.width > this.width - 2 || box.y + box.height > this.height - 2;
    const words = this.taken.filter(other => box.x < other.x + other.width && other.x < box.x + box.width
      && box.y < other.y + other.height && other.y < box.y + box.height).length;
    const within = room => ([x, y]) => x > box.x - room && x < box.x + box.width + room
      && y > box.y - room && y < box.y + box.height + room;
    const marks = this.points.filter(within(7)).length + this.lines.filter(within(2)).length;
    return (outside ? 20 : 0) + 10 * words + 3 * marks;
  }
}
