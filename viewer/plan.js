/* plan.js - the plan as the viewer wants it: the JSON's tensors as columns of
 * numbers (100 000 objects would be slow to draw), joined with the steps that
 * write and read them. Nothing here knows the page. */
'use strict';

/* What a block is, for colour, pattern and legend. */
const KINDS = [
  {key: 'activation', text: 'activation'},
  {key: 'input', text: 'model input'},
  {key: 'output', text: 'model output'},
  {key: 'work', text: 'work memory of an operator'},
  {key: 'tile', text: 'copy of a piece, for tiles'},
  {key: 'persistent', text: 'kept between runs'},
  {key: 'constant', text: 'constant (weights, tables)'},
];
const WORK = 3, TILE = 4, PERSISTENT = 5, CONSTANT = 6;
const isReused = kind => kind < PERSISTENT;
const ROLES = ['scratch', 'persistent', 'constant'];

function kindOf(tensor, inputs, outputs) {
  if (tensor.role === 'constant') return CONSTANT;
  if (tensor.role === 'persistent') return PERSISTENT;
  if (inputs.has(tensor.id)) return 1;
  if (outputs.has(tensor.id)) return 2;
  if (tensor.type !== undefined) return 0;
  return tensor.kind === 'tile' || /_tile\d+_(in|out)\d+_\d+$/.test(tensor.id) ? TILE : WORK;
}

/* Memories in the order people care: those that are reused first. */
function collectMemories(json) {
  const byName = new Map();
  for (const arena of json.arenas) {
    if (!byName.has(arena.memory))
      byName.set(arena.memory, {name: arena.memory, arenas: [], bytes: 0, capacity: 0, scratch: null});
    byName.get(arena.memory).arenas.push(arena);
  }
  const memories = [...byName.values()];
  for (const m of memories) {
    m.arenas.sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
    m.scratch = m.arenas.find(a => a.role === 'scratch') || null;
    m.bases = m.arenas.map(a => { const base = m.bytes; m.bytes += a.size; return base; });
    if (m.scratch && m.scratch.total_size)
      m.capacity = m.scratch.total_size + m.bytes - m.scratch.size;
  }
  return memories.sort((a, b) => !!b.scratch - !!a.scratch || b.bytes - a.bytes);
}

/* Who reads a tensor, as linked lists in flat arrays: read.head[tensor] -> an
 * entry, read.next[entry], read.step[entry]. */
function collectUses(plan) {
  let entries = 0;
  for (const step of plan.steps)
    for (const op of step.ops) entries += op.inputs.length;
  const read = {head: new Int32Array(plan.count).fill(-1), next: new Int32Array(entries),
                step: new Int32Array(entries)};
  let entry = 0;
  for (let s = plan.steps.length - 1; s >= 0; s--)
    for (const op of plan.steps[s].ops) {
      for (const id of op.inputs) {
        const i = plan.byId.get(id);
        if (i === undefined) continue;
        read.step[entry] = s;
        read.next[entry] = read.head[i];
        read.head[i] = entry++;
      }
      for (const id of op.outputs) {
        const i = plan.byId.get(id);
        if (i !== undefined) plan.producer[i] = s;
      }
    }
  return read;
}

/* Bytes that a result shares, at its first step, with the input that it is
 * written over. */
function sharedBytes(plan, i) {
  const of = plan.tensors[i].follows === undefined ? undefined : plan.byId.get(plan.tensors[i].follows);
  if (of === undefined || plan.memory[of] !== plan.memory[i]) return 0;
  const from = Math.max(plan.low[i], plan.low[of]);
  return Math.max(0, Math.min(plan.low[i] + plan.size[i], plan.low[of] + plan.size[of]) - from);
}

/* Bytes of its own that a tensor takes at a step. */
function bytesAt(plan, i, step) { return plan.size[i] - (step === plan.from[i] ? sharedBytes(plan, i) : 0); }

/* Bytes alive at each step in the scratch arena of a memory; views share the
 * bytes of what they look at and count once. */
