/* map.js - the picture of one memory on a canvas.
 *
 * Blocks never overlap, so painting all of them costs about as many pixels as
 * the canvas has, however many there are: small ones are written straight into
 * an image, large ones are drawn with frame, pattern and label. Time (x) is
 * shared by all pictures, addresses (y) are each picture's own. */
'use strict';

const LEFT = 76, RIGHT = 14, TOP = 22;
const LARGE = 7; /* pixels from which on a block gets a frame */

function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/* "#rrggbb" as one pixel of an image. */
function pixel(hex) {
  const v = parseInt(hex.slice(1), 16);
  return (255 << 24 | (v & 255) << 16 | (v >> 8 & 255) << 8 | v >> 16) >>> 0;
}

/* Patterns tell the kinds apart without colour. */
const PATTERNS = {
  input: [[0, 8, 8, 0]],
  output: [[0, 0, 8, 8]],
  work: [[2, 2, 3, 2], [6, 6, 7, 6]],
  tile: [[4, 0, 4, 8]],
  persistent: [[0, 4, 8, 4], [4, 0, 4, 8]],
  constant: [[0, 4, 8, 4]],
};

function makePattern(context, key, colour) {
  if (!PATTERNS[key]) return null;
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const c = tile.getContext('2d');
  c.strokeStyle = colour;
  c.globalAlpha = 0.38;
  for (const [x0, y0, x1, y1] of PATTERNS[key]) {
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
  }
  return context.createPattern(tile, 'repeat');
}

function readTheme(context) {
  const theme = {};
  for (const name of ['ink', 'soft', 'line', 'paper', 'band', 'accent', 'peak', 'bound', 'limit'])
    theme[name] = cssColour('--' + name);
  theme.dim = pixel(theme.line);
  theme.kinds = KINDS.map(k => {
    const fill = cssColour('--' + k.key), edge = cssColour('--' + k.key + '-edge');
    return {fill, edge, pixel: pixel(edge), fillPixel: pixel(fill), pattern: makePattern(context, k.key, edge)};
  });
  return theme;
}

class MemoryMap {
  /* `shared`: {plan, view: {from, to}, selected, related, hover, matches, toCapacity}; of a small
   * picture also {low: true, top: bytes} */
  constructor(shared, m, holder, hooks) {
    Object.assign(this, {shared, m, hooks, memory: shared.plan.memories[m]});
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', this.describe());
    this.context = this.canvas.getContext('2d');
    this.low = 0;
    this.high = 1;
    this.members = this.collect();
    holder.append(this.canvas);
    this.fitHeight();
    this.listen();
  }

  describe() {
    const m = this.memory, a = m.scratch;
    return 'Picture of memory ' + m.name + ': ' + bytes(m.bytes) + ' used' +
      (a ? ', peak at step ' + m.peak + ' (' + stepTitle(this.shared.plan, m.peak) + ')' : '') +
      '. Arrow keys go from block to block; the tables below hold the same facts.';
  }

  /* Views lie in front of what they look at, so they come last. */
  collect() {
    const plan = this.shared.plan, list = [];
    for (let i = 0; i < plan.count; i++) if (plan.memory[i] === this.m && plan.alias[i] < 0) list.push(i);
    for (let i = 0; i < plan.count; i++) if (plan.memory[i] === this.m && plan.alias[i] >= 0) list.push(i);
    return Int32Array.from(list);
  }

  top() {
    const m = this.memory;
    if (this.shared.top) return this.shared.top;
    return Math.max(1, this.shared.toCapacity && m.capacity ? Math.max(m.capacity, m.bytes) : m.bytes);
  }
  fitHeight() { this.low = 0; this.high = this.top() * 1.1; }

  /* ---- geometry ---------------------------------------------------------- */

