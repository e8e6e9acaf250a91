/* advice.js - the peak of a memory in words: which tensors set it, why each is
 * there, and what would lower it. Nothing here knows the page. */
'use strict';

/* Why a tensor is alive at a step. */
function reasonAt(plan, i, step) {
  if (plan.kind[i] === WORK) return 'work';
  if (plan.kind[i] === TILE) return 'tile';
  if (plan.producer[i] === step) return 'written';
  for (const k of plan.alias[i] < 0 ? familyOf(plan, i) : [i])
    if (readersOf(plan, k).includes(step)) return 'read';
  return 'waiting';
}

const REASON_TEXT = {
  written: 'written here', read: 'read here', work: 'work memory', tile: 'a piece', waiting: 'only waits',
};

/* What is alive, the rows of a tensor together: {i, bytes, reason, rows?}. */
function groupRows(plan, alive, step) {
  const groups = new Map(), rank = ['written', 'read', 'work', 'tile', 'waiting'];
  for (const i of alive) {
    const {of, row} = plan.tensors[i], key = of === undefined ? 'tensor ' + i : of;
    const group = groups.get(key) || {i, bytes: 0, reason: 'waiting', rows: of === undefined ? null : []};
    const reason = reasonAt(plan, i, step);
    group.bytes += plan.size[i];
    if (rank.indexOf(reason) < rank.indexOf(group.reason)) group.reason = reason;
    if (group.rows) group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes || a.i - b.i);
}

/* "stem", or "stem, 3 rows (4 to 6)". */
function groupName(plan, {i, rows}) {
  if (!rows) return shortName(plan, i);
  const name = shortName(plan, i).replace(/ \[\d+\]$/, ''), first = Math.min(...rows), last = Math.max(...rows);
  return name + (rows.length === 1 ? ', row ' + first : ', ' + rows.length + ' rows (' + first + ' to ' + last + ')');
}

function runsRows(plan) { return Boolean(plan.json.order && plan.json.order.kind === 'rows'); }

/* {step, live, tensors: [{i, bytes, reason, rows?}] largest first, next, ties}. */
function peakFacts(plan, m) {
  const memory = plan.memories[m], step = memory.peak, tensors = [];
  for (let i = 0; i < plan.count; i++)
    if (plan.memory[i] === m && isReused(plan.kind[i]) && plan.alias[i] < 0 &&
        plan.from[i] <= step && step < plan.to[i] && (plan.size[i] === 0 || bytesAt(plan, i, step) > 0))
      tensors.push(i);
  tensors.sort((a, b) => plan.size[b] - plan.size[a] || a - b);
  let next = -1, ties = 0;
  memory.live.forEach((bytesAlive, s) => {
    if (bytesAlive === memory.live[step]) ties++;
    else if (next < 0 || bytesAlive > memory.live[next]) next = s;
  });
  const together = runsRows(plan) ? groupRows(plan, tensors, step)
    : tensors.slice(0, 40).map(i => ({i, bytes: bytesAt(plan, i, step), reason: reasonAt(plan, i, step), rows: null}));
  return {step, live: memory.live[step], next, ties, all: runsRows(plan) ? together.length : tensors.length,
          tensors: together};
}

function nextReader(plan, i, step) {
  let best = -1;
  for (const k of familyOf(plan, i))
    for (const s of readersOf(plan, k)) if (s > step && (best < 0 || s < best)) best = s;
  return best;
}

/* Can `to` not run before `from`, because it uses what comes out of it? */
function dependsOn(plan, from, to) {
  const reached = new Set([from]);
  for (let s = from; s < to; s++) {
    if (!reached.has(s)) continue;
    for (const op of plan.steps[s].ops)
      for (const id of op.outputs) {
        const i = plan.byId.get(id);
        if (i !== undefined) for (const k of familyOf(plan, i)) readersOf(plan, k).forEach(r => reached.add(r));
      }
  }
  return reached.has(to);
}

