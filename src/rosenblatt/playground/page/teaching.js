// What helps to teach, in one place for the page: lessons, predictions, and the weight space.

import { $, el } from "./dom.js";
import { Lessons } from "./lessons.js";
import { Predict } from "./predict.js";
import { WeightSpace } from "./weight_space.js";

export class Teaching {
  constructor(page) {
    this.page = page;
    this.lessons = new Lessons(page, show => this.panels(show));
    this.predict = new Predict(page);
    this.weights = new WeightSpace(page);
    $("teaching").append(
      el("button", { id: "lessons", type: "button", click: () => this.lessons.choose() }, "Lessons"),
      el("button", { id: "predict", type: "button", "aria-pressed": "false", title: "Say what a step will do, before it is shown",
        click: () => this.predict.turn(!this.predict.on) }, "Predict"),
      el("button", { id: "weight-space", type: "button", "aria-pressed": "false", title: "The weights among the half-planes of the points",
        click: () => this.weights.turn(!this.weights.on) }, "Weight space"));
  }

  /** The panels that a scene asks for. */
  panels(show) {
    this.predict.turn(show.includes("predict"));
    this.weights.turn(show.includes("weights"));
  }

  /** Called whenever the page has drawn itself. */
  show() {
    this.lessons.show();
    this.predict.show();
    this.weights.show();
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
    return this.predict.key(event) || this.lessons.key(event);
  }
}