  resize() {
    const ratio = window.devicePixelRatio || 1, width = this.canvas.parentElement.clientWidth;
    const narrow = width < 560;
    this.measureTitles(width);
    const body = this.shared.low ? 230 : this.memory.scratch ? (narrow ? 260 : 360) : Math.min(narrow ? 140 : 190, 60 + 14 * this.members.length);
    this.width = width;
    this.height = TOP + body + this.bottom;
    this.ratio = ratio;
    const w = Math.round(width * ratio), h = Math.round(this.height * ratio);
    if (this.canvas.width !== w) this.canvas.width = w;
    if (this.canvas.height !== h) this.canvas.height = h;
    this.canvas.style.height = this.height + 'px';
  }
  /* Names of steps lie flat if all in sight have room, else they hang. */
  measureTitles(width) {
    const wide = this.columnWidth(width), {from, to} = this.shared.view, c = this.context;
    this.flat = false;
    this.named = !this.isLower && (this.shared.axis || wide >= 11);
    this.bottom = 36;
    if (!this.named) return;
    if (this.shared.axis) { this.bottom = 130; return; }
    let longest = 0;
    c.font = '700 11px system-ui, sans-serif';
    for (let s = Math.floor(from); s < Math.min(to, this.shared.plan.steps.length); s++)
      longest = Math.max(longest, c.measureText(s + '  ' + stepTitle(this.shared.plan, s)).width);
    this.flat = longest + 10 <= wide;
    if (!this.flat) this.bottom = Math.min(170, Math.max(60, Math.ceil(longest / 10) * 10 + 14));
  }
  columnWidth(width) {
    const {from, to} = this.shared.view;
    return (width - LEFT - RIGHT) / (to - from);
  }
  /* Where a step begins on the axis of time: all alike, or by cycles (shared.axis). */
  position(step) {
    const axis = this.shared.axis;
    if (!axis) return step;
    const s = Math.max(0, Math.min(axis.length - 2, Math.floor(step)));
    return axis[s] + (step - s) * (axis[s + 1] - axis[s]);
  }
  stepFrom(position) {
    const axis = this.shared.axis;
    if (!axis) return position;
    let low = 0, high = axis.length - 2;
    while (low < high) { const middle = (low + high + 1) >> 1; if (axis[middle] <= position) low = middle; else high = middle - 1; }
    return low + Math.max(0, Math.min(1, (position - axis[low]) / (axis[low + 1] - axis[low])));
  }
  x(step) {
    const {from, to} = this.shared.view;
    return LEFT + (this.position(step) - from) / (to - from) * (this.width - LEFT - RIGHT);
  }
  y(at) { return this.height - this.bottom - (at - this.low) / (this.high - this.low) * (this.height - this.bottom - TOP); }
  stepAt(x) {
    const {from, to} = this.shared.view;
    return this.stepFrom(from + (x - LEFT) / (this.width - LEFT - RIGHT) * (to - from));
  }
  byteAt(y) { return this.low + (this.height - this.bottom - y) / (this.height - this.bottom - TOP) * (this.high - this.low); }

  /* The block under a point; the last painted wins. */
  hit(x, y) {
    const plan = this.shared.plan, step = this.stepAt(x), at = this.byteAt(y);
    if (x < LEFT || x > this.width - RIGHT || y < TOP || y > this.height - this.bottom) return -1;
    for (let k = this.members.length - 1; k >= 0; k--) {
      const i = this.members[k];
      if (plan.from[i] <= step && step < plan.to[i] && plan.low[i] <= at && at < plan.low[i] + plan.size[i]) return i;
    }
    return -1;
  }

  /* ---- painting ---------------------------------------------------------- */

  paint() {
    this.resize();
    const c = this.context;
    this.theme = readTheme(c);
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = this.theme.paper;
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.font = '11px system-ui, sans-serif';
    c.textBaseline = 'middle';
    this.paintArenas();
    this.paintPeak(c.fillRect, 0.25);
    this.paintBlocks();
    this.paintPeak(c.strokeRect, 0.9);
    c.save();
    c.beginPath();
    c.rect(LEFT, TOP - 12, this.width - LEFT - RIGHT, this.height - this.bottom - TOP + 14);
    c.clip();
    this.paintLive();
    this.taken = []; /* rectangles of labels: where blocks share bytes, their labels would lie over each other */
    for (const i of this.labelled) this.paintLabel(i);
    this.paintMarked();
    c.restore();
    this.paintLines();
    this.paintAddressAxis();
    this.paintTimeAxis();
  }

  paintArenas() {
    const c = this.context, m = this.memory;
    m.arenas.forEach((a, k) => {
      const y0 = this.y(m.bases[k]), y1 = this.y(m.bases[k] + a.size);
      const top = Math.max(TOP, y1), bottom = Math.min(this.height - this.bottom, y0);
      if (bottom <= top) return;
      c.fillStyle = this.theme.band;
      c.fillRect(LEFT, top, this.width - LEFT - RIGHT, bottom - top);
    });
  }

