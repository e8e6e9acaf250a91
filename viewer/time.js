/* time.js - time in a plan: cycles of each step (estimates that the plan
 * carries), bars for each layer, and lanes for transfers and computing. */
'use strict';

/* Cycles of every step; null: the plan does not say. Of an operator that runs in several steps each takes its
 * share of rows. */
function cyclesOf(plan) {
  if (!plan.steps.length || plan.steps.some(step => step.ops.some(op => op.cycles === undefined && op.kind !== 'feed'))) return null;
  return Float64Array.from(plan.steps, step => step.ops.reduce((sum, op) => sum + (op.cycles || 0), 0));
}

function milliseconds(plan, cycles) { return plan.json.mhz ? cycles / plan.json.mhz / 1000 : null; }
function durationText(plan, cycles) {
  const ms = milliseconds(plan, cycles);
  return count(Math.round(cycles)) + ' cycles' + (ms === null ? '' : ', ' + timeText(ms));
}
function timeText(ms) { return ms === null ? '' : (ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms >= 0.01 ? ms.toFixed(2) : '< 0.01') + '\u00a0ms'; }

/* Where each step begins on an axis of `stepCount` units, by cycles; a step always has a hair's breadth. */
function cycleAxis(plan) {
  const cycles = cyclesOf(plan), n = plan.stepCount, edges = new Float64Array(n + 1);
  if (!cycles) return null;
  const total = cycles.reduce((a, b) => a + b, 0) || 1, hair = 0.03;
  for (let s = 0; s < n; s++) edges[s + 1] = edges[s] + hair + (1 - hair) * n * (cycles[s] || 0) / total;
  return edges;
}

/* ---- layers: bars of RAM, flash, MACs, time -------------------------------- */

/* One row an operator: bytes alive while it runs, constants it reads, MACs, cycles. */
function layerFacts(plan) {
  const rows = new Map(), cycles = cyclesOf(plan);
  plan.steps.forEach((step, s) => step.ops.forEach(op => {
    if (op.kind === 'feed') return;
    const row = rows.get(op.id) || {id: op.id, kind: op.kind, step: s, ram: 0, flash: 0, macs: 0, cycles: 0, read: new Set()};
    row.ram = Math.max(row.ram, plan.memories.reduce((sum, m) => sum + (m.live ? m.live[s] : 0), 0));
    row.macs += op.macs;
    row.cycles += op.cycles || 0;
    for (const id of op.inputs) {
      const i = plan.byId.get(id);
      if (i !== undefined && plan.kind[i] === CONSTANT && !row.read.has(i)) { row.read.add(i); row.flash += plan.size[i]; }
    }
    rows.set(op.id, row);
  }));
  return {rows: [...rows.values()], timed: !!cycles};
}

function barCell(value, most, text, kind) {
  const cell = element('td', 'bar-cell'), bar = element('i');
  bar.style.cssText = 'width:' + (100 * value / Math.max(1, most)).toFixed(1) + '%;background:var(--' + kind + ');border-color:var(--' + kind + '-edge)';
  const both = element('div');
  both.append(element('span', '', text), bar);
  cell.append(both);
  return cell;
}

/* What a layer is measured in: {key, title, text(value), kind: its colour}. */
function layerMeasures(plan, timed) {
  const clock = plan.json.mhz, measure = (key, title, text, kind) => ({key, title, text, kind});
  return [measure('ram', 'RAM alive', bytes, 'activation'), measure('flash', 'Constants it reads', bytes, 'constant'), measure('macs', 'MACs', count, 'input'),
    ...(timed ? [measure('cycles', clock ? 'Time, estimate' : 'Cycles, estimate', value => clock ? timeText(milliseconds(plan, value)) : count(Math.round(value)), 'output')] : [])];
}

