// A film as a GIF: pictures of 256 colours at most, each compressed by Lempel, Ziv and Welch's method (GIF89a).

const COLOURS = 256;

/** The bytes of a film. Frames are ImageData of one size; `delays` say for how many milliseconds each is shown. */
export function gif(frames, delays) {
  const { width, height } = frames[0], out = new Bytes(), { palette, nearest } = paletteOf(frames);
  out.text("GIF89a").short(width).short(height).byte(0xf7, 0, 0);  // a global table of 256 colours
  for (let i = 0; i < COLOURS; i++) out.byte(...(palette[i] ?? [0, 0, 0]));
  out.byte(0x21, 0xff, 11).text("NETSCAPE2.0").byte(3, 1, 0, 0, 0);  // again and again
  frames.forEach((frame, i) => {
    out.byte(0x21, 0xf9, 4, 4).short(Math.round(delays[i] / 10)).byte(0, 0);
    out.byte(0x2c).short(0).short(0).short(width).short(height).byte(0, 8);
    const codes = compressed(indices(frame, nearest));
    for (let at = 0; at < codes.length; at += 255) {
      const block = codes.subarray(at, at + 255);
      out.byte(block.length).all(block);
    }
    out.byte(0);
  });
  return out.byte(0x3b).bytes();
}

class Bytes {
  parts = [];
  open = [];

  byte(...values) {
    this.open.push(...values);
    return this;
  }

  short(value) {
    return this.byte(value & 255, value >> 8);
  }

  text(letters) {
    return this.byte(...[...letters].map(letter => letter.charCodeAt(0)));
  }

  all(bytes) {
    this.parts.push(Uint8Array.from(this.open), bytes);
    this.open = [];
    return this;
  }

  bytes() {
    return new Blob([...this.parts, Uint8Array.from(this.open)], { type: "image/gif" });
  }
}

/** The colours that are there most often, alike ones as one, and for each colour the nearest of them. */
function paletteOf(frames) {
  const found = new Map(), few = frames.filter((_, i) => i % Math.ceil(frames.length / 12) === 0 || i === frames.length - 1);
  for (const { data } of few)
    for (let p = 0; p < data.length; p += 4) {
      const key = keyOf(data, p), entry = found.get(key);
      if (entry) for (let c = 0; c < 4; c++) entry[c] += c < 3 ? data[p + c] : 1;
      else found.set(key, [data[p], data[p + 1], data[p + 2], 1]);
    }
  const palette = [...found.values()].sort((a, b) => b[3] - a[3]).slice(0, COLOURS)
    .map(([r, g, b, n]) => [r, g, b].map(sum => Math.round(sum / n)));
  const known = new Map();
  const nearest = (data, p) => {
    const key = keyOf(data, p);
    if (!known.has(key)) {
      const far = ([r, g, b]) => (r - data[p]) ** 2 + (g - data[p + 1]) ** 2 + (b - data[p + 2]) ** 2;
      known.set(key, palette.reduce((best, colour, i) => far(colour) < far(palette[best]) ? i : best, 0));
    }
    return known.get(key);
  };
  return { palette, nearest };
}

/** Colours of one key are taken for alike: six bits of each part. */
const keyOf = (data, p) => (data[p] >> 2) << 12 | (data[p + 1] >> 2) << 6 | data[p + 2] >> 2;

function indices({ data }, nearest) {
  const out = new Uint8Array(data.length / 4);
  for (let i = 0; i < out.length; i++) out[i] = nearest(data, 4 * i);
  return out;
}

/** Bytes as codes of 9 to 12 bits, the lowest bits first; 256 begins the table anew and 257 is the end. */
function compressed(bytes) {
  const out = [], CLEAR = 256, END = 257;
  let held = 0, bits = 0, size = 9, next = END + 1, table = new Map();
  const put = code => {
    held |= code << bits;
    bits += size;
    for (; bits >= 8; bits -= 8, held >>>= 8) out.push(held & 255);
  };
  put(CLEAR);
  let prefix = bytes[0];
  for (let i = 1; i < bytes.length; i++) {
    const key = prefix << 8 | bytes[i], known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    if (next < 4096) {
      if (next === 1 << size) size += 1;
      table.set(key, next++);
    } else {
      put(CLEAR);
      [size, next, table] = [9, END + 1, new Map()];
    }
    prefix = bytes[i];
  }
  put(prefix);
  put(END);
  if (bits) out.push(held & 255);
  return Uint8Array.from(out);
}
