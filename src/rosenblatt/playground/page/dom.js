// Elements, numbers and words.

export const $ = id => document.getElementById(id);

/** An element with attributes and children; attributes that are functions listen. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for pictures. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter(child => child != null && child !== false));
  return node;
}

/** Five digits and a true minus sign, as the library writes numbers. */
export function number(value, digits = 5) {
  if (value == null) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  let rounded = Number(value.toPrecision(digits)) + 0;
  if (rounded !== 0 && (Math.abs(rounded) < 1e-4 || Math.abs(rounded) >= 10 ** digits)) rounded = rounded.toExponential();
  return String(rounded).replace(/-/g, "−");
}

/** = 1.5, or ≈ 1.2961 where digits are left out. */
export const equals = (value, digits = 5) => `${Number(value?.toPrecision(digits)) === value ? "=" : "≈"} ${number(value, digits)}`;

/** The next number of so many digits that is not below a value (way 1), or not above it (way −1): a bound stays one. */
export function bound(value, way, digits = 5) {
  const near = Number(value.toPrecision(digits));
  if (Math.abs(near - value) <= 1e-12 * Math.abs(value)) return number(near, digits);  // a hair of floating point is no digit
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value) || 1)) - digits + 1);
  return number((near - value) * way >= 0 ? near : near + way * unit, digits);
}

export const vector = values => `(${values.map(v => number(v)).join(", ")})`;

export const several = (count, one, many = one + "s") => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** The same call, at most once in so many milliseconds, the last one always. */
export function throttled(wait, call) {
  let timer = null, last = 0;
  return (...values) => {
    clearTimeout(timer);
    const left = Math.max(0, wait - (performance.now() - last));
    timer = setTimeout(() => { last = performance.now(); call(...values); }, left);
  };
}

/** The same for a call that takes its time: one at a time, the last one always. */
export function paced(wait, call) {
  let running = false, again = false;
  const start = throttled(wait, async () => {
    if (running) return void (again = true);
    running = true;
    try {
      await call();
    } finally {
      running = false;
      if (again) start();
      again = false;
    }
  });
  return start;
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