  /* The column of the peak: filled behind the blocks, so that they keep their colours, framed before them. */
  paintPeak(draw, alpha) {
    if (!this.memory.scratch) return;
    const c = this.context, x0 = this.x(this.memory.peak), x1 = this.x(this.memory.peak + 1);
    if (x1 < LEFT || x0 > this.width - RIGHT) return;
    c.fillStyle = this.theme.peak;
    c.strokeStyle = this.theme.peak;
    c.lineWidth = 1.5;
    const left = Math.max(LEFT, x0), wide = Math.max(2, Math.min(x1, this.width - RIGHT) - left);
    c.globalAlpha = alpha;
    draw.call(c, left, TOP, wide, this.height - this.bottom - TOP);
    c.globalAlpha = 1;
  }

  /* Blocks too small for a frame go into an image, pixel by pixel. Where many
   * steps share one pixel, the picture is what is alive at the pixel's edge:
   * blocks between two edges are left out, unless they are looked for or make
   * the peak. */
  paintBlocks() {
    const {from: first, to: end, low: at, size} = this.shared.plan, plan = this.shared.plan, large = [], r = this.ratio;
    const {from, to} = this.shared.view, {low, high, members} = this, peak = this.memory.peak;
    const px0 = Math.round(LEFT * r), py0 = Math.round(TOP * r);
    const pw = Math.max(1, Math.round((this.width - RIGHT) * r) - px0);
    const ph = Math.max(1, Math.round((this.height - this.bottom) * r) - py0);
    const perStep = pw / (to - from), perByte = ph / (high - low), enough = LARGE * r;
    const marks = this.shared.matches || this.shared.selected >= 0, sampled = perStep < 0.5, axis = this.shared.axis;
    let image = null, words = null;
    for (let k = 0; k < members.length; k++) {
      const i = members[k], lo = at[i], hi = lo + size[i];
      const start = axis ? axis[first[i]] : first[i], stop = axis ? axis[end[i]] : end[i];
      if (stop <= from || start >= to || hi <= low || lo >= high) continue;
      const x0 = Math.round((start - from) * perStep), x1 = Math.round((stop - from) * perStep);
      if (sampled && x0 === x1 && !(first[i] <= peak && peak < end[i]) && !(marks && !this.isDimmed(i))) continue;
      const y0 = Math.round(ph - (hi - low) * perByte), y1 = Math.round(ph - (lo - low) * perByte);
      if (x1 - x0 >= enough && y1 - y0 >= enough) { large.push(i); continue; }
      if (!image) {
        image = this.smallImage(pw, ph);
        words = new Uint32Array(image.data.buffer);
      }
      fillPixels(words, pw, ph, x0, x1, y0, y1, this.smallPixel(i));
    }
    if (image) {
      this.small.getContext('2d').putImageData(image, 0, 0);
      this.context.drawImage(this.small, px0 / r, py0 / r, pw / r, ph / r);
    }
    this.context.save();
    this.context.beginPath();
    this.context.rect(LEFT, TOP, this.width - LEFT - RIGHT, this.height - this.bottom - TOP);
    this.context.clip();
    for (const i of large) this.paintBlock(i);
    this.labelled = large.filter(i => plan.alias[i] < 0 && !this.isDimmed(i));
    this.context.restore();
  }

  /* An empty image for blocks too small for the canvas's own drawing. */
  smallImage(width, height) {
    if (!this.small) this.small = document.createElement('canvas');
    if (this.small.width !== width || this.small.height !== height) {
      this.small.width = width;
      this.small.height = height;
      this.image = null;
    }
    if (!this.image) this.image = this.small.getContext('2d').createImageData(width, height);
    this.image.data.fill(0);
    return this.image;
  }

  smallPixel(i) {
    const kind = this.theme.kinds[this.shared.plan.kind[i]];
    if (this.isDimmed(i)) return this.theme.dim;
    return i % 2 ? kind.pixel : kind.fillPixel;
  }

  isDimmed(i) {
    const s = this.shared;
    if (s.matches) return !s.matches[i];
    return s.selected >= 0 && i !== s.selected && !s.related.has(i);
  }

