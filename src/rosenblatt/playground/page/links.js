// The address says what the page is about, so that a link brings it back and Back and Forward go from one to the next.

import { encode } from "./state.js";

let about = null; // what the present entry of the history is about: data and settings, without the step

/** Write the state into the address: a new entry where it is about something else, else the present one. */
export function note(state) {
  const now = encode(state, true), hash = `#${encode(state)}`;
  const isNew = about !== null && now !== about;
  about = now;
  if (hash === location.hash) return;
  if (isNew) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

/** The page was brought to this state by its address: that is no new entry. */
export function came(state) {
  about = encode(state, true);
}
