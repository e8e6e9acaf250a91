/* compare.js - two plans in one page: what changed, and a switch between their
 * pictures. The first is "before", the second "after". */
'use strict';

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

/* Changed tensors, largest change first: [{name, what, before, after}]. */
function compareTensors(before, after) {
  const old = new Map(before.tensors.map(t => [t.id, t])), changes = [];
  const place = t => t.memory + ' + ' + count(t.offset);
  for (const t of after.tensors) {
    const was = old.get(t.id);
    old.delete(t.id);
    if (!was) changes.push({name: t.name, what: 'new at ' + place(t), before: 0, after: t.size});
    else if (was.size !== t.size) changes.push({name: t.name, what: 'other size', before: was.size, after: t.size});
    else if (place(was) !== place(t) || was.role !== t.role)
      changes.push({name: t.name, what: place(was) + ' → ' + place(t), before: was.size, after: t.size});
  }
  for (const t of old.values()) changes.push({name: t.name, what: 'gone', before: t.size, after: 0});
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
  return table;
}

function fillCompare(before, after, onChoose) {
  const box = element('section'), same = before.plan_hash === after.plan_hash;
  const title = element('h2', '', 'What changed');
  const numbers = (a, b) => [count(a), count(b), {text: changeText(a, b), className: changeClass(a, b)}];
  box.append(title, element('p', 'how', same
    ? 'The interface is the same (plan ' + after.plan_hash + '): firmware keeps its arenas.'
    : 'The interface is broken (plan ' + before.plan_hash + ' → ' + after.plan_hash + '): firmware must be built again with the new arenas.'));
  box.append(compareTable(['Arena', 'before', 'after', 'change'],
    compareArenas(before, after).map(([name, r]) => [name, ...numbers(r.before, r.after)])));
  const changes = compareTensors(before, after);
  box.append(element('p', 'how', changes.length ? count(changes.length) + ' tensors changed' + (changes.length > 12 ? '; the first 12:' : ':') : 'No tensor changed.'));
  if (changes.length)
    box.append(compareTable(['Tensor', 'what', 'before', 'after', 'change'],
      changes.slice(0, 12).map(c => [c.name.split(';')[0], c.what, ...numbers(c.before, c.after)])));
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
}