  paintBlock(i) {
    const c = this.context, plan = this.shared.plan, kind = this.theme.kinds[plan.kind[i]];
    const x0 = Math.max(this.x(plan.from[i]), LEFT - 4), x1 = Math.min(this.x(plan.to[i]), this.width - RIGHT + 4);
    const y0 = Math.max(this.y(plan.low[i] + plan.size[i]), TOP - 4);
    const y1 = Math.min(this.y(plan.low[i]), this.height - this.bottom + 4);
    const isView = plan.alias[i] >= 0;
    c.globalAlpha = this.isDimmed(i) ? 0.22 : 1;
    if (!isView) {
      c.fillStyle = kind.fill;
      c.fillRect(x0 + 1, y0 + 1, x1 - x0 - 2, y1 - y0 - 2);
      if (kind.pattern) { c.fillStyle = kind.pattern; c.fillRect(x0 + 1, y0 + 1, x1 - x0 - 2, y1 - y0 - 2); }
      this.paintReads(i, y0, y1);
    }
    c.strokeStyle = kind.edge;
    c.lineWidth = 1;
    c.setLineDash(isView ? [4, 3] : []);
    const inset = isView ? 4 : 1;
    c.strokeRect(x0 + inset + 0.5, y0 + inset + 0.5, x1 - x0 - 2 * inset - 1, y1 - y0 - 2 * inset - 1);
    c.setLineDash([]);
    c.globalAlpha = 1;
  }

  /* What lives always is dark where it is read. */
  paintReads(i, y0, y1) {
    const plan = this.shared.plan, c = this.context;
    if (plan.kind[i] !== CONSTANT) return;
    c.fillStyle = this.theme.kinds[CONSTANT].edge;
    for (const s of readersOf(plan, i)) {
      const x0 = this.x(s), x1 = this.x(s + 1);
      if (x1 > LEFT && x0 < this.width) c.fillRect(x0 + 1, y0 + 1, Math.max(2, x1 - x0 - 2), y1 - y0 - 2);
    }
  }

  paintLabel(i) {
    const plan = this.shared.plan, c = this.context, t = plan.tensors[i];
    const x0 = Math.max(this.x(plan.from[i]), LEFT), x1 = Math.min(this.x(plan.to[i]), this.width - RIGHT);
    const y0 = Math.max(this.y(plan.low[i] + plan.size[i]), TOP), y1 = Math.min(this.y(plan.low[i]), this.height - this.bottom);
    const room = x1 - x0 - 12, tall = y1 - y0, names = namesOf(plan, i);
    if (tall < 14 || x1 - x0 < 15) return;
    const size = firstFit(c, [rough(t.size) + '  ' + shapeText(t), rough(t.size)], room);
    const flat = firstFit(c, names, room);
    if (!flat && tall > 64) { this.paintUpright(i, (x0 + x1) / 2, (y0 + y1) / 2, tall - 12); return; }
    if (room < 22) return;
    /* Half a name beside a size is noise; alone it is better than nothing. */
    const lines = (flat ? [flat, size] : [size || fitText(c, names[names.length - 1], room)]).filter(Boolean);
    if (tall < 30) lines.length = Math.min(1, lines.length);
    let y = (y0 + y1) / 2 - (lines.length - 1) * 7.5;
    for (const line of lines) {
      const wide = c.measureText(line).width + 4;
      if (!this.claim(x0 + 5, y - 7, wide, 14)) return;
      c.globalAlpha = 0.8;
      c.fillStyle = this.theme.kinds[plan.kind[i]].fill;
      c.fillRect(x0 + 5, y - 7, wide, 14);
      c.globalAlpha = 1;
      c.fillStyle = line === size ? this.theme.soft : this.theme.ink;
      c.fillText(line, x0 + 7, y + 0.5);
      y += 15;
    }
  }

  /* Is this place free of labels? Then it is taken. */
  claim(x, y, w, h) {
    if (this.taken.some(r => x < r.x + r.w && r.x < x + w && y < r.y + r.h && r.y < y + h)) return false;
    this.taken.push({x, y, w, h});
    return true;
  }