function waitingText(plan, i, step, reader) {
  if (reader < 0)
    return plan.kind[i] === 2 ? 'is a result of the model: computing it after this step takes it out of the peak.'
                              : 'lives until step ' + (plan.to[i] - 1) + ' without being read.';
  const again = 'is read again at step ' + reader + ' (' + stepTitle(plan, reader) + '). ';
  const earlier = familyOf(plan, i).some(k => readersOf(plan, k).some(s => s < step));
  if (reader - step < 2000 && !dependsOn(plan, step, reader))
    return again + 'Running that step before this one takes it out of the peak.';
  if (!earlier && plan.producer[i] >= 0)
    return again + 'Nobody needs it before: computing it after this step takes it out of the peak.';
  return again + 'It skips over this step: computing it a second time, or running the steps up to there in pieces, ' +
    'takes it out of the peak.';
}

function quoted(plan, i) { return '“' + shortName(plan, i) + '”'; }

function adviseWaiting(plan, facts, out) {
  const waiting = facts.tensors.filter(t => t.reason === 'waiting');
  if (!waiting.length) return;
  const sum = waiting.reduce((all, t) => all + plan.size[t.i], 0), first = waiting[0].i;
  const reader = nextReader(plan, first, facts.step);
  out.push({tensor: first, text: (waiting.length > 1
    ? waiting.length + ' tensors, ' + both(sum) + ', only wait here. The largest is '
    : 'One tensor only waits here: ') + quoted(plan, first) + ', ' + bytes(plan.size[first]) + '. It ' +
    waitingText(plan, first, facts.step, reader)});
}

function adviseInOut(plan, facts, out) {
  const read = facts.tensors.find(t => t.reason === 'read');
  const written = facts.tensors.find(t => t.reason === 'written');
  if (!read || !written) return;
  const less = Math.min(plan.size[read.i], plan.size[written.i]);
  out.push({tensor: written.i, text: 'This step holds its input and its output at once. Run in pieces (row by row, or ' +
    'fused with the next step), the smaller of ' + quoted(plan, read.i) + ' and ' +
    quoted(plan, written.i) + ' never exists as a whole: up to ' + both(less) + ' less here. ' +
    '“--order rows” runs operators row by row; “--overlap” lets a result overwrite its input while it is read.'});
}

/* Row by row, only other rows help. */
function adviseRows(plan, m, facts, out) {
  const order = plan.json.order, name = plan.memories[m].name;
  const input = facts.tensors.find(t => t.rows && plan.kind[t.i] === 1 && plan.from[t.i] === 0 && t.rows.length > 2);
  out.push({tensor: -1, text: 'Operators run row by row: of a tensor, only the rows are in ' + name + ' that somebody still reads. ' +
    (order.verdict === 'optimal'
      ? 'No order of rows has fewer than ' + both(order.peak) + ' alive; it is proved.'
      : 'No order of rows has fewer than ' + both(order.lower_bound) + ' alive, this one has ' + both(order.peak) +
        '. A larger --order-ticks lets the search go on.')});
  if (input)
    out.push({tensor: input.i, text: 'Of this, ' + both(input.bytes) + ' is the input, which is there from the start. With --feed its rows ' +
      'arrive when they are wanted.'});
}

/* Pieces are as large as the search made them, not as the model. */
function adviseTiles(plan, facts, out) {
  const tiles = facts.tensors.filter(t => t.reason === 'tile');
  if (!tiles.length) return;
  const sum = tiles.reduce((all, t) => all + plan.size[t.i], 0);
  out.push({tensor: tiles[0].i, text: 'Of this, ' + both(sum) + ' are copies of pieces. Tiles grow as long as they save cycles and fit: a smaller ' +
    'memory (--set) gives smaller ones, at the price of more transfers.'});
}

