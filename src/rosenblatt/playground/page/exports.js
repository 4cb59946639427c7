// What can be taken along: the picture, the run as a film, and the program. All of it is made in the browser, but for
// the film that is a page, which is the library's.

import { svg } from "./dom.js";
import { gif } from "./gif.js";

/** What a picture outside of the page must say of each of its parts. */
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity",
  "fill-opacity", "stroke-opacity", "paint-order", "font-family", "font-size", "font-weight", "font-style", "text-anchor"];
/** The steps of a film, of more the updates alone; and frames of a film at most. */
const FEW = 200, MOST = 400;
/** Pixels of a film across at most, and the room for a line below it. */
const WIDEST = 800, LINE = 36;

export function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** The picture as SVG that stands alone, as it is shown now; with a line of text below it. */
export function standalone({ picture, canvas, width, height }, line = null) {
  const copy = picture.cloneNode(true), page = getComputedStyle(document.documentElement);
  const [from, to] = [picture, copy].map(each => [...each.querySelectorAll("*")]);
  from.forEach((shown, i) => {
    const style = getComputedStyle(shown);
    for (const name of shown.tagName === "g" ? ["opacity"] : STYLES) to[i].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "aria-hidden", "data-row"]) to[i].removeAttribute(name);
  });
  const high = height + (line == null ? 0 : LINE), ground = page.getPropertyValue("--panel");
  const out = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height: high, viewBox: `0 0 ${width} ${high}` },
    svg("rect", { width, height: high, fill: ground }));
  if (canvas.width > 1) out.append(svg("image", { href: canvas.toDataURL(), width, height, preserveAspectRatio: "none" }));
  out.append(...copy.childNodes);
  if (line != null) out.append(svg("rect", { y: height, width, height: LINE, fill: ground }),
    svg("text", { x: 10, y: height + 24, "font-size": 16, "font-family": "sans-serif", fill: page.getPropertyValue("--ink") }, line));
  return new XMLSerializer().serializeToString(out);
}

/** A picture drawn on a canvas, so many times as large. */
async function painted(source, times) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(image.width * times), Math.round(image.height * times)];
  canvas.getContext("2d", { willReadFrequently: true }).drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

export async function png(plane) {
  const canvas = await painted(standalone(plane), 2);
  return new Promise(done => canvas.toBlob(done, "image/png"));
}

/** The run as a film; `tell` hears how far it is. */
export async function film(page, tell) {
  const { run, plane } = page, back = page.state.step, frames = [];
  const all = run.steps.filter(step => run.steps.length <= FEW || step.moved).slice(0, MOST).map(step => step.step);
  page.pause();
  try {
    for (const step of [0, ...all]) {
      await page.visit(step);
      if (page.run !== run) throw new Error("The points or settings changed meanwhile: begin again.");
      const canvas = await painted(standalone(plane, page.told), Math.min(1, WIDEST / plane.width));
      frames.push(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height));
      tell(`${frames.length} of ${all.length + 1} pictures`);
    }
  } finally {
    page.go(back);
  }
  const delay = Math.max(300, Number(document.getElementById("speed").value));
  return gif(frames, frames.map((_, i) => i === frames.length - 1 ? 4 * delay : delay));
}
