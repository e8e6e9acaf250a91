/* viewer.js - the page: fills it from the plan, joins pictures, details, search
 * and tables. */
'use strict';

const $ = id => document.getElementById(id);
let shared = null, maps = [], tables = [], shownTable = 0, waiting = false, views = {};

/* ---- drawing ------------------------------------------------------------- */

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    for (const map of maps) if (!$('maps').hidden) map.paint();
    if (views.graph && !$('graph').hidden) views.graph.paint();
  });
}

const hooks = {
  changed: redraw,
  hover(i, e) {
    if (i !== shared.hover) { shared.hover = i; redraw(); }
    showTip(i, e);
  },
  select(i) { select(i === shared.selected ? -1 : i); },
  key: onMapKey,
};

function showTip(i, e, plan = shared.plan) {
  if (i < 0 || !e) { $('tip').hidden = true; return; }
  const t = plan.tensors[i];
  const rows = [
    shapeText(t) + ', ' + both(t.size),
    'alive: ' + stepsText(plan, i),
    'at ' + t.memory + ' + ' + address(t.offset) + ' (' + count(t.offset) + ')',
  ];
  if (plan.producer[i] >= 0) rows.push('made by step ' + plan.producer[i] + ', ' + stepTitle(plan, plan.producer[i]));
  if (plan.alias[i] >= 0) rows.push((t.alias_kind || 'in the storage') + ' of ' + shortName(plan, plan.alias[i]));
  if (t.follows !== undefined) rows.push('follows the reading of ' + t.follows);
  if (t.reason) rows.push('why there: ' + t.reason);
  showTipText(shortName(plan, i), rows, e);
}

/* Beside the pointer; without a title: nothing. */
function showTipText(title, rows, e) {
  const tip = $('tip');
  tip.hidden = !title || !e;
  if (tip.hidden) return;
  tip.replaceChildren(element('b', '', title));
  for (const row of rows) { tip.append(element('span', '', row), element('br')); }
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(e.clientX + 14, innerWidth - box.width - 8) + 'px';
  tip.style.top = (e.clientY + 18 + box.height > innerHeight ? e.clientY - box.height - 10 : e.clientY + 18) + 'px';
}

/* ---- selection ----------------------------------------------------------- */

function tensorsOf(step, list) {
  const found = [];
  for (const op of shared.plan.steps[step].ops)
    for (const id of op[list]) {
      const i = shared.plan.byId.get(id);
      if (i !== undefined) found.push(i);
    }
  return found;
}

/* What a tensor is joined with: its storage, what it was made from, what is
 * made from it. */
function relatedTo(i) {
  const plan = shared.plan, related = new Set(familyOf(plan, i));
  for (const k of [...related]) {
    if (plan.producer[k] >= 0) tensorsOf(plan.producer[k], 'inputs').forEach(t => related.add(t));
    for (const s of readersOf(plan, k).slice(0, 50)) tensorsOf(s, 'outputs').forEach(t => related.add(t));
  }
  related.delete(i);
  return related;
}

function select(i, quiet) {
  shared.selected = i;
  shared.related = i < 0 ? new Set() : relatedTo(i);
  if (i >= 0 && !quiet) maps[shared.plan.memory[i]].reveal(i);
  markInGraph(i);
  showDetails(i);
  redraw();
}

function link(text, action) {
  const button = element('button', 'link', text);
  button.type = 'button';
  button.addEventListener('click', action);
  return button;
}
function tensorLink(i) {
  const button = link(shortName(shared.plan, i), () => select(i));
  button.title = shared.plan.tensors[i].name;
  return button;
}
/* A tensor with its shape, as the properties of an operator have them. */
function shapedLink(i) {
  const both = element('span');
  both.append(tensorLink(i), ' ', element('span', 'how', shapeText(shared.plan.tensors[i])));
  return both;
}
function stepLink(s) { return link('step ' + s + ': ' + stepTitle(shared.plan, s), () => showStep(s)); }

function addRow(list, name, ...values) {
  list.append(element('dt', '', name));
  const cell = element('dd');
  values.forEach((value, k) => { if (k) cell.append(element('br')); cell.append(value); });
  list.append(cell);
}

function addLinks(list, name, links) {
  if (!links.length) return;
  const shown = links.slice(0, 12).map(make => make());
  if (links.length > 12) shown.push(count(links.length - 12) + ' more');
  addRow(list, name, ...shown);
}

