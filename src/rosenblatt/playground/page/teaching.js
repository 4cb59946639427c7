// What helps to teach, in one place for the page: lessons, and the views beside the picture.

import { $, el } from "./dom.js";
import { Generated } from "./generated.js";
import { Sentence } from "./lattice.js";
import { Lessons } from "./lessons.js";
import { Lift } from "./lift.js";
import { LiveText } from "./live_text.js";
import { Predict } from "./predict.js";
import { Race } from "./race.js";
import { WeightSpace } from "./weight_space.js";

export class Teaching {
  constructor(page) {
    this.page = page;
    this.lessons = new Lessons(page, show => this.panels(show));
    this.predict = new Predict(page);
    this.weights = new WeightSpace(page);
    this.race = new Race(page);
    this.generated = new Generated(page);
    this.text = new LiveText(page);
    this.lift = new Lift(page);
    this.sentence = new Sentence(page);
    const whole = new Set([this.race, this.sentence]);  // which take the place of the picture
    const view = (id, text, title, part) => el("button", { id, type: "button", "aria-pressed": "false", title,
      click: () => {
        this.close();
        if (whole.has(part)) for (const other of whole) if (other !== part) other.turn(false);
        part.turn(!part.on);
        if (part.on) part.panel.scrollIntoView({ block: "nearest" });
      } }, text);
    this.views = el("details", { id: "views" }, el("summary", {}, "Views"), el("div", {},
      view("predict", "Predict", "Say what a step will do, before it is shown", this.predict),
      view("weight-space", "Weight space", "The weights among the half-planes of the points, and the proof's two curves", this.weights),
      view("race-view", "Race", "Two to four learners on the same points", this.race),
      view("text-view", "Text", "Write phrases, and see the share of each word in a sentence", this.text),
      view("lift-view", "The lift", "A kernel of degree 2 as a surface that a plane cuts", this.lift),
      view("lattice-view", "A sentence", "Tags for the words of a sentence: the right path, its rival, and the update as their difference", this.sentence),
      view("generate", "Generate", "Points drawn at random, with others held out", this.generated)));
    $("teaching").append(el("button", { id: "lessons", type: "button", click: () => this.lessons.choose() }, "Lessons"), this.views);
    document.addEventListener("click", event => { if (!this.views.contains(event.target)) this.views.open = false; });
    this.views.addEventListener("keydown", event => {
      if (event.key === "Escape") this.close();
    });
  }

  /** Close the list of views; the focus stays where it was opened. */
  close() {
    this.views.open = false;
    this.views.firstChild.focus();
  }

  /** The views by the names that scenes and links have for them. */
  get named() {
    return { predict: this.predict, weights: this.weights, race: this.race, text: this.text, lift: this.lift,
      lattice: this.sentence };
  }

  /** Turn on the views that a scene or a link asks for, and the others off. */
  panels(show) {
    for (const [name, part] of Object.entries(this.named)) part.turn(show.includes(name));
  }

  /** The names of those that are on. */
  get open() {
    return Object.entries(this.named).flatMap(([name, part]) => part.on ? [name] : []);
  }

  /** Called whenever the page has drawn itself. */
  show() {
    this.lessons.show();
    this.predict.show();
    this.weights.show();
    this.race.show();
    this.generated.show();
    this.text.show();
    this.lift.show();
  }

  /** What the picture shows at this step, less what is still to be guessed. */
  scene(scene) {
    return this.predict.scene(scene);
  }

  /** Called whenever the plane was drawn. */
  drawn() {
    this.predict.drawn();
  }

  /** Whether a key was for one of these. */
  key(event) {
    return this.race.key(event) || this.sentence.key(event) || this.predict.key(event) || this.lessons.key(event);
  }
}
