// The address says what the page is about, so that a link brings it back and Back and Forward go from one to the next.

import { throttled } from "./dom.js";
import { encode } from "./state.js";

let present = null; // what the present entry of the history is about, without the step, and its address
let written = location.hash;

/** Keep the state in the address: in a new entry where it is about something else, else in the present one, soon. */
export function note(state) {
  const now = { about: encode(state, true), hash: `#${encode(state)}` };
  const isNew = present !== null && now.about !== present.about;
  if (isNew) write();
  present = now;
  if (isNew) write("pushState");
  else later();
}

/** The address as it is to be now. */
export function address(state) {
  note(state);
  write();
  return location.href;
}

/** The address now says something else, a lesson: what comes after it is a new entry. */
export function left() {
  present = { about: null, hash: location.hash };
  written = location.hash;
}

/** The page was brought to this state by its address: that is no new entry. */
export function came(state) {
  present = { about: encode(state, true), hash: location.hash };
  written = location.hash;
}

function write(how = "replaceState") {
  if (location.hash !== written || present.hash === written) return; // it went elsewhere meanwhile, or says so already
  history[how](null, "", present.hash);
  written = present.hash;
}

const later = throttled(250, () => write());