function showDetails(i) {
  const box = $('details'), plan = shared.plan;
  if (i < 0) {
    box.className = 'idle';
    box.replaceChildren(element('h3', '', HINTS[shownView][0]), element('p', 'how', HINTS[shownView][1]));
    return;
  }
  const t = plan.tensors[i], list = element('dl');
  box.className = '';
  if (innerWidth <= 980) requestAnimationFrame(() => box.scrollIntoView({block: 'nearest'}));
  addRow(list, 'is', plan.alias[i] >= 0 ? 'in the storage of another tensor' : KINDS[plan.kind[i]].text);
  addRow(list, 'shape', shapeText(t));
  addRow(list, 'bytes', both(t.size));
  addRow(list, 'lives', stepsText(plan, i));
  addRow(list, 'address', t.memory + ' + ' + address(t.offset), '(' + count(t.offset) + ' in the ' + t.role + ' arena)');
  if (t.source_memory !== t.memory) addRow(list, 'copied from', t.source_memory);
  if (t.reason) addRow(list, 'why there', t.reason);
  addRow(list, 'alignment', String(t.alignment));
  addRow(list, 'id', t.id);
  if (plan.producer[i] >= 0) addRow(list, 'made by', stepLink(plan.producer[i]));
  addLinks(list, 'read by', readersOf(plan, i).map(s => () => stepLink(s)));
  const family = familyOf(plan, i).filter(k => k !== i);
  addLinks(list, 'shares bytes', family.map(k => () => tensorLink(k)));
  if (plan.producer[i] >= 0) {
    const sources = tensorsOf(plan.producer[i], 'inputs');
    addLinks(list, 'made from', sources.map(k => () => tensorLink(k)));
  }
  const results = new Set(readersOf(plan, i).slice(0, 50).flatMap(s => tensorsOf(s, 'outputs')));
  addLinks(list, 'becomes', [...results].map(k => () => tensorLink(k)));
  if (shortName(plan, i) !== t.name) addRow(list, 'full name', t.name);
  box.replaceChildren(element('h3', '', shortName(plan, i)), list, link('clear', () => select(-1)));
}

/* The operators that make and read a tensor, in the graph. */
function markInGraph(i) {
  const plan = shared.plan, graph = views.graph;
  if (!graph) return;
  const steps = i < 0 ? [] : familyOf(plan, i).flatMap(k => [plan.producer[k], ...readersOf(plan, k).slice(0, 20)]).filter(s => s >= 0);
  graph.mark(steps.flatMap(s => plan.steps[s].ops.map(op => op.id)));
  const first = i >= 0 && plan.producer[i] >= 0 ? plan.steps[plan.producer[i]].ops[0].id : null;
  if (i >= 0) graph.choose(graph.byOp.get(first) || null, !$('graph').hidden);
}

/* A click in the graph: the step in the details, its results in the map. */
function onNode(node) {
  if (!node) { select(-1); return; }
  if (node.step >= 0) {
    const made = tensorsOf(node.step, 'outputs')[0];
    shared.selected = made === undefined ? -1 : made;
    shared.related = made === undefined ? new Set() : relatedTo(made);
    showStep(node.step);
    return;
  }
  const i = shared.plan.tensors.findIndex(t => tensorTitle(t).replace(/ \[\d+\]$/, '') === node.id);
  if (i >= 0) select(i);
}

const VIEWS = [['maps', 'Memory'], ['graph', 'Graph'], ['layers', 'Layers'], ['lanes', 'Timeline']];
const HINTS = {
  maps: ['Follow a tensor', 'Click a block: where it comes from, who reads it, what shares its bytes.'],
  graph: ['Follow an operator', 'Click one: what it reads and writes, what it costs, which kernel runs it.'],
  layers: ['Follow an operator', 'Click its name: what it reads and writes. A heading sorts.'],
  lanes: ['Follow an operator', 'Click a box: what runs there, what it reads and writes.'],
};
let shownView = 'maps';
function showView(name) {
  shownView = name;
  if ($('details').className === 'idle') showDetails(-1);
  for (const [id] of VIEWS) {
    $(id).hidden = id !== name;
    $('view-' + id).setAttribute('aria-pressed', String(id === name));
  }
  for (const id of ['legend', 'axis-choice', 'capacity-choice']) $(id).hidden = name !== 'maps' || (id === 'axis-choice' && !shared.cycleAxis);
  for (const id of ['zoom-in', 'zoom-out', 'fit', 'save-picture']) $(id).hidden = name === 'layers';
  $('how-maps').hidden = name !== 'maps';
  if (name === 'graph') {
    if (!views.graph) { views.graph = new GraphView(shared.plan, $('graph'), {node: onNode}); }
    views.graph.paint();
    markInGraph(shared.selected);
  } else if (name === 'layers') { fillLayerBars(shared.plan, $('layers'), showStep); explainWords($('layers')); }
  else if (name === 'lanes') { if (!views.lanes) views.lanes = new LaneView(shared.plan, $('lanes'), showStep); views.lanes.paint(); }
  redraw();
}
function fillViews(plan) {
  views = {};
  $('views').replaceChildren(...VIEWS.map(([id, text]) => {
    const button = element('button', '', text);
    button.type = 'button';
    button.id = 'view-' + id;
    button.addEventListener('click', () => showView(id));
    return button;
  }));
  shared.cycleAxis = cycleAxis(plan);
  shared.axis = $('axis').value === 'cycles' ? shared.cycleAxis : null;
  $('view-lanes').hidden = !shared.cycleAxis;
  $('view-graph').hidden = !plan.steps.some(step => step.ops.some(op => op.kind !== 'time'));
  showView('maps');
}