function liveCurve(plan, m) {
  const change = new Float64Array(plan.stepCount + 1);
  for (let i = 0; i < plan.count; i++)
    if (plan.memory[i] === m && isReused(plan.kind[i]) && plan.alias[i] < 0) {
      const shared = sharedBytes(plan, i);
      change[plan.from[i]] += plan.size[i] - shared;
      change[plan.from[i] + 1] += shared;
      change[plan.to[i]] -= plan.size[i];
    }
  for (let s = 1; s <= plan.stepCount; s++) change[s] += change[s - 1];
  return change.subarray(0, plan.stepCount);
}

function peakOf(live) {
  let best = 0;
  for (let s = 1; s < live.length; s++) if (live[s] > live[best]) best = s;
  return best;
}

/* The places of a row, one after the other: offset and steps of each. */
function placesOf(t, row, moves) {
  const places = [{offset: t.rows.offsets[row], from: t.rows.first_steps[row], to: t.rows.last_steps[row]}];
  for (const [step, , , offset] of moves) {
    const last = places[places.length - 1];
    places.push({offset, from: step, to: last.to});
    last.to = step - 1;
  }
  return places;
}

/* Work memory is occupied during the runs of its operator only: operator -> [first step, last step] of each row of runs
 * that follow each other. */
function workSpells(runs) {
  const spells = new Map();
  runs.forEach(([op], step) => {
    const own = spells.get(op) || [], last = own[own.length - 1];
    if (last && last[1] === step - 1) last[1] = step; else own.push([step, step]);
    spells.set(op, own);
  });
  return spells;
}

/* A plan in an order of rows as one of whole tensors: every place of a row is a
 * tensor, every run a step. A row is read at its last step; that it may be
 * before, too, the file does not say. */
function unrolled(json) {
  const rowId = (id, row) => id + '[' + row + ']', tensors = [], moves = new Map(), byId = new Map();
  for (const move of json.moves) {
    const key = move[1] + ' ' + move[2];
    moves.set(key, [...(moves.get(key) || []), move]);
  }
  const target = (t, row) => {
    const a = t.rows.aliases.find(([from, count]) => from <= row && row < from + count);
    if (!a) return null;
    const of = json.tensors[a[2]], from = a[3] + row - a[0];
    if (!of.rows) return of.id;
    const k = placesOf(of, from, moves.get(a[2] + ' ' + from) || []).findIndex(p => t.rows.first_steps[row] <= p.to);
    return rowId(of.id, from) + (k > 0 ? '.' + k : '');
  };
  const spells = workSpells(json.runs);
  json.tensors.forEach((t, i) => {
    byId.set(t.id, t);
    if (t.op !== undefined) {
      (spells.get(t.op) || []).forEach(([from, to], k) => tensors.push({...t, id: t.id + (k ? '.' + k : ''), first_step: from, last_step: to}));
      return;
    }
    if (!t.rows) {
      const of = t.alias_of === null ? null : byId.get(t.alias_of);
      tensors.push({...t, alias_of: of && of.rows ? rowId(of.id, 0) : t.alias_of});
      return;
    }
    for (let row = 0; row < t.rows.count; row++)
      placesOf(t, row, moves.get(i + ' ' + row) || []).forEach((p, k) => tensors.push({
        ...t, id: rowId(t.id, row) + (k ? '.' + k : ''), name: tensorTitle(t) + ' [' + row + ']', rows: undefined, of: i, row,
        offset: p.offset, size: t.rows.bytes, first_step: p.from, last_step: p.to, alias_of: k ? null : target(t, row)}));
  });
  const rowsOf = (id, want) => {
    const t = byId.get(id);
    return t && t.rows ? [...Array(t.rows.count).keys()].filter(r => want(t, r)).map(r => rowId(id, r)) : [id];
  };
  const made = new Map();
  for (const [op, , rows] of json.runs) made.set(op, (made.get(op) || 0) + rows);
  const steps = json.runs.map(([index, first, rows], step) => {
    const op = json.ops[index] ||
        {id: 'rows arrive', kind: 'feed', source_index: 0, inputs: [], outputs: [json.inputs[-1 - index]], macs: 0};
    return {step, ops: [{
      ...op, macs: rows ? Math.round(op.macs * rows / made.get(index)) : op.macs,
      cycles: op.cycles === undefined ? undefined : rows ? op.cycles * rows / made.get(index) : op.cycles,
      inputs: op.inputs.flatMap(id => rowsOf(id, (t, r) => t.rows.last_steps[r] === step)),
      outputs: op.outputs.flatMap(id => rowsOf(id, (t, r) => t.rows.first_steps[r] === step))}]};
  });
  const ends = ids => ids.flatMap(id => rowsOf(id, () => true));
  return {...json, whole: json.tensors, tensors, steps, inputs: ends(json.inputs), outputs: ends(json.outputs)};
}