const LAYER_ROWS = 300;
/* A table of bars; a click on a heading sorts by it, largest first, another puts the order of the run back. */
function fillLayerBars(plan, holder, onStep, sortedBy = '') {
  const {rows, timed} = layerFacts(plan), measures = layerMeasures(plan, timed), sum = key => rows.reduce((all, row) => all + row[key], 0);
  const most = Object.fromEntries(measures.map(m => [m.key, rows.reduce((all, row) => Math.max(all, row[m.key]), 0)]));
  const table = element('table', 'bars'), head = element('tr'), body = element('tbody'), foot = element('tr');
  const heading = (text, key) => {
    const th = element('th'), button = element('button', '', text);
    th.scope = 'col';
    if (key === sortedBy) th.setAttribute('aria-sort', key ? 'descending' : 'ascending');
    button.type = 'button';
    button.addEventListener('click', () => {
      const column = [...head.children].indexOf(th);
      fillLayerBars(plan, holder, onStep, key === sortedBy ? '' : key);
      holder.querySelectorAll('th button')[column].focus();
    });
    th.append(button);
    return th;
  };
  head.append(heading('Operator', ''), ...measures.map(m => heading(m.title, m.key)));
  for (const row of (sortedBy ? [...rows].sort((a, b) => b[sortedBy] - a[sortedBy]) : rows).slice(0, LAYER_ROWS)) {
    const line = element('tr'), name = element('td');
    name.append(link(row.step + ' ' + row.id, () => onStep(row.step)));
    line.append(name, ...measures.map(m => barCell(row[m.key], most[m.key], m.text(row[m.key]), m.kind)));
    body.append(line);
  }
  foot.append(element('td', '', 'in all'), ...measures.map(m => element('td', '', m.key === 'ram' ? 'at most ' + bytes(most.ram) : m.text(sum(m.key)))));
  const parts = ['thead', 'tfoot'].map(tag => element(tag));
  parts[0].append(head);
  parts[1].append(foot);
  table.append(parts[0], body, parts[1]);
  const scroll = element('div', 'scroller tall');
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', 'Layers as bars');
  scroll.append(table);
  holder.replaceChildren(scroll);
  if (rows.length > LAYER_ROWS) holder.append(element('p', 'how', 'The first ' + LAYER_ROWS + ' of ' + count(rows.length) + '; the table of steps has all.'));
}

/* ---- lanes: transfers in, computing, transfers out; of rows, each operator --- */

/* Events {lane, name, from, to, step} in cycles. The plan knows of a layer its tiles, the cycles in which kernels
 * compute and all of them; the tiles are drawn equally long, the transfers of a tile where buffers let them hide
 * behind the computing of another, else before and after it. In an order of rows every operator has a lane: its runs
 * wait for the rows of the one before. */
const LANES = ['DMA in', 'compute', 'DMA out'], TILE_LANES = [...LANES, 'layer'], ROW_LANES = 200;
function lanesOf(plan) {
  const ops = plan.json.whole ? [...new Set(plan.steps.flatMap(step => step.ops.map(op => op.id)))] : [];
  const feeds = plan.steps.flatMap(step => step.ops.filter(op => op.kind === 'feed')).slice(0, 1).map(op => op.id);
  return ops.length > 1 && ops.length <= ROW_LANES ? [...feeds, ...ops.filter(id => !feeds.includes(id))] : plan.layers.some(l => l.levels && l.tiles) ? TILE_LANES : LANES;
}
function timeline(plan) {
  const events = [], layerOf = new Map(plan.layers.map(l => [l.op, l])), lanes = lanesOf(plan), own = new Map(lanes.map((name, k) => [name, k]));
  const perRow = lanes !== LANES && lanes !== TILE_LANES;
  let now = 0;
  plan.steps.forEach((step, s) => step.ops.forEach(op => {
    const layer = layerOf.get(op.id), arrives = op.kind === 'feed', total = op.cycles || 0;
    const start = now;
    if (layer && layer.levels && layer.tiles) now = tileEvents(events, layer, op, s, now);
    else {
      const lane = !perRow ? (arrives ? 0 : 1) : own.get(op.id);
      if (total || arrives) events.push({lane, name: op.id, kind: arrives ? 'input' : 'activation', from: now, to: now + (total || 1), step: s});
      now += total;
    }
    if (lanes === TILE_LANES && now > start) events.push({lane: 3, name: op.id, kind: 'constant', from: start, to: now, step: s});
  }));
  return {events, end: now, lanes};
}
const TILE_EVENTS = 256; /* of one layer; more are drawn together */
function tileEvents(events, layer, op, step, start) {
  const n = Math.min(layer.tiles, TILE_EVENTS), hidden = copiesOf(layer) > 1, compute = layer.compute_cycles / n;
  const rest = (layer.cycles - layer.compute_cycles) / n, many = layer.tiles > n ? ' (' + count(layer.tiles) + ' tiles)' : '';
  const add = (lane, k, from, to) => { if (to > from) events.push({lane, kind: ['input', 'activation', 'output'][lane], name: op.id + (many || ' tile ' + k), from, to, step}); };
  if (!hidden) {
    for (let k = 0; k < n; k++) {
      const at = start + k * (compute + rest);
      add(0, k, at, at + rest / 2);
      add(1, k, at + rest / 2, at + rest / 2 + compute);
      add(2, k, at + rest / 2 + compute, at + rest + compute);
    }
    return start + layer.cycles;
  }
  const fill = rest * n / 2, slot = compute; /* the first in and the last out are seen */
  for (let k = 0; k < n; k++) {
    const at = start + fill + k * slot;
    add(0, k, k ? at - slot : start, k ? at - slot + Math.min(slot, fill) : start + fill);
    add(1, k, at, at + slot);
    add(2, k, at + slot, at + slot + (k === n - 1 ? fill : Math.min(slot, fill)));
  }
  return start + layer.cycles;
}