  /* Narrow and tall blocks carry their label upright. */
  paintUpright(i, x, y, room) {
    const plan = this.shared.plan, c = this.context, names = namesOf(plan, i), size = rough(plan.size[i]);
    const line = firstFit(c, [...names.map(name => name + '  ' + size), ...names, size], room);
    const wide = line ? c.measureText(line).width : 0;
    if (!line || !this.claim(x - 6.5, y - wide / 2 - 2, 13, wide + 4)) return;
    c.save();
    c.translate(x, y);
    c.rotate(-Math.PI / 2);
    c.globalAlpha = 0.8;
    c.fillStyle = this.theme.kinds[plan.kind[i]].fill;
    c.fillRect(-wide / 2 - 2, -6.5, wide + 4, 13);
    c.globalAlpha = 1;
    c.fillStyle = this.theme.ink;
    c.fillText(line, -wide / 2, 0.5);
    c.restore();
  }

  /* Selection, what it is joined with, and the block under the pointer. */
  paintMarked() {
    const s = this.shared;
    if (s.selected >= 0)
      for (const i of s.related) if (s.plan.memory[i] === this.m) this.frame(i, this.theme.accent, 1.5, [3, 3]);
    if (s.hover >= 0 && s.plan.memory[s.hover] === this.m) this.frame(s.hover, this.theme.ink, 2, []);
    if (s.selected >= 0 && s.plan.memory[s.selected] === this.m) this.frame(s.selected, this.theme.accent, 3, []);
  }
  frame(i, colour, width, dash) {
    const c = this.context, plan = this.shared.plan;
    const x0 = this.x(plan.from[i]), x1 = this.x(plan.to[i]), y0 = this.y(plan.low[i] + plan.size[i]), y1 = this.y(plan.low[i]);
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.setLineDash(dash);
    c.strokeRect(x0 + 0.5, y0 + 0.5, Math.max(2, x1 - x0 - 1), Math.max(2, y1 - y0 - 1));
    c.setLineDash([]);
  }

  /* Bytes alive, a staircase on the same scale as the addresses. */
  paintLive() {
    const live = this.memory.live, c = this.context;
    if (!live || !this.shared.plan.steps.length) return;
    const {from, to} = this.shared.view, first = Math.max(0, Math.floor(this.stepFrom(from))), last = Math.min(live.length, Math.ceil(this.stepFrom(to)) + 1);
    const stride = Math.max(1, Math.floor((last - first) / (2 * this.width)));
    c.beginPath();
    for (let s = first; s < last; s += stride) {
      let high = live[s];
      for (let k = 1; k < stride && s + k < last; k++) if (live[s + k] > high) high = live[s + k];
      const y = this.y(high);
      if (s === first) c.moveTo(this.x(s), y); else c.lineTo(this.x(s), y);
      c.lineTo(this.x(Math.min(s + stride, last)), y);
    }
    c.lineJoin = 'round';
    const dense = this.columnWidth(this.width) < 2;
    c.strokeStyle = this.theme.paper;
    c.lineWidth = 4;
    if (!dense) c.stroke();
    c.globalAlpha = this.shared.selected >= 0 || this.shared.matches ? 0.35 : 1;
    c.strokeStyle = this.theme.ink;
    c.lineWidth = dense ? 1 : 1.75;
    c.stroke();
    c.globalAlpha = 1;
  }

  /* What has no room: everything above the capacity. */
  paintExcess() {
    const m = this.memory, c = this.context;
    if (!m.capacity || m.bytes <= m.capacity || this.high <= m.capacity) return;
    const top = this.y(Math.min(this.high, m.bytes)), bottom = this.y(Math.max(this.low, m.capacity));
    c.globalAlpha = 0.25;
    c.fillStyle = this.theme.accent;
    c.fillRect(LEFT, top, this.width - RIGHT - LEFT, bottom - top);
    c.globalAlpha = 1;
  }