function readPlan(json) {
  if (json && json.schema === 'ashlar-plan-2') json = unrolled(json);
  else if (!json || json.schema !== 'ashlar-plan-1')
    throw new Error('this is not a plan of the schemas ashlar-plan-1 and -2');
  const n = json.tensors.length;
  const plan = {
    json, count: n, layers: json.layers || [], steps: json.steps, stepCount: Math.max(1, json.steps.length),
    tensors: json.tensors, byId: new Map(), memories: collectMemories(json),
    kind: new Uint8Array(n), memory: new Uint16Array(n), from: new Int32Array(n),
    to: new Int32Array(n), low: new Float64Array(n), size: new Float64Array(n),
    alias: new Int32Array(n).fill(-1), producer: new Int32Array(n).fill(-1),
  };
  const inputs = new Set(json.inputs), outputs = new Set(json.outputs);
  const arenas = new Map(); /* memory -> {index, base by role} */
  plan.memories.forEach((m, index) => {
    const base = {};
    m.arenas.forEach((a, k) => { base[a.role] = m.bases[k]; });
    arenas.set(m.name, {index, base});
  });
  for (let i = 0; i < n; i++) plan.byId.set(json.tensors[i].id, i);
  for (let i = 0; i < n; i++) {
    const t = json.tensors[i], arena = arenas.get(t.memory);
    if (!arena || arena.base[t.role] === undefined) throw new Error('tensor ' + t.id + ' lies in no arena');
    plan.kind[i] = kindOf(t, inputs, outputs);
    plan.memory[i] = arena.index;
    plan.from[i] = t.first_step;
    plan.to[i] = Math.min(t.last_step + 1, plan.stepCount);
    plan.low[i] = arena.base[t.role] + t.offset;
    plan.size[i] = t.size;
    if (t.alias_of !== null && plan.byId.has(t.alias_of)) plan.alias[i] = plan.byId.get(t.alias_of);
  }
  plan.sharers = new Map(); /* tensor -> those in its storage */
  for (let i = 0; i < n; i++) {
    if (plan.alias[i] < 0) continue;
    const root = rootOf(plan, i);
    if (!plan.sharers.has(root)) plan.sharers.set(root, []);
    plan.sharers.get(root).push(i);
  }
  plan.folder = commonFolder(json.tensors);
  plan.lastParts = new Map(); /* how often a name ends so */
  for (const t of json.tensors) {
    if (t.role !== 'scratch') continue;
    const last = tensorTitle(t).split('/').pop();
    plan.lastParts.set(last, (plan.lastParts.get(last) || 0) + 1);
  }
  plan.read = collectUses(plan);
  plan.memories.forEach((m, i) => {
    m.live = m.scratch ? liveCurve(plan, i) : null;
    m.peak = m.live ? peakOf(m.live) : -1;
  });
  return plan;
}

/* Steps that read a tensor, ascending, each once. */
function readersOf(plan, i) {
  const steps = [];
  for (let e = plan.read.head[i]; e >= 0; e = plan.read.next[e])
    if (steps[steps.length - 1] !== plan.read.step[e]) steps.push(plan.read.step[e]);
  return steps;
}

/* The storage a tensor shares, and all that share it with it. */
function rootOf(plan, i) {
  for (let guard = plan.count; plan.alias[i] >= 0 && guard > 0; guard--) i = plan.alias[i];
  return i;
}
function familyOf(plan, i) {
  const root = rootOf(plan, i), family = [];
  for (let k = 0; k < plan.count; k++)
    if (k === i || k === root || (plan.alias[k] >= 0 && rootOf(plan, k) === root)) family.push(k);
  return family;
}

/* The step that an operator runs in, -1: none. */
function stepOfOp(plan, id) { return plan.steps.findIndex(step => step.ops.some(op => op.id === id)); }

