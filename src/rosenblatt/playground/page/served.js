// Questions to the server of this page.

const page = crypto.randomUUID();

export async function served(kind, question, signal) {
  let answer;
  try {
    answer = await fetch(`api/${kind}`, {
      method: "POST", signal, body: JSON.stringify(question),
      headers: { "content-type": "application/json", "x-turn": page },
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The playground does not answer. Is `rosenblatt play` still running?");
  }
  if (answer.status === 409) return undefined;
  if (answer.status === 503) throw new Error("The playground has too many requests at once.");
  return answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
}
