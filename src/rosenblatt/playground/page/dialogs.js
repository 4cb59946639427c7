// What opens over the page: help, a table to paste, the link, and the same in Python.

import { ask, Refused } from "./api.js";
import { $, el } from "./dom.js";
import * as files from "./exports.js";
import { SYMBOLS } from "./glossary.js";
import { KEYS } from "./keys.js";

export function open(title, ...body) {
  $("dialog-title").textContent = title;
  $("dialog-body").replaceChildren(...body);
  if (!$("dialog").open) $("dialog").showModal();
}

const EDITING_KEYS = [["Ctrl Z", "undo: points, names, examples and settings"], ["Ctrl Y", "redo (or Ctrl Shift Z)"]];
const PICTURE_KEYS = [
  ["← ↑ → ↓", "move the cross (with Shift, farther)"], ["Enter", "place a point, or pick one up and put it down"],
  ["Delete", "erase the point under the cross"], ["[  ]", "to the previous or next point"],
  ["1 … 4", "choose the class"],
];

const TEACHING_KEYS = [
  ["PageDown", "in a lesson: the next scene"], ["PageUp", "in a lesson: the scene before"],
  ["1  2  3", "in Predict: an answer; n shows the step, or asks on"],
  ["← ↑ → ↓", "on the lift: turn it"], ["n  b  r  0  e", "in A sentence: its steps"],
];

export function help(shortcuts) {
  const list = keys => el("dl", { class: "keys" }, keys.map(([key, action]) =>
    el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, action))));
  open("Help",
    el("p", {}, "Place points of two or more classes, choose how to learn, and step through the run. Each row of the trace leads to its picture. ",
      "Everything is computed by the library on this machine; the table is that of rb.trace."),
    el("p", {}, "In the picture: the ringed point is the example of this step; crosses mark points that the weights now get wrong; ",
      "the grey arrow is w before the step, the coloured one what is added, the dark one their sum."),
    el("h3", {}, "Keys anywhere"), list([...KEYS.map(({ shown, does }) => [shown, does]), ...EDITING_KEYS]),
    el("label", {}, el("input", { type: "checkbox", id: "keys-on", checked: shortcuts.on, change: event => shortcuts.switch(event.target.checked) }),
      " single letters are shortcuts"),
    el("h3", {}, "Keys on the picture, reached with Tab"), list(PICTURE_KEYS),
    el("h3", {}, "Keys of lessons and views"), list(TEACHING_KEYS),
    el("h3", {}, "Symbols"), el("ul", { class: "symbols" }, Object.values(SYMBOLS).map(meaning => el("li", {}, meaning))));
}

export function paste(take) {
  const text = el("textarea", { id: "csv", rows: 9, spellcheck: "false", "aria-label": "Table",
    placeholder: "x1, x2, label\n1, 3, +1\n2, 3, -1\n\nor phrases:\n\ntext, label\nnot bad, pos" });
  const pairs = el("input", { type: "checkbox", id: "pairs" }), wrong = el("p", { role: "alert", class: "wrong" });
  open("Paste a table",
    el("p", {}, "One point per line, the label in a column called label or in the last. Two columns of numbers are drawn in the plane; ",
      "one phrase per line is counted by its words."),
    text, el("label", {}, pairs, " phrases: pairs of words too"), wrong,
    el("button", { type: "button", class: "strong", id: "take", click: async () => {
      try {
        const table = await ask("table", { csv: text.value, pairs: pairs.checked });
        if (!table) return;
        $("dialog").close();
        take(table);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        wrong.textContent = error.message;
      }
    } }, "Use it"));
  text.focus();
}

export function copied(text, rows) {
  const field = el("textarea", { readonly: true, rows, "aria-label": "Text to copy", class: "code", spellcheck: "false" });
  field.value = text;
  const button = el("button", { type: "button", class: "strong", click: async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl C";
    }
  } }, "Copy");
  return [field, button];
}

export const shareLesson = link => open("Share",
  el("p", {}, "The link names the lesson and the scene, after the #; a lesson that was opened from a file is in it as a whole."), ...copied(link, 4));

export const share = link => open("Share",
  el("p", {}, "The link holds the points, the settings and the step, after the #. Nothing of it is stored or sent: it opens ",
    "wherever rosenblatt play runs on the same port."), ...copied(link, 4));

/** What can be taken along. */
export function exports(page) {
  const said = el("p", { role: "status", class: "quiet" }), { run, question, plane } = page;
  const save = (id, name, make) => el("button", { type: "button", id, click: async () => {
    said.textContent = "One moment …";
    try {
      const made = await make(text => { said.textContent = text; });
      if (made) files.download(name, ...[made].flat());
      said.textContent = made ? `${name} is among the downloads.` : "";
    } catch (error) {
      said.textContent = error.message;
    }
  } }, name.split(".").pop().toUpperCase());
  const line = (what, ...buttons) => el("p", { class: "exports" }, el("span", {}, what), ...buttons);
  open("Export",
    line("The picture", save("save-png", "rosenblatt.png", () => files.png(plane)),
      save("save-svg", "rosenblatt.svg", () => [files.standalone(plane), "image/svg+xml"])),
    line("The run as a film", save("save-html", "rosenblatt.html", async () => {
      const film = await ask("film", question);
      return film && [film.html, "text/html"];
    }), save("save-gif", "rosenblatt.gif", tell => files.film(page, tell))),
    line("The same in Python", save("save-py", "rosenblatt_run.py", () => [run.program, "text/x-python"])),
    said, ...copied(run.program, 9));
}