function showStep(s) {
  const plan = shared.plan, box = $('details'), list = element('dl');
  box.className = '';
  const span = Math.min(plan.stepCount, Math.max(6, shared.view.to - shared.view.from));
  const at = maps.length ? maps[0].position(s + 0.5) : s;
  if (at < shared.view.from || at >= shared.view.to) setView(at - span / 2, span);
  const node = views.graph && views.graph.byOp.get(plan.steps[s].ops[0]?.id);
  if (node && node !== views.graph.chosen) views.graph.choose(node, true);
  for (const op of plan.steps[s].ops) {
    addRow(list, 'operator', op.kind + ' (number ' + op.source_index + ' in the model)');
    if (op.macs) addRow(list, 'work', count(op.macs) + ' MACs');
    if (op.cycles) addRow(list, 'time', count(Math.round(op.cycles)) + ' cycles' + (plan.json.mhz ? ', ' + timeText(milliseconds(plan, op.cycles)) : '') + ' (estimate)');
    if (op.kernel) addRow(list, 'kernel', op.kernel);
    const layer = plan.layers.find(l => l.op === op.id);
    if (layer && layer.levels) {
      addRow(list, 'tiles', count(layer.tiles), tileText(layer));
      addRow(list, 'moves', both(layer.bytes_moved) + ' in ' + count(transfersOf(layer)) + ' transfers');
      addRow(list, 'cycles', count(layer.cycles) + ', computing ' + layer.utilisation_percent + '\u00a0%');
    } else if (layer && layer.reason) addRow(list, 'not cut', layer.reason);
  }
  for (const m of plan.memories) if (m.live) addRow(list, 'alive', both(m.live[s]) + ' in ' + m.name);
  addLinks(list, 'reads', tensorsOf(s, 'inputs').map(k => () => shapedLink(k)));
  addLinks(list, 'writes', tensorsOf(s, 'outputs').map(k => () => shapedLink(k)));
  const around = element('p');
  if (s > 0) around.append(link('◀ step ' + (s - 1), () => showStep(s - 1)), ' ');
  if (s + 1 < plan.steps.length) around.append(' ', link('step ' + (s + 1) + ' ▶', () => showStep(s + 1)));
  box.replaceChildren(element('h3', '', 'step ' + s + ': ' + stepTitle(plan, s)), list, around);
}

/* ---- view ---------------------------------------------------------------- */

function setView(from, span) {
  const all = shared.plan.stepCount;
  shared.view.from = Math.max(0, Math.min(all - span, from));
  shared.view.to = shared.view.from + span;
  redraw();
}
function fit() {
  if (!$('graph').hidden && views.graph) { views.graph.fit(); return; }
  if (!$('lanes').hidden && views.lanes) { views.lanes.move(0, views.lanes.end); return; }
  for (const map of maps) map.fitHeight();
  setView(0, shared.plan.stepCount);
}
function zoomAll(factor) {
  const lanes = views.lanes;
  if (!$('graph').hidden && views.graph) views.graph.zoom(1 / factor);
  else if (!$('lanes').hidden && lanes) lanes.move((lanes.from + lanes.to) / 2 - (lanes.to - lanes.from) * factor / 2, (lanes.to - lanes.from) * factor);
  else if (maps.length) maps[0].zoom(factor, (maps[0].width + LEFT - RIGHT) / 2, null);
}
function goToPeak(wanted) {
  const m = typeof wanted === 'number' ? wanted : shared.plan.memories.findIndex(memory => memory.scratch);
  if (m < 0) return;
  const peak = shared.plan.memories[m].peak, span = Math.min(shared.plan.stepCount, 12);
  maps[m].fitHeight();
  setView(maps[m].position(peak + 0.5) - span / 2, span);
  if (shared.plan.steps.length) showStep(peak);
}

/* The nearest block in a direction, from the chosen one. */
function neighbour(map, direction) {
  const plan = shared.plan, from = shared.selected;
  if (from < 0 || plan.memory[from] !== map.m) return map.members.length ? map.members[0] : -1;
  const x = (plan.from[from] + plan.to[from]) / 2, y = plan.low[from] + plan.size[from] / 2;
  const perStep = (map.high - map.low) / Math.max(1, plan.stepCount);
  let best = -1, least = Infinity;
  for (const i of map.members) {
    const dx = (plan.from[i] + plan.to[i]) / 2 - x, dy = (plan.low[i] + plan.size[i] / 2 - y) / perStep;
    const along = {ArrowLeft: -dx, ArrowRight: dx, ArrowUp: dy, ArrowDown: -dy}[direction];
    const across = direction === 'ArrowLeft' || direction === 'ArrowRight' ? dy : dx;
    if (i === from || along <= 0) continue;
    const distance = along * along + 4 * across * across;
    if (distance < least) { least = distance; best = i; }
  }
  return best;
}

