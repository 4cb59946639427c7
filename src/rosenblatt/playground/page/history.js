// What was, so that it can be undone; and what was undone, so that it can be done again.

const MOST = 100;

export class History {
  past = [];
  future = [];

  /** Something is about to take the place of this. */
  remember(moment) {
    this.past.push(moment);
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
  }

  /** The moment before, where there is one; the present one can then be done again. */
  undo(present) {
    if (this.past.length) this.future.push(present);
    return this.past.pop();
  }

  redo(present) {
    if (this.future.length) this.past.push(present);
    return this.future.pop();
  }
}
