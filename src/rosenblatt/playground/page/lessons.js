// Lessons: scenes of a sentence or two, each on real state. A lesson is a small JSON file; the server validates it and
// puts the numbers of the run into its sentences.

import { ask, Refused } from "./api.js";
import { copied, open } from "./dialogs.js";
import { $, el } from "./dom.js";
import * as links from "./links.js";
import { changed, encode } from "./state.js";

const OWN = ["one-mistake", "why-it-must-end", "a-narrow-margin", "xor", "a-kernel", "averaging", "when-it-cannot-be-done", "words"];
const PANELS = ["formulas", "numbers", "trace", "weights", "certificate", "predict", "race", "text", "lift", "lattice"];

export class Lessons {
  lesson = null;  // as the file has it
  link = "";  // how it is called in a link
  at = 0;  // the scene that is shown
  aim = 0;  // the one that was asked for last

  constructor(page, panels) {
    Object.assign(this, { page, panels });
    const button = (id, text, title, click) => el("button", { id, type: "button", title, click }, text);
    this.text = el("p", { id: "lesson-text", "aria-live": "polite" });
    this.title = el("h2", { id: "lesson-title" });
    this.buttons = {
      back: button("scene-back", "◂ Back", "The scene before (Page Up)", () => this.back()),
      next: button("scene-next", "Next ▸", "The next scene (Page Down)", () => this.next()),
      restore: button("scene-restore", "Restore", "The scene as it was", () => this.go(this.at, false)),
      leave: button("scene-leave", "Leave", "Out of the lesson; the points stay", () => this.leave()),
    };
    this.buttons.next.className = "strong";
    $("lesson").append(this.title, el("div", { class: "scenes", role: "group", "aria-label": "Scenes" }, ...Object.values(this.buttons)),
      this.text);
  }

  get open() {
    return this.lesson !== null;
  }

  // ---- which lesson --------------------------------------------------------------------------------------------------

  /** The list of lessons, and a file of one's own. */
  async choose() {
    let listed;
    try {
      listed = await Promise.all(OWN.map(async name => ({ name, ...await fetched(`lessons/${name}.json`) })));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return this.page.problem(error.message);
    }
    const file = el("input", { type: "file", accept: ".json,application/json", id: "lesson-file", class: "unseen", tabindex: -1,
      change: async () => {
        $("dialog").close();
        await this.begin(`~${packed(await file.files[0].text())}`, 0);
      } });
    open("Lessons",
      el("ul", { class: "lessons" }, listed.map(({ name, title, about, scenes }) => el("li", {},
        el("button", { type: "button", "data-lesson": name, click: () => { $("dialog").close(); this.begin(name, 0); } }, title),
        el("span", {}, about), el("span", { class: "quiet" }, `${scenes.length} scenes`)))),
      el("p", { class: "quiet" }, "A lesson is a small JSON file: a title, and scenes of a sentence with data, settings and a step. ",
        "Open your own; its link then holds the whole lesson."),
      el("div", { class: "scenes" }, el("button", { type: "button", id: "lesson-open", click: () => file.click() }, "Open a file"), file,
        el("button", { type: "button", id: "lesson-write", click: () => this.write() }, "This page as a scene")));
  }

  /** The page as a scene of a lesson, to copy. */
  write() {
    const { points, labels, names, classes, captions, settings, step } = this.page.state;
    const scene = { text: "After step {step} the weights are w = {w}.", points, labels };
    for (const [key, value] of Object.entries({ names, classes, captions })) if (value) scene[key] = value;
    Object.assign(scene, { settings: changed(settings), step: Math.max(1, step), show: ["formulas", "trace"] });
    const text = JSON.stringify({ title: "My lesson", scenes: [scene] }, null, 1).replace(/\[\s+([^[\]{}]*?)\s+\]/g,
      (_, inside) => `[${inside.replace(/\s+/g, " ")}]`);
    open("This page as a scene", el("p", {}, "Save it as a file that ends in .json, add scenes, and open it under Lessons."), ...copied(text, 14));
  }

  /** Whether the link names a lesson; it is begun then. */
  fromLink() {
    const link = linked(location.hash);
    if (!link) return false;
    if (!this.open || link.name !== this.link || link.scene !== this.at) this.begin(link.name, link.scene, false);
    return true;
  }

