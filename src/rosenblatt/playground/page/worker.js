// Python in a worker: Pyodide's core, and the modules that the page needs. It answers one question after another.

import { loadPyodide } from "./runtime/pyodide.mjs";

const beside = name => new URL(name, import.meta.url).href;

async function start() {
  const [python, files] = await Promise.all([
    loadPyodide({ indexURL: beside("runtime/") }),
    fetch(beside("rosenblatt.zip")).then(file => file.arrayBuffer()),
  ]);
  python.unpackArchive(files, "zip", { extractDir: "/rosenblatt" });
  python.runPython("import sys; sys.path.insert(0, '/rosenblatt')");
  return python.pyimport("rosenblatt.playground.answers");
}

try {
  const answers = await start();
  addEventListener("message", ({ data }) => {
    let answer;
    try {
      answer = answers.answer(data.kind, data.question);
    } catch (error) {
      answer = JSON.stringify({ error: `This cannot be computed here: ${lastLine(error)}` });
    }
    postMessage({ answer });
  });
  postMessage({ ready: true });
} catch (error) {
  postMessage({ failed: lastLine(error) });
}

function lastLine(error) {
  return String(error.message ?? error).trim().split("\n").at(-1);
}