function stepTitle(plan, s) {
  const step = plan.steps[s];
  return step && step.ops.length ? step.ops.map(op => op.id).join(' + ') : '';
}

/* ---- numbers for people -------------------------------------------------- */

function count(value) { return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f'); }
function bytes(value) { return count(value) + '\u00a0B'; }
/* 55296 -> "54 KiB"; exact figures stand beside it wherever they matter. */
function rough(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let u = 0;
  while (value >= 1024 && u < 4) { value /= 1024; u++; }
  const digits = u === 0 || value >= 100 ? 0 : 1;
  return value.toFixed(digits).replace(/\.0$/, '') + '\u00a0' + units[u];
}
function both(value) { return value < 1024 ? bytes(value) : bytes(value) + ' (' + rough(value) + ')'; }
function percent(part, whole) {
  const p = 100 * part / whole;
  if (p > 99.9 && part < whole) return '>\u00a099.9\u00a0%';
  return (p >= 10 ? p.toFixed(0) : p >= 0.1 ? p.toFixed(1) : '<\u00a00.1') + '\u00a0%';
}
/* 7489664 -> "7.5 M". */
function short(value) { return value >= 1e9 ? (value / 1e9).toFixed(1) + '\u00a0G' : value >= 1e6 ? (value / 1e6).toFixed(1) + '\u00a0M' : value >= 1e3 ? (value / 1e3).toFixed(0) + '\u00a0k' : String(value); }
function address(offset) { return '0x' + offset.toString(16).padStart(4, '0'); }
function shapeText(t) {
  return t.type === undefined ? 'work memory' : (t.shape.length ? t.shape.join('×') : 'scalar') + ' ' + t.type;
}
function stepsText(plan, i) {
  const last = plan.to[i] - 1;
  return plan.from[i] === last ? 'step ' + last : 'steps ' + plan.from[i] + ' to ' + last;
}

/* ---- names --------------------------------------------------------------- */

/* The folders that all names begin with say nothing. */
function commonFolder(tensors) {
  let folder = null, seen = 0;
  for (const t of tensors) {
    if (t.role !== 'scratch' || !t.name.includes('/')) continue;
    seen++;
    if (folder === null) folder = t.name.slice(0, t.name.lastIndexOf('/', t.name.indexOf(';') < 0 ? Infinity : t.name.indexOf(';')) + 1);
    while (folder && !t.name.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
    if (!folder) break;
  }
  return seen > 1 && folder || '';
}
const NAME_MAX = 64;
/* Fused tensors carry the names of all that was fused, joined by semicolons; those without a name are called by
 * their id. */
function tensorTitle(t) {
  const tile = /^(.+)_tile(\d+)_(in|out)(\d+)_(\d+)$/.exec(t.name);
  if (tile) return tile[1] + ', ' + tile[3] + 'put ' + tile[4] + (tile[5] === '0' ? '' : ', copy ' + (Number(tile[5]) + 1)) + (tile[2] === '0' ? '' : ', level ' + tile[2]);
  return t.name.split(';')[0].trim() || 'tensor ' + t.id;
}
/* The two ends of a long name tell it apart best. */
function shortened(name) { return name.length <= NAME_MAX ? name : name.slice(0, NAME_MAX / 2 - 2) + '…' + name.slice(-NAME_MAX / 2); }
function shortName(plan, i) {
  const name = tensorTitle(plan.tensors[i]);
  return shortened(plan.folder && name.startsWith(plan.folder) ? name.slice(plan.folder.length) : name);
}
/* Ever shorter, for labels. */
function namesOf(plan, i) {
  const name = shortName(plan, i), parts = name.split('/'), others = plan.sharers.get(i);
  if (others) {
    const all = [i, ...others].map(k => shortName(plan, k));
    return [all.join(', '), all.map(text => text.split('/').pop()).join(', '), name, parts.pop()];
  }
  if (parts.length < 2) return [name];
  /* "Relu" alone says nothing where everything is one: then the folder. */
  const last = parts[parts.length - 1], folder = parts[parts.length - 2];
  return [name, folder + '/' + last, plan.lastParts.get(last) > 1 ? folder : last];
}
