/* tables.js - sortable tables that keep only the visible rows in the page, so
 * that a hundred thousand tensors scroll as well as ten. */
'use strict';

const ROW = 30, PRINT_ROWS = 400, SCROLLER = 520; /* max-height of .scroller */

function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

/* columns: [{title, value(row) -> sort key, text(row), number?, bar?(row) -> 0..1}] */
class Table {
  constructor(holder, columns, rows, onRow, label) {
    Object.assign(this, {holder, columns, rows, onRow, shown: rows, sorted: -1, down: false});
    this.scroller = element('div', 'scroller');
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute('role', 'region');
    this.scroller.setAttribute('aria-label', label);
    this.table = element('table');
    this.body = element('tbody');
    this.table.append(this.head(label), this.body);
    this.scroller.append(this.table);
    holder.append(this.scroller);
    this.scroller.addEventListener('scroll', () => this.draw());
    this.body.addEventListener('click', e => this.choose(e.target.closest('tr')));
    this.body.addEventListener('keydown', e => { if (e.key === 'Enter') this.choose(e.target.closest('tr')); });
    this.table.setAttribute('aria-rowcount', String(rows.length + 1));
  }

  head() {
    const head = element('thead'), row = element('tr');
    this.columns.forEach((column, k) => {
      const cell = element('th', column.number ? 'number' : ''), button = element('button', '', column.title);
      cell.scope = 'col';
      button.type = 'button';
      button.addEventListener('click', () => this.sort(k));
      cell.append(button);
      row.append(cell);
    });
    head.append(row);
    return head;
  }

