// An arrow between two places of a picture.

import { svg } from "./dom.js";

/** Its line and its head; nothing where it is too short to be seen. */
export function arrow([x1, y1], [x2, y2], kind, size = 15) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 3) return [];
  const [nx, ny] = [(x2 - x1) / length, (y2 - y1) / length], head = Math.min(size, length), half = 0.44 * head;
  const [bx, by] = [x2 - nx * head, y2 - ny * head];
  return [svg("line", { x1, y1, x2: bx, y2: by, class: `arrow ${kind}` }),
    svg("path", { d: `M${x2} ${y2}L${bx - ny * half} ${by + nx * half}L${bx + ny * half} ${by - nx * half}Z`, class: `head ${kind}` })];
}
