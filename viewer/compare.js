/* compare.js - two plans in one page: what changed, their pictures side by side
 * on one scale, and a switch for the full one. The first is "before", the
 * second "after". */
'use strict';

const CHANGES_SHOWN = 12, CHANGES_MOST = 2000;

function changeText(before, after) {
  return after === before ? '±0' : (after > before ? '+' : '−') + count(Math.abs(after - before));
}
function changeClass(before, after) { return after > before ? 'more' : after < before ? 'less' : ''; }

function compareArenas(before, after) {
  const rows = new Map();
  const add = (json, side) => {
    for (const a of json.arenas) {
      const key = a.memory + ': ' + ROLE_TITLE[a.role];
      if (!rows.has(key)) rows.set(key, {before: 0, after: 0});
      rows.get(key)[side] = a.size;
    }
  };
  add(before, 'before');
  add(after, 'after');
  return [...rows];
}

/* What tells tensors apart: the name where it is unique, else the id. */
function keysOf(json) {
  const times = new Map();
  for (const t of json.tensors) times.set(t.name, (times.get(t.name) || 0) + 1);
  return json.tensors.map(t => t.name && times.get(t.name) === 1 ? 'name ' + t.name : 'id ' + t.id);
}

/* Changed tensors, largest change first: [{name, what, before, after}]. */
function compareTensors(before, after) {
  const keyBefore = keysOf(before), keyAfter = keysOf(after);
  const old = new Map(before.tensors.map((t, i) => [keyBefore[i], t])), changes = [];
  const place = t => t.memory + ' + ' + count(t.offset);
  after.tensors.forEach((t, i) => {
    const was = old.get(keyAfter[i]);
    old.delete(keyAfter[i]);
    if (!was) changes.push({name: tensorTitle(t), what: 'new at ' + place(t), before: 0, after: t.size});
    else if (was.size !== t.size) changes.push({name: tensorTitle(t), what: 'other size', before: was.size, after: t.size});
    else if (place(was) !== place(t) || was.role !== t.role)
      changes.push({name: tensorTitle(t), what: place(was) + ' → ' + place(t), before: was.size, after: t.size});
  });
  for (const t of old.values()) changes.push({name: tensorTitle(t), what: 'gone', before: t.size, after: 0});
  return changes.sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

function compareTable(head, rows) {
  const table = element('table'), top = element('thead'), line = element('tr'), body = element('tbody');
  head.forEach((text, k) => line.append(element('th', k ? 'number' : '', text)));
  top.append(line);
  for (const cells of rows) {
    const row = element('tr');
    cells.forEach((cell, k) => {
      const td = element('td', (k ? 'number ' : '') + (cell.className || ''), cell.text === undefined ? cell : cell.text);
      td.title = td.textContent;
      row.append(td);
    });
    body.append(row);
  }
  table.append(top, body);
  const scroll = element('div', 'sideways');
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', head[0]);
  scroll.append(table);
  return scroll;
}

/* Small pictures of the memories that are reused, left and right, on one scale.
 * They move together when the plans have equally many steps. */
function pairOfMaps(before, after, holder, onChoose) {
  const plans = [readPlan(before), readPlan(after)], maps = [];
  const names = [...new Set(plans.flatMap(p => p.memories.filter(m => m.scratch).map(m => m.name)))];
  const steps = Math.max(...plans.map(p => p.stepCount)), equal = plans[0].stepCount === plans[1].stepCount;
  const view = {from: 0, to: steps};
  for (const name of names) {
    const found = plans.map(p => p.memories.findIndex(m => m.name === name));
    const top = 1.1 * Math.max(...plans.map((p, k) => found[k] < 0 ? 1 : p.memories[found[k]].bytes));
    const row = element('div', 'pair');
    plans.forEach((plan, k) => {
      const side = element('div', 'map'), memory = plan.memories[found[k]];
      side.append(element('h3', '', (k ? 'after: ' : 'before: ') + name + (memory ? ', ' + both(memory.scratch.size) : ', not used')));
      row.append(side);
      if (!memory) return;
      const own = {plan, view: equal ? view : {from: 0, to: plan.stepCount}, selected: -1, related: new Set(), hover: -1, matches: null, low: true, top: top / 1.1};
      maps.push(new MemoryMap(own, found[k], side, {
        changed: () => maps.forEach(map => map.paint()),
        hover(i, e) { own.hover = i; showTip(i, e, plan); maps.forEach(map => map.paint()); },
        select(i) { onChoose(k); select(i); },
        key() {},
      }));
    });
    holder.append(row);
  }
  return maps;
}

/* "SRAM, working memory: 36 888 B after, 55 296 B before, 18 408 B less." */
function compareWords(before, after) {
  const words = compareArenas(before, after).map(([name, r]) => name.replace(': ', ', ') + ': ' + (r.after === r.before ? 'still ' + both(r.after)
    : both(r.after) + ' “after”, ' + both(r.before) + ' “before”, ' + bytes(Math.abs(r.after - r.before)) + (r.after < r.before ? ' less' : ' more')) + '.');
  return words.map(text => element('span', 'short', text));
}

function fillCompare(before, after, onChoose) {
  const box = element('section'), same = before.plan_hash === after.plan_hash;
  const title = element('h2', '', 'What changed from “before” to “after”');
  document.title = before.model + ': two plans compared';
  const numbers = (a, b) => [count(a), count(b), {text: changeText(a, b), className: changeClass(a, b)}];
  box.append(title, element('p', 'how', same
    ? 'The interface is the same (plan ' + after.plan_hash + '): firmware keeps its arenas.'
    : 'The interface is broken (plan ' + before.plan_hash + ' → ' + after.plan_hash + '): firmware must be built again with the new arenas.'));
  box.append(compareTable(['Arena', 'before', 'after', 'change'],
    compareArenas(before, after).map(([name, r]) => [name, ...numbers(r.before, r.after)])));
  const changes = compareTensors(before, after);
  box.append(element('p', 'how', changes.length ? count(changes.length) + ' tensors changed, the largest change first:' : 'No tensor changed.'));
  const list = most => compareTable(['Tensor', 'moved from, to', 'before', 'after', 'change'],
    changes.slice(0, most).map(c => [shortened(c.name.split(';')[0]), c.what, ...numbers(c.before, c.after)]));
  if (changes.length) box.append(list(CHANGES_SHOWN));
  if (changes.length > CHANGES_SHOWN) {
    const more = element('button', '', 'Show all ' + count(changes.length));
    more.type = 'button';
    more.id = 'all-changes';
    more.addEventListener('click', () => { more.previousElementSibling.replaceWith(list(CHANGES_MOST)); more.remove(); });
    box.append(more);
  }
  const pictures = element('div');
  box.insertBefore(pictures, box.children[2]);
  const choice = element('p'), buttons = ['before', 'after'].map((text, k) => {
    const button = element('button', '', 'Show “' + text + '”');
    button.type = 'button';
    button.id = 'show-' + text;
    button.addEventListener('click', () => { onChoose(k); buttons.forEach((b, i) => b.setAttribute('aria-pressed', String(i === k))); });
    return button;
  });
  choice.append(buttons[0], ' ', buttons[1]);
  box.append(choice);
  $('compare').replaceChildren(box);
  $('compare').words = compareWords(before, after);
  $('compare').maps = pairOfMaps(before, after, pictures, k => buttons[k].click());
}
