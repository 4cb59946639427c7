// What the page is about: points and settings. They travel in the link, after the #.

import { CHOICES, CONTROLS, GENERATED, MOST, RANGES } from "./rules.js";

export const DEFAULTS = {
  rule: "perceptron", readout: "last", space: "linear",
  ...Object.fromEntries(CONTROLS.map(control => [control.name, control.default])), gamma: 1, degree: 2, coef0: 1,
  bias: true, ties: "mistake", order: "given", seed: 0, passes: 100, exact: false,
};

/** The marks of the classes, in the order of plots and films. */
export const SHAPES = ["■", "●", "▲", "◆"];

/** The data of an example, of a table or of a link, whole or as far as it is sound. */
export function dataOf(data) {
  const names = Array.isArray(data.names) ? data.names.map(String) : null;
  const classes = Array.isArray(data.classes) ? data.classes.map(String) : null;
  const captions = Array.isArray(data.captions) ? data.captions.map(String) : null;
  return { points: data.points.map(p => p.map(Number)), labels: data.labels.map(Number), names, classes, captions };
}

/** Settings, whole; what is unknown or out of range has its default, and `notes` is told. */
export function settingsOf(values, notes = []) {
  const settings = { ...DEFAULTS };
  for (const [name, value] of Object.entries(values ?? {})) {
    if (!Object.hasOwn(DEFAULTS, name)) notes.push(`a setting “${short(name)}”`);
    else if (!allowed(name, value)) notes.push(`the ${name} “${short(value)}”`);
    else settings[name] = value;
  }
  return settings;
}

function allowed(name, value) {
  if (name in CHOICES) return CHOICES[name].includes(value);
  if (!(name in RANGES)) return typeof value === typeof DEFAULTS[name];
  return lies(value, RANGES[name]);
}

const lies = (value, [low, high, whole]) =>
  typeof value === "number" && value >= low && value <= high && (!whole || Number.isInteger(value));

const short = value => {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
};

/** The part of the settings that differs from the defaults. */
export const changed = settings =>
  Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== DEFAULTS[name]));

/** The state as the text of a link: its data and settings, the step (`about`: without it) and the view, if there is any. */
export function encode(state, about = false) {
  const { points, labels, names, classes, captions, step, view } = state;
  const link = { p: points, l: labels, s: changed(state.settings) };
  if (names) link.n = names;
  if (classes) link.c = classes;
  if (captions) link.x = captions;
  if (state.generate) link.g = state.generate;
  if (!about) link.t = step;
  if (!about && view && Object.keys(view).length) link.v = view;
  const bytes = new TextEncoder().encode(JSON.stringify(link));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

const fit = (names, count) => names.length === count && names.every(name => name.length <= MOST.name);

const FIELDS = ["p", "l", "s", "t", "n", "c", "x", "v", "g"];

/** What a link holds, and in `about` what of it is unknown here; or null where it holds nothing that can be read. */
export function decode(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
    const link = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const { p, l, s, t, n, c, x, v, g } = link;
    const data = dataOf({ points: p, labels: l, names: n, classes: c, captions: x });
    const width = data.points[0]?.length ?? 2;
    const sound = data.points.length === data.labels.length && data.points.length <= MOST.points && width > 0
      && data.points.every(point => point.length === width && point.every(value => Math.abs(value) <= MOST.coordinate))
      && data.labels.every(label => Number.isInteger(label) && label >= 0 && label < MOST.classes);
    if (!sound) return null;
    const notes = [], settings = settingsOf(s, notes);
    const drop = (name, what) => { notes.push(what); data[name] = null; };
    if (data.names && !fit(data.names, width)) drop("names", "names that do not fit its points");
    if (data.classes && !fit(data.classes, Math.max(data.classes.length, 1 + Math.max(0, ...data.labels))))
      drop("classes", "names that do not fit its classes");
    if (data.captions && data.captions.length !== data.points.length) drop("captions", "captions that do not fit its points");
    const generate = g != null && Object.entries(GENERATED).every(([name, range]) => lies(g[name], range)) ? g : null;
    if (g != null && !generate) notes.push("a generator");
    for (const name of Object.keys(link)) if (!FIELDS.includes(name)) notes.push(`a field “${short(name)}”`);
    const view = v !== null && typeof v === "object" && !Array.isArray(v) ? v : {};
    const about = notes.length ? `The link has ${notes.join(", ")}, which this page does not know: it goes on without.` : "";
    return { ...data, settings, step: Number.isInteger(t) && t >= 0 ? t : 0, view, about, generate };
  } catch {
    return null;
  }
}

/** What a class is called: its name, or −1 and +1, or a letter where there are more than two. */
export function className(state, code) {
  if (state.classes) return state.classes[code] ?? String(code);
  return Math.max(1, ...state.labels) === 1 && code < 2 ? (code ? "+1" : "−1") : "ABCD"[code];
}