function onMapKey(e, map) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const middle = (map.width + LEFT - RIGHT) / 2;
  if (e.key.startsWith('Arrow')) {
    if (e.shiftKey) map.pan({ArrowLeft: 80, ArrowRight: -80}[e.key] || 0, {ArrowUp: 60, ArrowDown: -60}[e.key] || 0);
    else { const i = neighbour(map, e.key); if (i >= 0) select(i); }
  } else if (e.key === '+' || e.key === '=') map.zoom(0.6, middle, null);
  else if (e.key === '-') map.zoom(1 / 0.6, middle, null);
  else if (e.key === '0') fit();
  else if (e.key === 'Home') setView(0, shared.view.to - shared.view.from);
  else if (e.key === 'End') setView(shared.plan.stepCount, shared.view.to - shared.view.from);
  else if (e.key === 'Enter' && shared.selected >= 0) $('details').querySelector('button')?.focus();
  else return;
  e.preventDefault();
}

/* ---- the page ------------------------------------------------------------ */

function fillHead(plan) {
  fillTitle(plan);
  fillCertificate(plan);
  const noFit = readNoFit();
  if (noFit) fillNoFit(plan, noFit);
}

function fillTitle(plan) {
  const json = plan.json, good = json.verdict === 'optimal', isPacking = json.target === 'packing';
  if (!$('compare').children.length) document.title = json.model + ' on ' + json.target + ': memory plan';
  $('title').textContent = $('compare').children.length ? 'What changed in the memory of “' + json.model + '”' : isPacking ? 'A packing of ' + count(plan.count) + ' buffers'
    : 'Where the memory of “' + json.model + '” goes';
  $('subtitle').textContent = isPacking ? json.model + ', ' + count(plan.steps.length) + ' times, ' + count(plan.count) + ' tensors'
    : 'Device ' + json.target + ', ' + count(plan.steps.length) + ' steps, ' + count((json.whole || plan.tensors).length) + ' tensors, planner ' + json.planner;
  $('verdict').textContent = good ? 'proved optimal' : json.verdict;
  $('verdict').className = 'badge ' + (good ? 'good' : 'warn');
  const words = headline(plan);
  $('headline').replaceChildren((isPacking ? 'This packing needs ' : 'This model needs ') + (words.needs.length > 1
    ? words.needs.slice(0, -1).join(', ') + ', and ' + words.needs[words.needs.length - 1]
    : words.needs[0] || 'no memory') + '.', element('span', 'proof', [words.proof, runText(plan)].filter(Boolean).join(' ')));
  if ($('compare').words) $('headline').replaceChildren(...$('compare').words);
  $('foot').textContent = (isPacking ? 'Made by Ashlar. ' : 'Plan ' + json.plan_hash + ', layout ' + json.tensor_layout_hash + ', made by Ashlar. ') +
    (document.body.dataset.host ? 'Nothing has left this machine.' : 'This file is complete: it needs no network and no other file.');
  fillWords($('foot'));
}

/* ---- a certificate ------------------------------------------------------- */

function readCertificate() {
  const text = $('certificate') ? $('certificate').textContent.trim() : '';
  return text ? JSON.parse(text) : null;
}

/* What ashlar-verify can check without trusting the planner. */
function certificateText(c) {
  const arenas = c.shown === c.arenas ? (c.arenas === 1 ? 'the bound of the arena' : 'the bounds of all arenas')
    : 'the bounds of ' + c.shown + ' of ' + c.arenas + ' arenas';
  const shown = [c.order ? 'the bound of the order' : '', c.shown ? arenas : ''].filter(Boolean).join(' and ');
  return 'Certified: ' + c.file + ' shows ' + (shown || 'nothing') + '; ashlar-verify checks it.';
}

function fillCertificate(plan) {
  const c = readCertificate();
  if (!c) return;
  if (plan.json.verdict === 'optimal' && c.shown === c.arenas) $('verdict').textContent = 'proved optimal, certified';
  $('headline').append(element('span', 'proof', certificateText(c)));
}

/* ---- a plan that does not fit -------------------------------------------- */

function readNoFit() {
  const text = $('no-fit') ? $('no-fit').textContent.trim() : '';
  return text ? JSON.parse(text) : null;
}

function fixItem(fix) {
  const item = element('li'), command = element('code', '', fix.command), copy = element('button', 'copy', 'Copy');
  copy.type = 'button';
  copy.addEventListener('click', () => navigator.clipboard.writeText(fix.command).then(() => { copy.textContent = 'Copied'; },
    () => { getSelection().selectAllChildren(command); }));
  item.append(element('p', '', fix.meaning + ': ' + both(fix.scratch) + ' of RAM'), command, copy);
  if (window.applyFix) {
    const apply = element('button', 'apply', 'Apply');
    apply.type = 'button';
    apply.addEventListener('click', () => window.applyFix(fix.option));
    item.append(apply);
  }
  return item;
}