  /* The lines across the picture: {at, colour, dash, text, below?}. */
  lines() {
    const m = this.memory, labels = [];
    if (m.scratch) {
      const together = m.scratch.size === m.scratch.lower_bound;
      labels.push({at: m.scratch.size, colour: this.theme.accent, dash: [],
                   text: (together ? 'arena = lower bound ' : 'arena ') + bytes(m.scratch.size)});
      if (!together)
        labels.push({at: m.scratch.lower_bound, colour: this.theme.bound, dash: [6, 4], below: true,
                     text: 'lower bound ' + bytes(m.scratch.lower_bound)});
    }
    if (m.capacity) labels.push({at: m.capacity, colour: this.theme.limit, dash: [10, 4], text: 'capacity ' + bytes(m.capacity) +
      (m.bytes > m.capacity ? ', ' + bytes(m.short || m.bytes - m.capacity) + ' short' : '')});
    return labels.sort((a, b) => b.at - a.at);
  }
  paintLines() {
    const m = this.memory;
    this.paintExcess();
    /* The label of a line goes below it where another's would cover it. */
    let free = -Infinity;
    for (const l of this.lines()) {
      const y = this.y(l.at);
      l.below = l.below || y - 18 < free || y - 18 < 2;
      free = l.below ? y + 18 : y;
      this.paintLine(l);
    }
    if (m.capacity && m.capacity > this.high) this.note('capacity ' + rough(m.capacity) + ', beyond the picture \u2191');
  }
  paintLine({at, colour, dash, text, below}) {
    if (at > this.high || at < this.low) return;
    const c = this.context, y = Math.round(this.y(at)) + 0.5;
    c.strokeStyle = colour;
    c.lineWidth = 1.5;
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(LEFT, y);
    c.lineTo(this.width - RIGHT, y);
    c.stroke();
    c.setLineDash([]);
    this.tag(text, this.width - RIGHT - 4, below ? y + 9 : y - 9, colour);
  }
  tag(text, right, y, colour) {
    const c = this.context;
    c.font = '600 11px system-ui, sans-serif';
    const w = c.measureText(text).width;
    c.globalAlpha = 0.85;
    c.fillStyle = this.theme.paper;
    c.fillRect(right - w - 5, y - 7, w + 8, 14);
    c.globalAlpha = 1;
    c.fillStyle = colour;
    c.fillText(text, right - w - 1, y);
    c.font = '11px system-ui, sans-serif';
  }
  note(text) { this.tag(text, LEFT + 10 + this.context.measureText(text).width * 1.1, 9, this.theme.limit); }

  paintAddressAxis() {
    const c = this.context, span = this.high - this.low, rows = (this.height - this.bottom - TOP) / 44;
    let step = 1;
    while (step < span / rows) step *= 2;
    c.fillStyle = this.theme.paper;
    c.fillRect(0, 0, LEFT - 1, this.height);
    c.strokeStyle = this.theme.line;
    c.lineWidth = 1;
    c.textAlign = 'right';
    for (let at = Math.ceil(this.low / step) * step; at <= this.high; at += step) {
      const y = Math.round(this.y(at)) + 0.5;
      c.beginPath();
      c.moveTo(LEFT - 5, y);
      c.lineTo(LEFT - 1, y);
      c.stroke();
      c.fillStyle = this.theme.soft;
      c.fillText(step >= 1024 || at === 0 ? rough(at) : bytes(at), LEFT - 8, y);
    }
    c.textAlign = 'left';
    c.beginPath();
    c.moveTo(LEFT - 0.5, TOP);
    c.lineTo(LEFT - 0.5, this.height - this.bottom + 0.5);
    c.lineTo(this.width - RIGHT, this.height - this.bottom + 0.5);
    c.stroke();
  }

  /* By cycles: a name where its step has room, else a tick. */
  paintCycleAxis() {
    const c = this.context, y = this.height - this.bottom, plan = this.shared.plan;
    let free = LEFT;
    for (let s = 0; s < plan.steps.length; s++) {
      const x0 = this.x(s), x1 = this.x(s + 1), isPeak = s === this.memory.peak;
      if (x1 < LEFT || x0 > this.width - RIGHT) continue;
      c.fillStyle = isPeak ? this.theme.accent : this.theme.soft;
      c.fillRect(Math.max(LEFT, x0), y + 1, 1, 4);
      const x = (Math.max(x0, LEFT) + Math.min(x1, this.width - RIGHT)) / 2;
      if (!this.named || x < free || (x1 - x0 < 11 && !isPeak)) continue;
      c.font = (isPeak ? '700' : '400') + ' 11px system-ui, sans-serif';
      this.upright(stepTitle(plan, s), s, x, y + 10);
      free = x + 11;
    }
    c.font = '11px system-ui, sans-serif';
    if (!this.named) this.paintPeakMark(y);
  }