  sort(k) {
    this.down = this.sorted === k ? !this.down : !!this.columns[k].number;
    this.sorted = k;
    [...this.table.tHead.rows[0].cells].forEach((cell, i) => {
      if (i === k) cell.setAttribute('aria-sort', this.down ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
    });
    this.order();
    this.scroller.scrollTop = 0;
    this.draw();
  }
  order() {
    if (this.sorted < 0) return;
    const value = this.columns[this.sorted].value, sign = this.down ? -1 : 1;
    const keys = new Map(this.shown.map((row, i) => [row, {key: value(row), i}]));
    this.shown = [...this.shown].sort((a, b) => {
      const x = keys.get(a), y = keys.get(b);
      return (x.key < y.key ? -sign : x.key > y.key ? sign : 0) || x.i - y.i;
    });
  }

  filter(keep) {
    this.shown = keep ? this.rows.filter(keep) : this.rows;
    this.order();
    this.scroller.scrollTop = 0;
    this.draw();
  }

  choose(row) {
    if (row && row.dataset.index !== undefined) this.onRow(this.shown[Number(row.dataset.index)]);
  }

  /* Only rows in sight, between two empty ones as tall as the others. */
  draw(all) {
    const n = this.shown.length, visible = Math.ceil(SCROLLER / ROW) + 8;
    const first = all ? 0 : Math.max(0, Math.min(n - visible, Math.floor(this.scroller.scrollTop / ROW) - 4));
    const last = Math.min(n, all ? PRINT_ROWS : first + visible);
    const rows = [this.space(first)];
    for (let i = first; i < last; i++) rows.push(this.row(this.shown[i], i));
    rows.push(this.space(all ? 0 : n - last));
    if (all && n > last) {
      const cell = element('td', '', count(n - last) + ' more rows are in the file');
      cell.colSpan = this.columns.length;
      rows[rows.length - 1] = element('tr');
      rows[rows.length - 1].append(cell);
    }
    this.body.replaceChildren(...rows.filter(Boolean));
  }
  space(rows) {
    if (rows <= 0) return null;
    const row = element('tr', 'space');
    row.style.height = rows * ROW + 'px';
    row.setAttribute('aria-hidden', 'true');
    return row;
  }
  row(item, index) {
    const row = element('tr');
    row.dataset.index = String(index);
    row.tabIndex = 0;
    row.setAttribute('aria-rowindex', String(index + 2));
    for (const column of this.columns) {
      const cell = element('td', column.number ? 'number' : '', column.text(item));
      cell.title = cell.textContent;
      if (column.bar) {
        cell.classList.add('barred');
        cell.style.setProperty('--part', (100 * column.bar(item)).toFixed(1) + '%');
      }
      row.append(cell);
    }
    return row;
  }
}

function tensorColumns(plan) {
  const t = i => plan.tensors[i];
  return [
    {title: 'Tensor', value: i => t(i).name || tensorTitle(t(i)), text: i => t(i).name || tensorTitle(t(i))},
    {title: 'Id', value: i => t(i).id, text: i => t(i).id},
    {title: 'What', value: i => plan.kind[i], text: i => plan.alias[i] >= 0 ? 'in ' + t(plan.alias[i]).id : KINDS[plan.kind[i]].key},
    {title: 'Shape', value: i => shapeText(t(i)), text: i => shapeText(t(i))},
    {title: 'Bytes', number: true, value: i => t(i).size, text: i => count(t(i).size)},
    {title: 'Memory', value: i => t(i).memory, text: i => t(i).memory},
    {title: 'Offset', number: true, value: i => t(i).offset, text: i => count(t(i).offset)},
    {title: 'First step', number: true, value: i => t(i).first_step, text: i => count(t(i).first_step)},
    {title: 'Last step', number: true, value: i => t(i).last_step, text: i => count(t(i).last_step)},
    {title: 'Made by', value: i => plan.producer[i], text: i => plan.producer[i] < 0 ? '' : stepTitle(plan, plan.producer[i])},
  ];
}

function stepColumns(plan) {
  const ops = s => plan.steps[s].ops, macs = s => ops(s).reduce((sum, op) => sum + op.macs, 0);
  const busiest = plan.steps.reduce((most, _, s) => Math.max(most, macs(s)), 1);
  const columns = [
    {title: 'Step', number: true, value: s => s, text: s => String(s)},
    {title: 'Operator', value: s => stepTitle(plan, s), text: s => stepTitle(plan, s)},
    {title: 'Kind', value: s => ops(s).map(op => op.kind).join(' + '), text: s => ops(s).map(op => op.kind).join(' + ')},
    {title: 'MACs', number: true, value: macs, text: s => count(macs(s)), bar: s => macs(s) / busiest},
  ];
  for (const m of plan.memories)
    if (m.live)
      columns.push({title: 'Alive in ' + m.name, number: true, value: s => m.live[s], text: s => count(m.live[s]),
                    bar: s => m.live[s] / Math.max(1, m.live[m.peak])});
  const cycles = cyclesOf(plan), top = cycles ? cycles.reduce((most, n) => Math.max(most, n), 1) : 1;
  if (cycles) columns.push({title: 'Cycles, estimate', number: true, value: s => cycles[s], text: s => count(Math.round(cycles[s])), bar: s => cycles[s] / top});
  /* Activations first, by their names; constants are many. */
  const names = (s, list) => ops(s).flatMap(op => op[list]).map(id => plan.byId.get(id)).filter(i => i !== undefined)
    .sort((a, b) => (plan.kind[a] === CONSTANT) - (plan.kind[b] === CONSTANT)).map(i => shortName(plan, i)).join(', ');
  for (const [title, list] of [['Reads', 'inputs'], ['Writes', 'outputs']]) columns.push({title, value: s => names(s, list), text: s => names(s, list)});
  return columns;
}

function arenaColumns() {
  return [
    {title: 'Region', number: true, value: a => a.region_id, text: a => String(a.region_id)},
    {title: 'Role', value: a => a.role, text: a => a.role},
    {title: 'Memory', value: a => a.memory, text: a => a.memory},
    {title: 'Bytes', number: true, value: a => a.size, text: a => count(a.size)},
    {title: 'Could be', number: true, value: a => a.total_size, text: a => count(a.total_size)},
    {title: 'Lower bound', number: true, value: a => a.lower_bound, text: a => count(a.lower_bound)},
    {title: 'Verdict', value: a => a.verdict, text: a => a.role === 'scratch' ? a.verdict : '–'},
    {title: 'Alignment', number: true, value: a => a.alignment, text: a => String(a.alignment)},
    {title: 'Copied at start from', value: a => a.is_staged ? a.source_memory : '', text: a => a.is_staged ? a.source_memory : '–'},
  ];
}

/* ---- layers: how operators are cut for the compute memory ----------------- */

/* "L1: h 4, w 8, c 16", the innermost level last; axes that are whole are left out. */
function tileText(layer) {
  const axes = level => Object.entries(level.tile).filter(([axis, n]) => !layer.extent || n < layer.extent[axis]).map(([axis, n]) => axis + ' ' + count(n));
  return (layer.levels || []).map(level => level.memory + ': ' + (axes(level).join(', ') || 'whole')).join('; ');
}
/* Copies of what moves, the most of any operand. */
function copiesOf(layer) { return Math.max(0, ...(layer.levels || []).flatMap(level => level.buffering)); }
function transfersOf(layer) { return (layer.levels || []).reduce((sum, level) => sum + level.transfers, 0); }

function layerColumns(plan) {
  const layer = k => plan.layers[k], has = value => value === undefined ? '' : count(value);
  const most = key => plan.layers.reduce((all, l) => Math.max(all, l[key] || 0), 1);
  const bars = {bytes_moved: most('bytes_moved'), cycles: most('cycles')};
  const number = (title, key) => ({title, number: true, value: k => layer(k)[key] ?? -1, text: k => has(layer(k)[key]),
                                   bar: bars[key] ? k => (layer(k)[key] || 0) / bars[key] : undefined});
  return [
    {title: 'Operator', value: k => layer(k).op, text: k => layer(k).op},
    {title: 'Tile', value: k => tileText(layer(k)), text: k => tileText(layer(k)) || layer(k).reason || ''},
    number('Tiles', 'tiles'),
    {title: 'Copies', number: true, value: k => copiesOf(layer(k)), text: k => layer(k).levels ? String(copiesOf(layer(k))) : ''},
    number('Bytes moved', 'bytes_moved'),
    {title: 'Transfers', number: true, value: k => transfersOf(layer(k)), text: k => layer(k).levels ? count(transfersOf(layer(k))) : ''},
    number('Cycles', 'cycles'),
    {title: 'Computing', number: true, value: k => layer(k).utilisation_percent ?? -1,
     text: k => layer(k).utilisation_percent === undefined ? '' : layer(k).utilisation_percent + '\u00a0%'},
    {title: 'Verdict', value: k => layer(k).verdict || '', text: k => layer(k).verdict || '–'},
  ];
}