/* What is missing, in words, and what was tried and helps. */
function fillNoFit(plan, noFit) {
  const list = element('ul');
  $('verdict').textContent = 'does not fit';
  $('verdict').className = 'badge bad';
  $('headline').replaceChildren(...noFit.shortages.map(m => element('span', 'short', both(m.needs - m.has) + ' of ' + m.memory +
    ' short: the model needs ' + both(m.needs) + ', ' + plan.json.target + ' has room for ' + both(m.has) + '.')));
  for (const m of plan.memories) {
    const shortage = noFit.shortages.find(s => s.memory === m.name);
    m.capacity = m.capacity || (shortage ? shortage.has : 0);
    m.short = shortage ? shortage.needs - shortage.has : 0; /* gaps between arenas count */
  }
  list.append(...noFit.fixes.map(fixItem));
  $('fixes').hidden = false;
  $('fixes').replaceChildren(element('h2', '', 'What makes it fit'), noFit.fixes.length ? list :
    element('p', '', 'Nothing that was tried does: other memories, --overlap, rows, inputs that arrive row by row, smaller kernels. ' +
      '“ashlar fit MODEL” lists the devices that have room.'));
}

const ROLE_TITLE = {scratch: 'working memory', persistent: 'kept between runs', constant: 'constants'};

function card(plan, arena) {
  const box = element('div', 'card'), big = element('div', 'big', count(arena.size) + ' ');
  box.append(element('h2', '', arena.memory + ': ' + ROLE_TITLE[arena.role]));
  big.append(element('small', '', 'bytes' + (arena.size >= 1024 ? ' (' + rough(arena.size) + ')' : '')));
  box.append(big);
  if (arena.role === 'scratch') {
    const gauge = element('div', arena.size > arena.total_size ? 'gauge over' : 'gauge'), bar = element('i');
    bar.style.width = Math.min(100, 100 * arena.size / Math.max(1, arena.total_size)) + '%';
    gauge.append(bar);
    box.append(gauge, element('p', '', percent(arena.size, Math.max(1, arena.total_size)) + ' of the ' + both(arena.total_size) + ' it may use'));
    box.append(element('p', '', arena.verdict === 'optimal' ? 'Equals the proved lower bound.' :
      bytes(arena.size - arena.lower_bound) + ' above the lower bound of ' + bytes(arena.lower_bound) + '.'));
    const sum = plan.tensors.reduce((all, t) => all + (t.role === 'scratch' && t.memory === arena.memory && t.alias_of === null ? t.size : 0), 0);
    const power = (plan.json.power || []).find(p => p.memory === arena.memory);
    if (power) box.append(element('p', '', 'Keeps ' + power.powered + ' of ' + power.banks + ' power banks on.'));
    if (sum > arena.size) box.append(element('p', '', 'Without reuse it would be ' + both(sum) + ': ' + percent(sum - arena.size, sum) + ' saved.'));
  } else {
    const members = plan.tensors.filter(t => t.role === arena.role && t.memory === arena.memory).length;
    box.append(element('p', '', count(members) + ' tensors' + (arena.is_staged ? ', copied from ' + arena.source_memory + ' at start' : '')));
  }
  return box;
}

/* How long a run takes, as far as the plan knows. */
function runText(plan) {
  const cycles = cyclesOf(plan), all = cycles ? cycles.reduce((sum, n) => sum + n, 0) : 0;
  if (!all) return '';
  return 'A run takes about ' + (plan.json.mhz ? timeText(milliseconds(plan, all)) + ' at ' + plan.json.mhz + ' MHz' : short(Math.round(all)) + ' cycles') + ' (estimate).';
}

function workCard(plan) {
  const box = element('div', 'card'), macs = plan.steps.reduce((all, step) => all + step.ops.reduce((sum, op) => sum + op.macs, 0), 0);
  const big = element('div', 'big', count(macs) + ' ');
  let heaviest = 0;
  const work = s => plan.steps[s].ops.reduce((sum, op) => sum + op.macs, 0);
  plan.steps.forEach((_, s) => { if (work(s) > work(heaviest)) heaviest = s; });
  big.append(element('small', '', 'MACs'));
  box.append(element('h2', '', 'Work of one run'), big, element('p', '', count(plan.steps.length) + ' steps'));
  if (runText(plan)) box.append(element('p', '', runText(plan)));
  if (macs > 0) box.append(element('p', '', 'Heaviest: step ' + heaviest + ' (' + stepTitle(plan, heaviest) + '), ' + percent(work(heaviest), macs) + '.'));
  return box;
}

