// The page for a projector: the picture and the formulas alone, large, walked through by a presenter's keys.

import { $ } from "./dom.js";

export class Projector {
  /** It stays when the page is loaded again, as some presenters do with F5. */
  constructor(changed) {
    this.changed = changed;
    $("projector").addEventListener("click", () => this.on ? this.leave() : this.enter());
    $("leave").addEventListener("click", () => this.leave());
    if (sessionStorage.getItem("projector")) this.enter();
  }

  get on() {
    return document.body.classList.contains("projector");
  }

  enter() {
    sessionStorage.setItem("projector", "on");
    document.body.classList.add("projector");
    document.activeElement?.blur();
    this.changed();
  }

  leave() {
    sessionStorage.removeItem("projector");
    document.body.classList.remove("projector");
    this.changed();
  }
}
