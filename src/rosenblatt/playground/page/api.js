// Questions to Python: to the server, or, where the page is only files, to Python in the browser. A newer question of a
// kind takes the place of one that waits.

import { served } from "./served.js";

export class Refused extends Error {}
/** Nobody answers, which another try may mend. */
export class Unanswered extends Refused {}

const isStatic = document.querySelector('meta[name="playground"]').content === "static";
/** (kind, question, signal) to the answer; undefined: out of date. */
const send = isStatic ? (await import("./in_browser.js")).inBrowser : served;
const waiting = {};

/** The answer, or undefined where a newer question was asked meanwhile. Throws Refused with a sentence. */
export async function ask(kind, question) {
  waiting[kind]?.abort();
  const stop = waiting[kind] = new AbortController();
  let answer;
  try {
    answer = await send(kind, question, stop.signal);
  } catch (error) {
    if (error.name === "AbortError" || waiting[kind] !== stop) return undefined;
    throw new Unanswered(error.message);
  }
  if (answer === undefined || waiting[kind] !== stop) return undefined;
  if (answer.error) throw new Refused(answer.error);
  return answer;
}

export const examples = () => ask("examples", {});

/** The state as a request sends it. */
export const request = state => ({
  points: state.points, labels: state.labels, names: state.names, classes: state.classes, settings: state.settings,
});