/* What rows that move cost; nothing where all stay. */
function moveCard(plan) {
  const order = plan.json.order;
  if (!order || !order.moved_rows) return [];
  const box = element('div', 'card'), big = element('div', 'big', count(order.moved_bytes) + ' ');
  big.append(element('small', '', 'bytes copied'));
  box.append(element('h2', '', 'Rows that move in one run'), big, element('p', '', count(order.moved_rows) + ' times a row goes on in another place'));
  if (order.cycles) box.append(element('p', '', percent(order.moved_cycles, order.cycles) + ' of the modelled cycles'));
  return [box];
}

/* What tiling costs: bytes moved and modelled cycles; nothing without tiles. */
function transferCard(plan) {
  if (!plan.layers.length) return [];
  const sum = key => plan.layers.reduce((all, layer) => all + (layer[key] || 0), 0);
  const box = element('div', 'card'), big = element('div', 'big', count(sum('bytes_moved')) + ' ');
  big.append(element('small', '', 'bytes moved'));
  box.append(element('h2', '', 'Transfers of one run'), big,
    element('p', '', count(plan.layers.length) + ' layers in ' + count(sum('tiles')) + ' tiles'),
    element('p', '', count(sum('cycles')) + ' cycles, modelled; computing ' + percent(sum('compute_cycles'), Math.max(1, sum('cycles'))) + ' of them'));
  return [box];
}

/* The peak of one memory: who is there, why, and what would lower it. */
function peakBlock(plan, m, isFirst) {
  const facts = peakFacts(plan, m), memory = plan.memories[m], most = Math.max(1, ...facts.tensors.map(t => t.bytes));
  const several = plan.memories.filter(other => other.scratch).length > 1;
  const title = element('h2', '', 'The peak' + (several ? ' of ' + memory.name : '') + ': step ' + facts.step + ', ' + stepTitle(plan, facts.step));
  if (isFirst) title.id = 'peak-title';
  const left = element('div'), right = element('div'), list = element('ul', 'alive'), advice = element('ol');
  left.append(element('p', 'how', bytes(facts.live) + ' of ' + memory.name + ' must be there at once:'), list);
  for (const group of facts.tensors.slice(0, 8)) {
    const {i, reason} = group;
    const item = element('li'), button = element('button', '', groupName(plan, group) + ' '), kind = KINDS[plan.kind[i]].key;
    button.type = 'button';
    button.append(element('span', 'why', '— ' + REASON_TEXT[reason]));
    button.style.cssText = '--fill: var(--' + kind + '); --edge: var(--' + kind + '-edge); --part: ' + (100 * group.bytes / most).toFixed(1) + '%';
    button.title = plan.tensors[i].name + ', ' + REASON_TEXT[reason];
    button.addEventListener('click', () => { goToPeak(m); select(i); $('picture').scrollIntoView({block: 'start'}); });
    item.append(element('span', 'size', bytes(group.bytes)), button);
    list.append(item);
  }
  if (facts.all > 8) left.append(element('p', 'how', 'and ' + count(facts.all - 8) + ' smaller ones'));
  right.append(element('h3', '', 'What would lower it'), advice);
  for (const sentence of advise(plan, m, facts)) advice.append(element('li', '', sentence.text));
  const columns = element('div', 'columns');
  columns.append(left, right);
  return [title, columns];
}

/* Which rows of each tensor are there, step by step: a lane per tensor, its first
 * row above. */
function fillWindows(plan) {
  const whole = (plan.json.whole || []).filter(t => t.rows && t.role === 'scratch' && t.rows.count > 1), box = $('windows');
  box.hidden = !whole.length;
  if (box.hidden) return;
  const lanes = element('div', 'lanes');
  for (const t of whole) {
    const band = element('div', 'band'), {count: n, first_steps: from, last_steps: to} = t.rows;
    const cells = from.map((s, r) => s === null ? '' : 'M' + Number(s) + ' ' + r + 'H' + (Number(to[r]) + 1) + 'v1H' + Number(s) + 'z');
    band.innerHTML = '<svg preserveAspectRatio="none"><path/></svg>';
    band.firstChild.setAttribute('viewBox', '0 0 ' + plan.stepCount + ' ' + n);
    band.firstChild.firstChild.setAttribute('d', cells.join(''));
    const name = element('span', 'name', t.name.split(';')[0].split('/').slice(-2).join('/'));
    name.title = t.name;
    lanes.append(name, element('span', 'size', n + ' x ' + bytes(t.rows.bytes)), band);
  }
  box.replaceChildren(element('h2', '', 'Row by row'), element('p', 'how', 'Time runs to the right, one column a step. A lane is a tensor, its first ' +
    'row above: what is filled is in memory. The band that moves down is the window of rows that somebody still reads.'), lanes);
}