  paintTimeAxis() {
    if (this.shared.axis) { this.paintCycleAxis(); return; }
    const c = this.context, {from, to} = this.shared.view, wide = this.columnWidth(this.width);
    const y = this.height - this.bottom, every = this.named ? 1 : niceStride(Math.max(1, 46 / wide));
    for (let s = Math.max(0, Math.ceil(from / every) * every); s < to && s < this.shared.plan.steps.length; s += every) {
      const x = this.x(s) + wide / 2;
      if (x < LEFT || x > this.width - RIGHT) continue;
      const isPeak = s === this.memory.peak;
      c.fillStyle = isPeak ? this.theme.accent : this.theme.soft;
      c.font = (isPeak ? '700' : '400') + ' 11px system-ui, sans-serif';
      if (this.named) this.upright(stepTitle(this.shared.plan, s), s, x, y + 8);
      else { c.textAlign = 'center'; c.fillText(String(s), x, y + 11); c.textAlign = 'left'; }
    }
    c.font = '11px system-ui, sans-serif';
    if (!this.named) {
      c.fillStyle = this.theme.soft;
      c.fillText('step', LEFT - 34, y + 11);
      this.paintPeakMark(y);
    }
  }
  paintPeakMark(y) {
    if (!this.memory.scratch) return;
    const x = this.x(this.memory.peak + 0.5), c = this.context;
    if (x < LEFT || x > this.width - RIGHT) return;
    c.fillStyle = this.theme.accent;
    c.font = '700 11px system-ui, sans-serif';
    c.textAlign = x > this.width - 120 ? 'right' : 'left';
    c.fillText('\u25b2 peak: step ' + this.memory.peak, x - 4, y + 25);
    c.textAlign = 'left';
    c.font = '11px system-ui, sans-serif';
  }
  /* "12 conv_2d_3", turned by a right angle unless there is room. */
  upright(title, step, x, y) {
    const c = this.context, text = step + '  ' + title;
    if (this.flat) {
      c.textAlign = 'center';
      c.fillText(text, x, y + 6);
      c.textAlign = 'left';
      return;
    }
    c.save();
    c.translate(x, y - 2);
    c.rotate(Math.PI / 2);
    c.fillText(fitText(c, text, this.bottom - 8), 0, 0);
    c.restore();
  }

  /* ---- pointer and keys -------------------------------------------------- */

  listen() {
    const canvas = this.canvas, pointers = new Map();
    let moved = 0;
    const place = e => {
      const box = canvas.getBoundingClientRect();
      return {x: e.clientX - box.left, y: e.clientY - box.top};
    };
    canvas.addEventListener('pointerdown', e => {
      canvas.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, place(e));
      moved = 0;
    });
    canvas.addEventListener('pointermove', e => {
      const at = place(e), before = pointers.get(e.pointerId);
      if (!before) { this.hooks.hover(this.hit(at.x, at.y), e); return; }
      moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
      if (pointers.size === 2) this.pinch(pointers, e.pointerId, at);
      else if (moved > 4) this.pan(at.x - before.x, e.pointerType === 'touch' ? 0 : at.y - before.y);
      pointers.set(e.pointerId, at);
    });
    const release = e => {
      if (pointers.delete(e.pointerId) && moved <= 4 && e.type === 'pointerup') {
        const at = place(e);
        this.hooks.select(this.hit(at.x, at.y));
      }
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', () => this.hooks.hover(-1, null));
    canvas.addEventListener('dblclick', e => { const at = place(e); this.zoom(0.5, at.x, at.y); });
    canvas.addEventListener('wheel', e => this.wheel(e, place(e)), {passive: false});
    canvas.addEventListener('keydown', e => this.hooks.key(e, this));
  }

  pinch(pointers, id, at) {
    const [other] = [...pointers].filter(([key]) => key !== id).map(([, value]) => value);
    const before = pointers.get(id), old = Math.abs(before.x - other.x) + 1, now = Math.abs(at.x - other.x) + 1;
    this.zoom(old / now, (at.x + other.x) / 2, null);
  }

