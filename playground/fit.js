/* fit.js - one model against all devices, one after the other, as a grid that
 * fills while it is looked at. */
'use strict';

let fitRound = 0;

function fitCard(row) {
  const item = element('li', row.fits ? 'fits' : row.fits_with ? 'helped' : 'too-small'), button = element('button');
  const device = state.targets.find(d => d.name === row.device);
  button.type = 'button';
  button.title = device && device.description || row.device;
  button.append(element('b', '', row.device), element('span', '', row.cpu),
    element('span', 'big', row.fits ? 'fits' : row.fits_with ? 'fits with ' + row.fits_with : row.short ? rough(row.short) + ' of ' + row.memory + ' short' : 'too small'));
  const gauge = element('span', 'gauge'), bar = element('i');
  bar.style.width = Math.min(100, 100 * row.scratch / Math.max(1, row.of)).toFixed(1) + '%';
  gauge.append(bar);
  button.append(gauge, element('span', '', rough(row.scratch) + ' RAM' + (row.of ? ', ' + percent(row.scratch, row.of) : '')),
    element('span', '', rough(row.constants) + ' constants'),
    element('span', '', row.estimated_microseconds ? 'about ' + timeText(row.estimated_microseconds / 1000) : 'time not known'),
    element('span', '', row.tiled ? 'in tiles' : row.order === 'rows' ? 'row by row' : ''));
  button.addEventListener('click', () => {
    $('target').value = row.device;
    showDevice();
    if (row.fits_with) $('more').value = row.fits_with;
    plan();
    $('door').scrollIntoView({block: 'start'});
  });
  item.append(button);
  return item;
}

/* What fits first, the smallest device of it first; then what helps. */
function fitOrder(a, b) {
  const rank = row => row.fits ? 0 : row.fits_with ? 1 : 2;
  return rank(a) - rank(b) || a.of - b.of || (a.device < b.device ? -1 : 1);
}

async function askFit() {
  if (!state.model) return;
  const round = ++fitRound, rows = [], all = state.targets.map(d => d.name);
  $('fit-grid').hidden = false;
  $('fit-list').replaceChildren();
  $('fit-grid').scrollIntoView({block: 'start'});
  for (const name of all) {
    if (round !== fitRound) return;
    $('fit-state').textContent = 'Planning for ' + name + ', ' + (rows.length + 1) + ' of ' + all.length + ' …';
    const done = await runApart(['fit', state.model.name, '--target', name, '--json'], filesFor(state.model));
    if (round !== fitRound) return;
    try { rows.push(...JSON.parse(done.out)); } catch { $('fit-state').textContent = done.err.trim() || 'No answer.'; return; }
    $('fit-list').replaceChildren(...rows.sort(fitOrder).map(fitCard));
  }
  $('fit-state').textContent = rows.filter(r => r.fits).length + ' of ' + all.length + ' devices fit' +
    (rows.some(r => r.fits_with) ? ', ' + rows.filter(r => r.fits_with).length + ' more with an option' : '') + '. Milliseconds are estimates. A click plans for a device.';
}