/* The Trace Event Format, which Perfetto opens. Microseconds, or cycles if no clock is known. */
function traceJson(plan) {
  const {events, lanes} = timeline(plan), per = plan.json.mhz || 1;
  const meta = (name, tid, text) => ({ph: 'M', pid: 1, tid, name, args: {name: text}});
  return JSON.stringify({displayTimeUnit: 'ns', otherData: {model: plan.json.model, target: plan.json.target, unit: plan.json.mhz ? 'microseconds, estimated' : 'cycles, modelled'},
    traceEvents: [meta('process_name', 0, plan.json.model + ' on ' + plan.json.target), ...lanes.map((lane, k) => meta('thread_name', k + 1, lane)),
      ...events.map(e => ({ph: 'X', pid: 1, tid: e.lane + 1, name: e.name, cat: lanes[e.lane], ts: e.from / per, dur: (e.to - e.from) / per,
        args: {step: e.step, cycles: Math.round(e.to - e.from)}}))]});
}

function downloadText(name, text, type) {
  const a = element('a');
  a.href = URL.createObjectURL(new Blob([text], {type}));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

/* Names of operators differ at their ends: the middle is left out. */
function fitMiddle(c, text, room) {
  let n = text.length;
  const cut = () => text.slice(0, n - Math.ceil(n / 2)) + '…' + text.slice(-Math.ceil(n / 2));
  if (c.measureText(text).width <= room) return text;
  while (n > 2 && c.measureText(cut()).width > room) n--;
  return cut();
}

/* Lanes over time, drawn as one picture as wide as the page; the wheel with Ctrl zooms. */
class LaneView {
  constructor(plan, holder, onStep) {
    this.plan = plan;
    Object.assign(this, timeline(plan));
    this.from = 0;
    this.to = Math.max(1, this.end);
    this.isRows = this.lanes !== LANES && this.lanes !== TILE_LANES;
    this.pitch = this.isRows ? 22 : 46;
    this.onStep = onStep;
    this.canvas = element('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', 'Lanes over time: ' + (this.isRows ? this.lanes.length + ' operators' : this.lanes.join(', ')) + '; ' + count(Math.round(this.end)) + ' cycles in all.');
    const save = link('Open it in Perfetto: save the timeline as a trace', () => downloadText(plan.json.model + '.trace.json', traceJson(plan), 'application/json'));
    save.id = 'save-trace';
    holder.replaceChildren(element('p', 'how', 'Time runs to the right' + (plan.json.mhz ? ', estimated at ' + plan.json.mhz + ' MHz' : ', in modelled cycles') +
      '. ' + (this.isRows
      ? 'A lane is an operator, a box one of its runs: some rows of its result, as soon as the rows that they need are there. The staircase is the pipeline.'
      : 'A box is the computing of a tile (or of a step), above it the transfers that bring its data, below those that take the results away. Boxes above each other happen at the same time: transfers hide behind computing. Tiles of a layer are drawn equally long.')), this.canvas, save);
    this.canvas.addEventListener('wheel', e => {
      if (!e.ctrlKey && !e.metaKey && Math.abs(e.deltaX) <= Math.abs(e.deltaY)) return;
      e.preventDefault();
      const part = Math.max(0, (e.offsetX - this.left) / (this.width - this.left - RIGHT)), at = this.from + part * (this.to - this.from);
      if (e.ctrlKey || e.metaKey) { const f = Math.exp(e.deltaY * 0.005), span = Math.min(this.end, (this.to - this.from) * f); this.move(at - part * span, span); }
      else this.move(this.from + e.deltaX / this.width * (this.to - this.from), this.to - this.from);
    }, {passive: false});
    followPointers(this.canvas, {
      hover: (at, e) => this.tell(at && this.hit(at.x, at.y), e),
      pan: dx => this.move(this.from - dx / (this.width - this.left - RIGHT) * (this.to - this.from), this.to - this.from),
      pinch: (factor, at) => { const span = (this.to - this.from) / factor, middle = this.timeAt(at.x); this.move(middle - (middle - this.from) / factor, span); },
      click: at => { const hit = this.hit(at.x, at.y); if (hit) onStep(hit.step); },
    });
    this.canvas.addEventListener('keydown', e => {
      const span = this.to - this.from, middle = (this.from + this.to) / 2;
      if (e.key === '+' || e.key === 'w') this.move(middle - span / 4, span / 2);
      else if (e.key === '-' || e.key === 's') this.move(middle - span, span * 2);
      else if (e.key === 'ArrowLeft' || e.key === 'a') this.move(this.from - span / 4, span);
      else if (e.key === 'ArrowRight' || e.key === 'd') this.move(this.from + span / 4, span);
      else if (e.key === '0') this.move(0, this.end);
      else return;
      e.preventDefault();
    });
  }
  move(from, span) {
    span = Math.max(10, Math.min(this.end, span));
    this.from = Math.max(0, Math.min(this.end - span, from));
    this.to = this.from + span;
    this.paint();
  }
  /* What a box is, beside the pointer. */
  tell(event, e) {
    const rows = event ? [this.lanes[event.lane] === event.name ? '' : this.lanes[event.lane], 'step ' + event.step,
      durationText(this.plan, event.to - event.from), 'begins after ' + durationText(this.plan, event.from)].filter(Boolean) : [];
    showTipText(event ? event.name : '', rows, e);
  }
  timeAt(x) { return this.from + (x - this.left) / (this.width - this.left - RIGHT) * (this.to - this.from); }
  x(at) { return this.left + (at - this.from) / (this.to - this.from) * (this.width - this.left - RIGHT); }
  hit(x, y) { const lane = Math.floor((y - 6) / this.pitch); return this.events.find(e => e.lane === lane && this.x(e.from) <= x && x < Math.max(this.x(e.to), this.x(e.from) + 2)); }
  paint() {
    const {pitch, lanes} = this, width = this.canvas.parentElement.clientWidth, height = lanes.length * pitch + 30, r = devicePixelRatio || 1, c = this.canvas.getContext('2d');
    if (!width) return;
    const left = this.left = this.isRows ? Math.min(150, width / 3) : LEFT;
    this.width = width;
    this.canvas.width = Math.round(width * r);
    this.canvas.height = Math.round(height * r);
    this.canvas.style.height = height + 'px';
    c.setTransform(r, 0, 0, r, 0, 0);
    c.fillStyle = cssColour('--paper');
    c.fillRect(0, 0, width, height);
    c.font = '11px system-ui, sans-serif';
    c.textBaseline = 'middle';
    const ink = cssColour('--ink'), band = cssColour('--band'), fills = {};
    for (const kind of ['input', 'activation', 'output', 'constant']) fills[kind] = [cssColour('--' + kind), cssColour('--' + kind + '-edge')];
    lanes.forEach((text, k) => {
      c.fillStyle = band;
      c.fillRect(left, 6 + pitch * k, width - left - RIGHT, pitch - 6);
      c.fillStyle = ink;
      c.fillText(fitMiddle(c, text, left - 8), 4, 3 + pitch * (k + 0.5));
    });
    c.save();
    c.beginPath();
    c.rect(left, 0, width - left - RIGHT, height);
    c.clip();
    for (const e of this.events) {
      const x0 = this.x(e.from), x1 = this.x(e.to), y = 8 + pitch * e.lane, tall = pitch - 10;
      if (x1 < left || x0 > width) continue;
      c.fillStyle = fills[e.kind][x1 - x0 > 4 ? 0 : 1];
      c.fillRect(x0, y, Math.max(1, x1 - x0), tall);
      if (x1 - x0 > 4) { c.strokeStyle = fills[e.kind][1]; c.strokeRect(x0 + 0.5, y + 0.5, x1 - x0 - 1, tall - 1); }
      if (x1 - x0 > 16 && tall > 20) { c.fillStyle = ink; this.paintName(c, e, Math.max(x0, left) + 4, Math.min(x1, width - RIGHT) - 4, y + tall / 2); }
    }
    c.restore();
    c.fillStyle = cssColour('--soft');
    for (const {text, from} of this.axis(c)) c.fillText(text, from, height - 10);
  }
  /* The name of a box, else its number: "conv_2d_12", "conv…12", "12"; of a tile "tile 3", "3". */
  paintName(c, e, from, to, y) {
    const number = /\d+$/.exec(e.name), tile = / (tile \d+)$/.exec(e.name), names = [e.name];
    if (number) names.push(tile ? tile[1] : e.name.slice(0, 4) + '…' + number[0], number[0]);
    const text = firstFit(c, names, to - from);
    if (text) c.fillText(text, from, y);
  }
  /* Times under the lanes, as many as stand apart: [{text, from, to}]. */
  axis(c) {
    const room = this.width - this.left - RIGHT, ticks = Math.max(1, Math.floor(room / 120)), all = [];
    for (let k = 0; k <= ticks; k++) {
      const at = this.from + k * (this.to - this.from) / ticks, ms = milliseconds(this.plan, at);
      const text = ms === null ? short(Math.round(at)) + ' cycles' : ms.toFixed(ms < 10 ? 3 : 1) + ' ms', wide = c.measureText(text).width;
      const from = k === ticks ? this.x(at) - wide : k ? this.x(at) - wide / 2 : this.x(at);
      all.push({text, from, to: from + wide});
    }
    return all;
  }
}