  async begin(name, scene, noted = true) {
    try {
      this.lesson = await read(name);
      this.link = name;
      this.enter();
      this.title.textContent = typeof this.lesson?.title === "string" ? this.lesson.title : "";
      this.text.textContent = "…";  // until the first scene is there
      await this.go(scene, noted);
      if (this.open) this.buttons.next.focus();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refuse(error.message);
    }
  }

  /** What is wrong with a lesson; where nothing is shown yet, an example is. */
  refuse(sentence) {
    this.leave();
    this.wrong = sentence;
    if (this.page.run) this.show();
    else this.page.choose("separable");
  }

  // ---- which scene ---------------------------------------------------------------------------------------------------

  next() {
    if (this.isLast(this.aim)) this.leave();
    else this.go(this.aim + 1);
  }

  back() {
    if (this.aim > 0) this.go(this.aim - 1);
  }

  isLast(at) {
    return at === this.lesson.scenes?.length - 1;
  }

  async go(at, noted = true) {
    let scene;
    this.aim = at;
    try {
      scene = await ask("scene", { lesson: this.lesson, scene: at });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return this.refuse(error.message);
    }
    if (!scene) return;
    this.at = at;
    this.own = null;
    if (noted) history.pushState(null, "", `#lesson=${encodeURIComponent(this.link)}&scene=${at + 1}`);
    links.left();
    this.enter();
    this.title.textContent = `${scene.title} `;
    this.title.append(el("span", {}, `${at + 1} of ${scene.scenes}`));
    this.text.textContent = scene.text;
    this.buttons.back.disabled = at === 0;
    this.buttons.next.textContent = this.isLast(at) ? "Done" : "Next ▸";
    for (const panel of PANELS) document.body.classList.toggle(`show-${panel}`, scene.show.includes(panel));
    document.body.classList.toggle("bare", scene.show.length === 0);
    this.page.take(scene);
    this.page.proofShown = scene.show.includes("certificate");
    this.panels(scene.show);
  }

  enter() {
    if (document.body.classList.contains("in-lesson")) return;
    document.body.classList.add("in-lesson");
    $("lesson").hidden = false;
    this.settingsWereOpen = $("settings").open;
    $("settings").open = false;
    scrollTo(0, 0);
  }

  leave() {
    this.lesson = null;
    if (!document.body.classList.contains("in-lesson")) return;
    document.body.classList.remove("in-lesson", "two-classes", "bare", ...PANELS.map(panel => `show-${panel}`));
    $("lesson").hidden = true;
    $("settings").open = this.settingsWereOpen;
    this.panels([]);
    this.page.render();
    $("lessons").focus();
  }

  /** Whether the state is still the scene's. */
  show() {
    if ($("main").getAttribute("aria-busy") === "true") return;
    if (this.wrong) {
      this.page.problem(this.wrong);
      this.wrong = "";
    }
    if (!this.open) return;
    const now = encode(this.page.state);
    document.body.classList.toggle("two-classes", Math.max(...this.page.state.labels) < 2);
    this.own ??= now;
    this.buttons.restore.disabled = now === this.own;
  }

  key(event) {
    if (!this.open) return false;
    const by = { PageDown: 1, PageUp: -1 }[event.key];
    if (!by) return false;
    event.preventDefault();
    if (by > 0) this.next();
    else this.back();
    return true;
  }
}

/** The lesson and the scene that a link names. */
function linked(hash) {
  const found = /^#lesson=([^&]+)(?:&scene=(\d+))?$/.exec(hash);
  if (!found) return null;
  let name = found[1];
  try {
    name = decodeURIComponent(name);
  } catch { /* a % that stands for itself */ }
  return { name, scene: Math.max(0, Number(found[2] ?? 1) - 1) };
}

/** A lesson by its name, by the address of a file beside the page, or whole, after a ~. */
async function read(name) {
  if (name.startsWith("~")) return parsed(unpacked(name.slice(1)));
  const address = new URL(/^[a-z0-9-]+$/.test(name) ? `lessons/${name}.json` : name, location.href);
  if (address.origin !== location.origin)
    throw new Refused(`A lesson must come from where the page does: save ${address.href} as a file, and open it under Lessons.`);
  return fetched(address.href);
}

async function fetched(address) {
  let answer;
  try {
    answer = await fetch(address);
  } catch {
    throw new Refused(`The lesson ${address} cannot be fetched.`);
  }
  if (!answer.ok) throw new Refused(`There is no lesson at ${address}.`);
  return parsed(await answer.text());
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refused(`The lesson is no JSON: ${error.message}.`);
  }
}

function packed(text) {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function unpacked(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("The link holds no lesson that can be read.");
  }
}