function adviseType(plan, facts, out) {
  const wide = facts.tensors.filter(t => plan.tensors[t.i].type === 'float32');
  const sum = wide.reduce((all, t) => all + t.bytes, 0);
  if (sum > 0)
    out.push({tensor: wide[0].i, text: 'Of this, ' + both(sum) + ' is float32. An int8 model would need a quarter of it: ' +
      both(Math.ceil(sum / 4)) + '.'});
}

function advisePacking(plan, memory, facts, out) {
  const arena = memory.scratch, gap = arena.size - arena.lower_bound;
  if (gap > 0)
    out.push({tensor: -1, text: 'The packing itself is ' + both(gap) + ' above the proved bound of ' +
      both(arena.lower_bound) + (plan.json.planner === 'exact'
        ? '. A larger --ticks lets the search go on.'
        : ': planner “' + plan.json.planner + '” was asked for; --planner exact does not give up so early.')});
  else if (arena.size > facts.live)
    out.push({tensor: -1, text: 'The arena is ' + bytes(arena.size - facts.live) +
      ' larger than what is alive at the peak: alignment and the shapes of the lifetimes force that; it is proved.'});
  else
    out.push({tensor: -1, text: 'The arena is exactly as large as what is alive at the peak: no placement wastes less.'});
}

function adviseLimit(plan, memory, facts, out) {
  if (facts.next < 0) return;
  const gain = facts.live - memory.live[facts.next];
  out.push({tensor: -1, step: facts.next, text: (facts.ties > 1
    ? facts.ties + ' steps share this peak and all of them must shrink. The next is step '
    : 'The next largest is step ') + facts.next + ' (' + stepTitle(plan, facts.next) + ') with ' +
    both(memory.live[facts.next]) + ': lowering ' + (facts.ties > 1 ? 'these' : 'this') + ' alone saves at most ' + both(gain) + '.'});
}

/* Sentences, most useful first: {text, tensor or -1, step?}. */
function advise(plan, m, facts) {
  const out = [], memory = plan.memories[m];
  if (runsRows(plan)) {
    adviseRows(plan, m, facts, out);
  } else {
    adviseWaiting(plan, facts, out);
    adviseInOut(plan, facts, out);
  }
  adviseTiles(plan, facts, out);
  adviseType(plan, facts, out);
  adviseLimit(plan, memory, facts, out);
  advisePacking(plan, memory, facts, out);
  return out;
}

/* The whole plan in one or two sentences. */
function headline(plan) {
  const json = plan.json, parts = [];
  for (const m of plan.memories) {
    if (m.scratch)
      parts.push(both(m.scratch.size) + ' of ' + m.name + ' while it runs' +
        (m.scratch.total_size ? ', ' + percent(m.scratch.size, m.scratch.total_size) + ' of what it may use' : ''));
    for (const a of m.arenas)
      if (a.role !== 'scratch')
        parts.push(both(a.size) + ' of ' + a.memory + (a.role === 'constant' ? ' for constants' : ' kept between runs'));
  }
  const scratch = json.arenas.filter(a => a.role === 'scratch');
  const proved = scratch.length && scratch.every(a => a.verdict === 'optimal');
  const bound = runsRows(plan) && scratch.length === 1 && scratch[0].size === json.order.lower_bound;
  return {needs: parts, proof: !scratch.length ? '' : bound
    ? 'Proved: no order of rows needs less working memory.' : proved
    ? (json.verdict === 'optimal' || scratch.length < 2
      ? 'Proved: with this order of steps no placement needs less working memory.'
      : 'Proved for each memory alone: no placement of the tensors that live there needs less. Which tensors live in which memory was ' +
        'chosen by what a run gains, and that choice is not proved best.')
    : 'Not proved smallest: the bound is ' + scratch.filter(a => a.verdict !== 'optimal')
        .map(a => both(a.lower_bound) + ' in ' + a.memory).join(', ') + '.'};
}