  wheel(e, at) {
    if (e.ctrlKey || e.metaKey) {
      this.zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.006), at.x, e.altKey ? at.y : null);
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      this.pan(-(e.shiftKey ? e.deltaY || e.deltaX : e.deltaX), 0);
    } else {
      return; /* the page scrolls */
    }
    e.preventDefault();
  }

  pan(dx, dy) {
    const view = this.shared.view, step = dx / this.columnWidth(this.width);
    const span = view.to - view.from, all = this.shared.plan.stepCount;
    view.from = Math.max(0, Math.min(all - span, view.from - step));
    view.to = view.from + span;
    const up = dy / (this.height - this.bottom - TOP) * (this.high - this.low), high = this.high - this.low;
    const limit = this.top() * 1.1;
    this.low = Math.max(0, Math.min(limit - high, this.low + up));
    this.high = this.low + high;
    this.hooks.changed();
  }

  /* `y` null: only time is zoomed. */
  zoom(factor, x, y) {
    const view = this.shared.view, all = this.shared.plan.stepCount, centre = this.position(this.stepAt(x));
    const span = Math.max(Math.min(2, all), Math.min(all, (view.to - view.from) * factor));
    const part = (centre - view.from) / (view.to - view.from);
    view.from = Math.max(0, Math.min(all - span, centre - part * span));
    view.to = view.from + span;
    if (y !== null) this.zoomBytes(factor, y);
    this.hooks.changed();
  }
  zoomBytes(factor, y) {
    const limit = this.top() * 1.1, centre = this.byteAt(y);
    const span = Math.max(16, Math.min(limit, (this.high - this.low) * factor));
    const part = (centre - this.low) / (this.high - this.low);
    this.low = Math.max(0, Math.min(limit - span, centre - part * span));
    this.high = this.low + span;
  }

  /* Brings a tensor into sight without changing the scale if it is already. */
  reveal(i) {
    const plan = this.shared.plan, view = this.shared.view, span = view.to - view.from;
    const left = this.position(plan.from[i]), right = this.position(plan.to[i]);
    if (right <= view.from || left >= view.to) {
      view.from = Math.max(0, Math.min(plan.stepCount - span, (left + right - span) / 2));
      view.to = view.from + span;
    }
    if (plan.low[i] + plan.size[i] <= this.low || plan.low[i] >= this.high) this.fitHeight();
  }
}

function pointIn(canvas, e) {
  const box = canvas.getBoundingClientRect();
  return {x: e.clientX - box.left, y: e.clientY - box.top};
}

/* What fingers and mice do to a picture: hover(at or null, event), pan(dx, dy), pinch(factor, at), click(at). */
function followPointers(canvas, {hover, pan, pinch, click}) {
  const pointers = new Map();
  let moved = 0;
  const apart = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a.x - b.x, a.y - b.y) + 1; };
  canvas.addEventListener('pointerdown', e => {
    canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, pointIn(canvas, e));
    moved = 0;
  });
  canvas.addEventListener('pointermove', e => {
    const at = pointIn(canvas, e), before = pointers.get(e.pointerId);
    if (!before) { hover(at, e); return; }
    moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    const wide = pointers.size === 2 ? apart() : 0;
    pointers.set(e.pointerId, at);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()];
      pinch(apart() / wide, {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2});
    } else if (moved > 4) pan(at.x - before.x, at.y - before.y);
  });
  const release = e => {
    const alone = pointers.size === 1;
    if (pointers.delete(e.pointerId) && alone && moved <= 4 && e.type === 'pointerup') click(pointIn(canvas, e));
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', e => hover(null, e));
}

function fillPixels(words, width, height, x0, x1, y0, y1, colour) {
  if (x1 <= x0) x1 = x0 + 1;
  if (y1 <= y0) y1 = y0 + 1;
  if (x0 < 0) x0 = 0;
  if (y0 < 0) y0 = 0;
  if (x1 > width) x1 = width;
  if (y1 > height) y1 = height;
  if (x0 >= x1) return;
  for (let y = y0; y < y1; y++)
    for (let p = y * width + x0, stop = y * width + x1; p < stop; p++) words[p] = colour;
}

function niceStride(least) {
  let stride = 1;
  for (let k = 0; stride < least; k++) stride *= k % 3 === 1 ? 2.5 : 2; /* 1 2 5 10 20 50 */
  return Math.round(stride);
}

function firstFit(c, texts, room) { return texts.find(text => c.measureText(text).width <= room); }

function fitText(c, text, room) {
  if (c.measureText(text).width <= room) return text;
  let n = Math.min(text.length, Math.floor(room / 5));
  while (n > 0 && c.measureText(text.slice(0, n) + '…').width > room) n--;
  return n > 4 ? text.slice(0, n) + '…' : '';
}
