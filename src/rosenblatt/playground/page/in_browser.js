// Questions to Python in a worker, where the page is only files. The first answers lie beside it, computed by the same
// Python, so that there is a picture before Python has started.

import { $ } from "./dom.js";
import { changed } from "./state.js";

/** Of the kinds that wait, these go last: they take their time, and are not what is looked at first. */
const LATER = ["separable", "film"];

const first = fetch(new URL("first.json", import.meta.url)).then(file => file.json());
let worker = null, ready = false, asked = null;
const waiting = [];

/** The answer that lies beside the page, if it is to this question. */
async function known(kind, question) {
  const { examples, question: own, answers } = await first;
  if (kind === "examples") return examples;
  if (!(kind in answers) || question.settings === undefined) return undefined;
  const same = ["points", "labels", "names", "classes"].every(name => JSON.stringify(question[name]) === JSON.stringify(own[name]))
    && JSON.stringify(changed(question.settings)) === JSON.stringify(own.settings);
  return same ? structuredClone(answers[kind]) : undefined;
}

function start() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    if (data.ready) ready = true;
    else if (data.failed) return stop(data.failed);
    else {
      asked?.resolve(JSON.parse(data.answer));
      asked = null;
    }
    next();
  });
  worker.addEventListener("error", event => stop(event.message ?? "its files could not be loaded"));
}

/** Python has ended: whoever waits is told, and the next question starts it again. */
function stop(why) {
  worker.terminate();
  const told = new Error(`Python could not be started in this browser: ${why}.`);
  for (const { reject } of [asked, ...waiting.splice(0)].filter(Boolean)) reject(told);
  worker = asked = null;
  ready = false;
  show();
}

function next() {
  show();
  if (!ready || asked || !waiting.length) return;
  const sooner = waiting.findIndex(({ kind }) => !LATER.includes(kind));
  [asked] = waiting.splice(Math.max(0, sooner), 1);
  worker.postMessage({ kind: asked.kind, question: JSON.stringify(asked.question) });
}

const show = () => { $("starting").hidden = ready || worker === null; };

export async function inBrowser(kind, question, signal) {
  if (!worker) start();
  show();
  const answer = await known(kind, question);
  if (answer !== undefined || signal.aborted) return signal.aborted ? undefined : answer;
  return new Promise((resolve, reject) => {
    const entry = { kind, question, resolve, reject };
    waiting.push(entry);
    signal.addEventListener("abort", () => {
      const at = waiting.indexOf(entry);
      if (at >= 0) waiting.splice(at, 1);
      resolve(undefined);
    });
    next();
  });
}