function fillPeak(plan) {
  const all = plan.memories.map((memory, m) => memory.scratch && memory.live[memory.peak] > 0 ? m : -1).filter(m => m >= 0);
  $('peak').hidden = !all.length || !plan.steps.length;
  if (!$('peak').hidden) $('peak').replaceChildren(...all.flatMap((m, k) => peakBlock(plan, m, k === 0)));
  fillWindows(plan);
  fillCurve();
}

function fillLegend(plan) {
  const items = [];
  const add = (mark, text) => { const item = element('li'); item.append(mark, text); items.push(item); };
  const used = new Set(plan.kind), sample = document.createElement('canvas').getContext('2d'), theme = readTheme(sample);
  KINDS.forEach((kind, k) => {
    if (!used.has(k)) return;
    const canvas = document.createElement('canvas');
    canvas.width = 52; canvas.height = 28;
    const c = canvas.getContext('2d');
    c.scale(2, 2);
    c.fillStyle = theme.kinds[k].fill;
    c.fillRect(0, 0, 26, 14);
    if (theme.kinds[k].pattern) { c.fillStyle = theme.kinds[k].pattern; c.fillRect(0, 0, 26, 14); }
    c.strokeStyle = theme.kinds[k].edge;
    c.strokeRect(0.5, 0.5, 25, 13);
    add(canvas, kind.text + (k === CONSTANT ? ', dark where it is read' : ''));
  });
  if (plan.sharers.size) add(element('span', 'shares'), 'lies in the bytes of another');
  add(element('span', 'stroke'), 'bytes alive');
  add(element('span', 'stroke arena'), 'size of the arena');
  if (plan.json.arenas.some(a => a.role === 'scratch' && a.size > a.lower_bound)) add(element('span', 'stroke bound'), 'proved lower bound');
  if (plan.memories.some(m => m.capacity)) add(element('span', 'stroke limit'), 'capacity');
  add(element('span', 'column'), 'step of the peak');
  $('legend').replaceChildren(...items);
}

function fillMaps(plan) {
  maps = [];
  $('maps').replaceChildren();
  plan.memories.forEach((memory, m) => {
    const holder = element('div', 'map'), title = element('h3', '', memory.name);
    const words = memory.arenas.map(a => ROLE_TITLE[a.role] + ' ' + both(a.size)).join(', ');
    title.append(element('span', '', words));
    holder.append(title);
    $('maps').append(holder);
    maps.push(new MemoryMap(shared, m, holder, hooks));
    maps[m].isLower = m > 0; /* names of steps stand under the first picture alone */
  });
}

function showTable(k) {
  shownTable = k;
  [...$('tabs').children].forEach((tab, i) => {
    tab.setAttribute('aria-selected', String(i === k));
    tab.tabIndex = i === k ? 0 : -1;
  });
  tables.forEach((table, i) => { table.scroller.hidden = i !== k; });
  tables[k].draw();
}

function fillTables(plan) {
  const all = n => Array.from({length: n}, (_, i) => i);
  const holder = $('table');
  holder.replaceChildren();
  tables = [
    new Table(holder, tensorColumns(plan), all(plan.count), i => select(i), 'Tensors'),
    new Table(holder, stepColumns(plan), all(plan.steps.length), s => showStep(s), 'Steps'),
    new Table(holder, arenaColumns(), plan.json.arenas, () => {}, 'Arenas'),
  ];
  const titles = ['Tensors (' + count(plan.count) + ')', 'Steps (' + count(plan.steps.length) + ')', 'Arenas (' + plan.json.arenas.length + ')'];
  if (plan.layers.length) {
    tables.push(new Table(holder, layerColumns(plan), all(plan.layers.length), k => { const s = stepOfOp(plan, plan.layers[k].op); if (s >= 0) showStep(s); }, 'Layers'));
    titles.push('Layers (' + count(plan.layers.length) + ')');
  }
  $('tabs').replaceChildren(...titles.map((text, k) => {
    const tab = element('button', '', text);
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.addEventListener('click', () => showTable(k));
    tab.addEventListener('keydown', e => {
      const n = tables.length, to = {ArrowRight: k + 1, ArrowLeft: k + n - 1}[e.key];
      if (to !== undefined) { showTable(to % n); $('tabs').children[to % n].focus(); }
    });
    return tab;
  }));
  showTable(0);
}

function show(json) {
  const plan = readPlan(json);
  shared = {plan, view: {from: 0, to: plan.stepCount}, selected: -1, related: new Set(), hover: -1, matches: null,
            toCapacity: $('to-capacity').checked};
  $('drop').hidden = true;
  $('report').hidden = false;
  fillHead(plan);
  $('cards').replaceChildren(...plan.json.arenas.map(a => card(plan, a)), ...(plan.json.target === 'packing' ? [] : [workCard(plan)]), ...moveCard(plan), ...transferCard(plan));
  fillPeak(plan);
  fillLegend(plan);
  fillMaps(plan);
  fillTables(plan);
  showDetails(-1);
  fillViews(plan);
  explainWords(document);
  for (const map of maps) map.paint();
}

