// Questions to the server. A newer question of a kind takes the place of one that waits.

const page = crypto.randomUUID();
const waiting = {};

export class Refused extends Error {}

/** The answer, or undefined where a newer question was asked meanwhile. Throws Refused with a sentence. */
export async function ask(kind, question) {
  waiting[kind]?.abort();
  const stop = waiting[kind] = new AbortController();
  try {
    const answer = await fetch(`api/${kind}`, {
      method: "POST", signal: stop.signal, body: JSON.stringify(question),
      headers: { "content-type": "application/json", "x-turn": page },
    });
    if (answer.status === 409 || waiting[kind] !== stop) return undefined;
    const body = await answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
    if (body.error) throw new Refused(body.error);
    return body;
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    if (error instanceof Refused) throw error;
    throw new Refused("The playground does not answer. Is `rosenblatt play` still running?");
  }
}

export const examples = async () => (await fetch("api/examples")).json();

/** The state as a request sends it. */
export const request = state => ({
  points: state.points, labels: state.labels, names: state.names, classes: state.classes, settings: state.settings,
});
