// Words in a picture that do not lie on each other.

/** About how wide a letter and how high a line is, in pixels. */
const LETTER = 9, LINE = 20;

export class Words {
  /** `points` are the middles of marks, which words should rather not hide. */
  constructor(width, height, points) {
    Object.assign(this, { width, height, points, taken: [] });
  }

  /** A place that is taken. */
  take(x, y, width, height) {
    this.taken.push({ x, y, width, height });
  }

  /** A line that words should rather not hide. */
  avoid([x1, y1], [x2, y2]) {
    const parts = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 12);
    for (let k = 1; k <= parts; k++) this.points.push([x1 + (x2 - x1) * k / parts, y1 + (y2 - y1) * k / parts]);
  }

  /** The middle of a word at the tip of an arrow, or beside the middle of one: the best of some places around. */
  place(word, x, y, [nx, ny], midway) {
    const wide = LETTER * word.length + 4, places = [];
    const ways = midway ? [[-ny, nx], [ny, -nx]] : [[nx, ny], [-ny, nx], [ny, -nx], [nx - ny, ny + nx], [nx + ny, ny - nx]];
    for (const far of [8, 22, 40])
      for (const [ux, uy] of ways) {
        const size = Math.hypot(ux, uy), [vx, vy] = [ux / size, uy / size];
        places.push([x + vx * (far + wide / 2 * Math.abs(vx) + 4), y + vy * (far + LINE / 2)]);
      }
    const cost = ([px, py], i) => this.cost({ x: px - wide / 2, y: py - LINE / 2, width: wide, height: LINE }) + i / 10;
    const costs = places.map(cost), [px, py] = places[costs.indexOf(Math.min(...costs))];
    const found = [Math.max(wide / 2, Math.min(this.width - wide / 2, px)), Math.max(LINE / 2, Math.min(this.height - LINE / 2, py))];
    this.take(found[0] - wide / 2, found[1] - LINE / 2, wide, LINE);
    return found;
  }

  cost(box) {
    const outside = box.x < 2 || box.y < 2 || box.x + box.width > this.width - 2 || box.y + box.height > this.height - 2;
    const words = this.taken.filter(other => box.x < other.x + other.width && other.x < box.x + box.width
      && box.y < other.y + other.height && other.y < box.y + box.height).length;
    const marks = this.points.filter(([x, y]) => x > box.x - 7 && x < box.x + box.width + 7
      && y > box.y - 7 && y < box.y + box.height + 7).length;
    return (outside ? 20 : 0) + 10 * words + 2 * marks;
  }
}