/* ---- start --------------------------------------------------------------- */

/* Two plans: the first is "before". */
function showBoth(before, after) {
  fillCompare(before, after, k => show([before, after][k]));
  $('show-after').click();
  $('compare').maps.forEach(map => map.paint());
}

function complain(message) {
  $('drop').hidden = false;
  let note = $('drop').querySelector('.bad');
  if (!note) { note = element('p', 'bad'); note.setAttribute('role', 'alert'); $('drop').append(note); }
  note.textContent = message;
}
function open(text) {
  try { show(JSON.parse(text)); } catch (error) { complain('This file cannot be shown: ' + error.message); }
}

/* Standing alone, the page opens files that people give it. */
function offerFiles() {
  $('drop').hidden = false;
  const take = file => { if (file) file.text().then(open); };
  $('file').addEventListener('change', e => take(e.target.files[0]));
  document.addEventListener('dragover', e => e.preventDefault());
  document.addEventListener('drop', e => { e.preventDefault(); take(e.dataTransfer.files[0]); });
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  if (shared) { fillLegend(shared.plan); for (const map of [...maps, ...($('compare').maps || [])]) map.paint(); }
}
function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/* The pictures in sight, one below the other, as PNG: on the clipboard where the browser allows it, else a file. */
function copyPicture() {
  const parts = [...document.querySelectorAll('#stage canvas')].filter(c => c.clientWidth), r = devicePixelRatio || 1, head = Math.round(30 * r);
  const all = document.createElement('canvas'), c = all.getContext('2d');
  all.width = Math.max(1, ...parts.map(p => p.width));
  all.height = head + parts.reduce((sum, p) => sum + p.height, 0);
  c.fillStyle = cssColour('--paper');
  c.fillRect(0, 0, all.width, all.height);
  c.fillStyle = cssColour('--ink');
  c.font = '600 ' + 14 * r + 'px system-ui, sans-serif';
  c.fillText($('title').textContent + ', ' + shared.plan.json.target, 8 * r, 20 * r);
  let y = head;
  for (const part of parts) { c.drawImage(part, 0, y); y += part.height; }
  all.toBlob(blob => {
    const file = () => { const a = element('a'); a.href = URL.createObjectURL(blob); a.download = shared.plan.json.model + '.png'; a.click(); };
    if (!navigator.clipboard || !window.ClipboardItem) { file(); return; }
    navigator.clipboard.write([new ClipboardItem({'image/png': blob})]).then(() => { $('found').textContent = 'The picture is on the clipboard.'; }, file);
  });
}

function listen() {
  $('theme').addEventListener('click', () => setTheme(isDark() ? 'light' : 'dark'));
  $('zoom-in').addEventListener('click', () => zoomAll(0.6));
  $('zoom-out').addEventListener('click', () => zoomAll(1 / 0.6));
  $('fit').addEventListener('click', fit);
  $('to-peak').addEventListener('click', () => { showView('maps'); goToPeak(); });
  $('axis').addEventListener('change', e => { shared.axis = e.target.value === 'cycles' ? shared.cycleAxis : null; fit(); });
  $('save-picture').addEventListener('click', copyPicture);
  $('to-capacity').addEventListener('change', e => { shared.toCapacity = e.target.checked; fit(); });
  $('search').addEventListener('input', e => search(e.target.value));
  $('search').addEventListener('keydown', e => {
    if (e.key === 'Enter') nextMatch(e.shiftKey);
    else if (e.key === 'Escape') { e.target.value = ''; search(''); }
  });
  document.addEventListener('keydown', e => {
    if (e.target.closest('input, select, textarea')) return;
    if (e.key === '/') { $('search').focus(); e.preventDefault(); }
    else if ((e.key === 'p' || e.key === 'P') && shared && !e.ctrlKey && !e.metaKey && !e.altKey) { showView('maps'); goToPeak(); $('picture').scrollIntoView({block: 'start'}); }
    else if (e.key === 'Escape' && shared) { $('search').value = ''; search(''); select(-1); }
  });
  addEventListener('resize', () => {
    if (!shared) return;
    redraw();
    if (views.lanes && !$('lanes').hidden) views.lanes.paint();
    ($('compare').maps || []).forEach(map => map.paint());
    tables[shownTable].draw();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (shared) setTheme(document.documentElement.dataset.theme || ''); });
  let before = '';
  addEventListener('beforeprint', () => {
    before = document.documentElement.dataset.theme || '';
    setTheme('light');
    tables.forEach(table => table.draw(true));
  });
  addEventListener('afterprint', () => { setTheme(before); tables.forEach(table => table.draw()); });
}

listen();
const given = $('plan').textContent;
if (given && $('other').textContent) showBoth(JSON.parse(given), JSON.parse($('other').textContent));
else if (given) open(given);
else if (!document.body.dataset.host) offerFiles(); /* the playground brings its own door */
