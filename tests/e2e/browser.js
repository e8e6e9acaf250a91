/* browser.js TEST - one test of the report in headless Chromium; called by the
 * script `browser` beside it. Environment: CHROMIUM, PAGE (the report), PLAN
 * (its JSON), OUT (a folder for pictures). The last line printed is JSON. */
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {chromium} = require(process.env.PLAYWRIGHT);

const digits = text => text.replace(/[^0-9]/g, '');
const errors = [];

/* With `timed`, page.session counts the page's own processor time. */
async function openPage(browser, options, timed) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
  page.on('pageerror', error => errors.push(error.message));
  page.on('request', request => { if (!request.url().startsWith('file:')) errors.push('asked for ' + request.url()); });
  if (timed) {
    page.session = await page.context().newCDPSession(page);
    await page.session.send('Performance.enable', {timeDomain: 'threadTicks'});
  }
  await page.goto('file://' + process.env.PAGE);
  await page.waitForSelector('#maps canvas');
  return page;
}

/* Milliseconds of processor time that a timed page has taken. */
async function workOf(page) {
  const metrics = (await page.session.send('Performance.getMetrics')).metrics;
  return Math.round(1000 * metrics.find(m => m.name === 'TaskDuration').value);
}

/* Where a tensor's block is on the screen. */
function middleOf(page, index) {
  return page.evaluate(i => {
    const map = maps[shared.plan.memory[i]], plan = shared.plan;
    map.canvas.scrollIntoView({block: 'center'});
    const box = map.canvas.getBoundingClientRect();
    return {x: box.left + map.x((plan.from[i] + plan.to[i]) / 2), y: box.top + map.y(plan.low[i] + plan.size[i] / 2)};
  }, index);
}

/* Colours in the middle of a picture: an empty one has one. */
function coloursOf(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector('#maps canvas');
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let k = 0; k < data.length; k += 4 * 37) seen.add(data[k] << 16 | data[k + 1] << 8 | data[k + 2]);
    return seen.size;
  });
}

/* Alive bytes by step, the obvious way. */
function aliveAt(plan, memory, step) {
  return plan.tensors.filter(t => t.role === 'scratch' && t.memory === memory && t.alias_of === null &&
    t.first_step <= step && step <= t.last_step).reduce((sum, t) => sum + t.size, 0);
}

/* The graph opens with its first operators, and zooming out keeps some in sight. */
async function beginsInSight(page) {
  const seen = () => page.evaluate(() => { const g = views.graph; return g.graph.nodes.map(n => n.x > g.left && n.x < g.left + g.width / g.scale && n.y >= g.top && n.y < g.top + g.height / g.scale); });
  assert((await seen())[0], 'the first operator is out of sight');
  await page.click('#zoom-out');
  assert((await seen()).filter(Boolean).length > 1, 'nothing is in sight');
  await page.click('#fit');
}

const tests = {
  async numbers(browser, plan) {
    const page = await openPage(browser);
    assert(await coloursOf(page) > 5, 'the picture is empty');
    assert((await page.textContent('#title')).includes(plan.model));
    assert((await page.textContent('#subtitle')).includes(plan.target));
    const cards = await page.$$eval('.card .big', all => all.map(e => e.firstChild.textContent));
    const macs = plan.steps.reduce((sum, s) => sum + s.ops.reduce((all, op) => all + op.macs, 0), 0);
    assert.deepStrictEqual(cards.map(digits), [...plan.arenas.map(a => String(a.size)), String(macs)]);
    const scratch = plan.arenas.find(a => a.role === 'scratch');
    const alive = plan.steps.map(s => aliveAt(plan, scratch.memory, s.step)), most = Math.max(...alive);
    const title = await page.textContent('#peak-title');
    assert(title.includes('step ' + alive.indexOf(most) + ','), title);
    assert.strictEqual(digits((await page.textContent('#peak .how')).split('B')[0]), String(most));
    assert((await page.$$('#peak ol li')).length >= 2, 'nothing is said about the peak');
    await checkTables(page, plan);
  },

  async follow(browser, plan) {
    const page = await openPage(browser);
    const at = plan.tensors.findIndex(t => t.role === 'scratch' && plan.steps.some(s => s.ops[0].outputs.includes(t.id)));
    const t = plan.tensors[at], made = plan.steps.find(s => s.ops[0].outputs.includes(t.id));
    let point = await middleOf(page, at);
    await page.mouse.move(point.x, point.y);
    const tip = await page.textContent('#tip');
    for (const text of [t.name, t.type, String(t.shape[t.shape.length - 1]), made.ops[0].id])
      assert(tip.includes(text), 'the tip lacks ' + text + ': ' + tip);
    assert(digits(tip).includes(String(t.size)) && tip.includes('0x' + t.offset.toString(16).padStart(4, '0')));
    point = await middleOf(page, at);
    await page.mouse.click(point.x, point.y);
    assert((await page.textContent('#details h3')).includes(t.name));
    await page.click('#details button:has-text("' + made.ops[0].id + '")');
    assert((await page.textContent('#details h3')).includes(made.ops[0].id));
    await searchAndWalk(page, plan);
  },

  async rows(browser, plan) {
    const page = await openPage(browser), whole = plan.tensors.filter(t => t.rows && t.role === 'scratch' && t.rows.count > 1);
    const lanes = await page.$$eval('#windows .name', all => all.map(e => e.title));
    assert.deepStrictEqual(lanes, whole.map(t => t.name));
    const bands = await page.$$eval('#windows path', all => all.map(e => e.getBoundingClientRect().width));
    assert(bands.length === whole.length && bands.every(w => w > 0), 'a lane is empty');
    const above = await page.evaluate(() => shared.plan.memories.filter(m => m.live).map(m => [m.name, Math.max(...m.live), m.scratch.size]).filter(([, live, size]) => live > size));
    assert.deepStrictEqual(above, [], 'more bytes are alive than the arena has');
    const alive = await page.$$eval('#peak .alive button', all => all.map(e => e.firstChild.textContent));
    assert(alive.some(text => /, \d+ rows \(\d+ to \d+\)/.test(text)), alive.join('; '));
    const advice = await page.textContent('#peak ol');
    assert(advice.includes('row by row') && !advice.includes('Run in pieces'), advice);
  },

  /* On a laptop's screen the picture is in sight; steps are named once; the column of the peak does not tint blocks. */
  async layout(browser, plan) {
    const page = await openPage(browser, {viewport: {width: 1440, height: 900}});
    const box = await page.$eval('#maps canvas', e => e.getBoundingClientRect().top);
    assert(box < 400, 'the picture starts at ' + box);
    const end = await page.$eval('#maps canvas', e => e.getBoundingClientRect().bottom);
    assert(end < 900, 'the picture ends at ' + end);
    const empty = await page.$eval('#side', e => e.getBoundingClientRect().height);
    assert(empty > 200, 'the side is empty');
    assert.deepStrictEqual(await page.evaluate(() => maps.map(m => m.bottom > 36)), plan.arenas.map((_, k) => k === 0));
    const colours = await page.evaluate(() => {
      const map = maps[0], plan = shared.plan, at = map.memory.peak, i = map.members.find(k => plan.kind[k] === 0 && plan.from[k] <= at && at < plan.to[k]);
      const pick = () => [...map.context.getImageData(Math.round(map.ratio * (map.x(at + 0.5))), Math.round(map.ratio * (map.y(plan.low[i]) - 4)), 1, 1).data];
      const block = pick();
      return [block.slice(0, 3), cssColour('--activation')];
    });
    assert.strictEqual('#' + colours[0].map(v => v.toString(16).padStart(2, '0')).join(''), colours[1]);
    await page.click('#view-layers');
    assert(await page.isHidden('#zoom-in') && await page.isHidden('#capacity-choice'), 'buttons that do nothing');
  },

  async lanes_rows(browser, plan) {
    const page = await openPage(browser), total = plan.ops.reduce((sum, op) => sum + op.cycles, 0);
    await page.click('#view-lanes');
    const {events, lanes, end} = await page.evaluate(() => timeline(shared.plan));
    assert.strictEqual(lanes[0], 'rows arrive');
    assert.deepStrictEqual(new Set(lanes.slice(1)), new Set(plan.runs.filter(([op]) => op >= 0).map(([op]) => plan.ops[op].id)));
    assert(events.every(e => lanes[e.lane] === e.name && e.to > e.from), 'a run is in another lane');
    assert(Math.abs(end - total) < 1, end + ' for ' + total);
    const runs = plan.runs.filter(([op]) => op >= 0 && plan.ops[op].cycles).length;
    assert.strictEqual(events.filter(e => e.name !== 'rows arrive').length, runs);
    await page.$eval('#lanes canvas', e => e.scrollIntoView({block: 'center'}));
    const {step, x, y} = await page.evaluate(() => {
      const v = views.lanes, box = v.canvas.getBoundingClientRect(), e = v.events.reduce((a, b) => b.to - b.from > a.to - a.from ? b : a);
      return {step: e.step, x: box.left + v.x((e.from + e.to) / 2), y: box.top + 6 + v.pitch * (e.lane + 0.4)};
    });
    await page.mouse.click(x, y);
    assert((await page.textContent('#details h3')).startsWith('step ' + step + ':'), 'a click on a run leads elsewhere');
  },

  async no_fit(browser) {
    const page = await openPage(browser);
    assert.strictEqual(await page.textContent('#verdict'), 'does not fit');
    const shown = await page.evaluate(() => maps.map(m => {
      const above = m.memory.capacity && m.memory.bytes > m.memory.capacity, y = (m.y(m.memory.capacity) + m.y(m.memory.bytes)) / 2;
      return {name: m.memory.name, above, colour: [...m.context.getImageData(Math.round(m.ratio * (m.width - RIGHT - 2)), Math.round(m.ratio * y), 1, 1).data]};
    }));
    for (const m of shown) assert(m.above && m.colour[0] > m.colour[2] + 20, JSON.stringify(m));
    assert.strictEqual((await page.$$('#headline .short')).length, shown.length);
    const said = await page.$$eval('#headline .short', all => all.map(e => e.textContent.split('(')[0].split('short')[0]));
    const drawn = await page.evaluate(() => maps.map(m => m.lines().map(l => l.text).find(text => text.includes('short')).split(',')[1]));
    assert.deepStrictEqual(said.map(digits), drawn.map(digits), 'the picture says other bytes than the words');
    assert(await page.$('.gauge.over'), 'the gauge is not red');
  },

  /* Every text that the pictures of memories write, at two zooms; those that hang have no rectangle here. */
  async labels(browser) {
    const page = await openPage(browser);
    for (const wide of [1440, 700]) {
      await page.setViewportSize({width: wide, height: 900});
      const {over, texts} = await page.evaluate(() => {
        const own = CanvasRenderingContext2D.prototype.fillText, rects = [];
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
          const m = this.getTransform();
          if (m.b === 0 && this.textAlign === 'left') rects.push({text, x: m.e + x * m.a, y: m.f + (y - 6) * m.d, w: this.measureText(text).width * m.a, h: 12 * m.d});
          return own.call(this, text, x, y);
        };
        maps[0].paint();
        CanvasRenderingContext2D.prototype.fillText = own;
        const over = [];
        rects.forEach((a, k) => rects.slice(k + 1).forEach(b => {
          if (a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h) over.push(a.text + ' / ' + b.text);
        }));
        return {over, texts: rects.length};
      });
      assert(texts > 5, 'only ' + texts + ' texts');
      assert.deepStrictEqual(over, [], 'at ' + wide);
    }
  },

  async timeline(browser) {
    const page = await openPage(browser);
    await page.click('#view-lanes');
    await page.$eval('#lanes canvas', e => e.scrollIntoView({block: 'center'}));
    const at = await page.evaluate(() => {
      const v = views.lanes, e = v.events.filter(e => e.lane === 1).reduce((a, b) => b.to - b.from > a.to - a.from ? b : a), box = v.canvas.getBoundingClientRect();
      return {x: box.left + (v.x(e.from) + v.x(e.to)) / 2, y: box.top + 8 + v.pitch + 10, name: e.name, cycles: Math.round(e.to - e.from), span: v.to - v.from};
    });
    await page.mouse.move(at.x, at.y);
    const tip = await page.textContent('#tip');
    assert(tip.includes(at.name) && digits(tip).includes(String(at.cycles)) && tip.includes('ms'), tip);
    await page.click('#zoom-in');
    const before = await page.evaluate(() => views.lanes.from);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x - 120, at.y, {steps: 4});
    await page.mouse.up();
    assert(await page.evaluate(() => views.lanes.from) > before, 'dragging does not pan');
    await page.click('#fit');
    const names = await page.evaluate(() => {
      const own = CanvasRenderingContext2D.prototype.fillText, said = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { said.push(text); return own.call(this, text, ...rest); };
      views.lanes.paint();
      CanvasRenderingContext2D.prototype.fillText = own;
      return said;
    });
    const cut = names.filter(text => /[a-z_]…$/.test(text));
    assert.deepStrictEqual(cut, [], 'names whose number is cut off');
  },

  async curve(browser) {
    const page = await openPage(browser);
    const sizes = JSON.parse(fs.readFileSync(process.env.PLAN, 'utf8')).filter((p, i, all) => p.fits && !(p.used === all[i - 1].used && p.cycles === all[i - 1].cycles));
    const points = await page.$$eval('#curve circle', dots => dots.map(d => ({x: Number(d.getAttribute('cx')), y: Number(d.getAttribute('cy')),
      chosen: d.classList.contains('chosen'), text: d.textContent})));
    assert.strictEqual(points.length, sizes.length);
    assert(sizes.some(p => p.row_operators) && sizes.some(p => !p.row_operators), 'no way from rows to layers');
    for (const [i, p] of points.entries()) {
      assert(p.text.replace(/\D/g, '').includes(String(sizes[i].cycles)), p.text);
      for (const [k, q] of points.entries()) {
        assert.strictEqual(Math.sign(p.x - q.x), Math.sign(sizes[i].used - sizes[k].used));
        assert.strictEqual(Math.sign(q.y - p.y), Math.sign(sizes[i].cycles - sizes[k].cycles));
      }
    }
    const chosen = points.findIndex(p => p.chosen), used = await page.evaluate(() => shared.plan.json.arenas.find(a => a.role === 'scratch').size);
    assert.strictEqual(sizes[chosen].used, used);
    assert.strictEqual(points.filter(p => p.chosen).length, 1);
  },

  async no_certificate(browser) {
    const page = await openPage(browser);
    assert.strictEqual(await page.textContent('#verdict'), 'proved optimal');
    assert(!(await page.textContent('#headline')).includes('ertified'));
  },

  async certified_order(browser) {
    const page = await openPage(browser);
    assert.strictEqual(await page.textContent('#verdict'), 'proved optimal');
    assert((await page.textContent('#headline')).includes('digits.cert shows the bound of the order;'));
  },

  async certified(browser) {
    const page = await openPage(browser);
    assert.strictEqual(await page.textContent('#verdict'), 'proved optimal, certified');
    assert((await page.textContent('#headline')).includes('Certified: digits.cert shows the bound of the arena;'));
  },

  async looks(browser) {
    for (const [name, options] of [['light', {}], ['dark', {colorScheme: 'dark'}], ['telephone', {viewport: {width: 390, height: 844}, deviceScaleFactor: 2}]]) {
      const page = await openPage(browser, options);
      const picture = await page.screenshot({path: path.join(process.env.OUT, name + '.png'), fullPage: true});
      assert(picture.length > 20000, name + ' is nearly empty');
      assert(await coloursOf(page) > 5, name + ': the picture is empty');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert(wide <= 0, name + ' is ' + wide + ' pixels too wide');
      await page.close();
    }
    const page = await openPage(browser);
    await page.click('#theme');
    assert.strictEqual(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    const paper = await page.pdf({path: path.join(process.env.OUT, 'paper.pdf')});
    assert(paper.length > 20000, 'the print is nearly empty');
  },

  /* Mouse, wheel, buttons and keys. */
  async hands(browser, plan) {
    const page = await openPage(browser), view = () => page.evaluate(() => ({...shared.view, low: maps[0].low, high: maps[0].high}));
    const at = plan.tensors.findIndex(t => t.role === 'scratch' && t.reason);
    let point = await middleOf(page, at);
    await page.mouse.move(point.x, point.y);
    assert((await page.textContent('#tip')).includes('why there: ' + plan.tensors[at].reason), 'the tip does not say why');
    const all = await view();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await page.waitForTimeout(100);
    const near = await view();
    assert(near.to - near.from < all.to - all.from, 'the wheel does not zoom');
    const box = await (await page.$('#maps canvas')).boundingBox();
    await page.mouse.move(box.x + 400, box.y + 150);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 150, {steps: 4});
    await page.mouse.up();
    assert.notStrictEqual((await view()).from, near.from, 'dragging does not pan');
    await page.click('#fit');
    assert.strictEqual((await view()).to - (await view()).from, plan.steps.length);
    await page.click('#zoom-in');
    assert((await view()).to - (await view()).from < plan.steps.length);
    await page.click('#zoom-out');
    await page.click('#to-peak');
    assert((await page.textContent('#details h3')).startsWith('step '));
    await page.check('#to-capacity');
    const scratch = plan.arenas.find(a => a.role === 'scratch');
    assert((await view()).high > scratch.total_size, 'the capacity is not in sight');
    await page.uncheck('#to-capacity');
    await page.focus('#maps canvas');
    await page.keyboard.press('p');
    await page.keyboard.press('End');
    assert.strictEqual((await view()).to, plan.steps.length);
    await page.keyboard.press('Home');
    assert.strictEqual((await view()).from, 0);
    await aliasesAreFollowed(page, plan);
    await readersOfScreens(page);
  },

  /* Two plans in one page, side by side. */
  async compare(browser, plan) {
    const page = await openPage(browser), other = JSON.parse(fs.readFileSync(process.env.OTHER, 'utf8'));
    const pictures = await page.$$eval('#compare .pair canvas', all => all.map(c => { const b = c.getBoundingClientRect(); return {x: b.x, y: b.y, w: b.width}; }));
    assert.strictEqual(pictures.length, 2);
    assert(pictures[0].y === pictures[1].y && pictures[1].x > pictures[0].x + pictures[0].w, 'they do not stand side by side');
    const tops = await page.evaluate(() => $('compare').maps.map(map => map.high));
    assert.strictEqual(tops[0], tops[1], 'two scales');
    const rows = await page.$$eval('#compare .sideways:nth-of-type(2) tbody tr', all => all.map(row => [...row.cells].map(c => c.textContent)));
    const size = (json, row) => json.arenas.filter(a => row.startsWith(a.memory + ': ') && row.includes({scratch: 'working', constant: 'constants', persistent: 'kept'}[a.role])).map(a => String(a.size))[0];
    for (const row of rows) assert.deepStrictEqual([digits(row[1]), digits(row[2])], [size(plan, row[0]), size(other, row[0])]);
    await page.click('#show-before');
    assert((await page.textContent('#foot')).includes(plan.plan_hash));
    await page.click('#show-after');
    assert((await page.textContent('#foot')).includes(other.plan_hash));
    await page.screenshot({path: path.join(process.env.OUT, 'compare.png')});
    const words = digits(await page.textContent('#headline'));
    for (const json of [plan, other]) assert(words.includes(json.arenas.find(a => a.role === 'scratch').size), 'the headline does not name both sides');
    assert((await page.textContent('#title')).includes('changed'), 'the title does not say that two plans are compared');
    if (await page.$('#all-changes')) {
      await page.click('#all-changes');
      const rows = await page.$$eval('#compare .sideways:last-of-type tbody tr', all => all.map(r => Number(r.cells[4].textContent.replace(/[^0-9]/g, ''))));
      assert(rows.length > 12 && rows.every((n, k) => !k || n <= rows[k - 1]), 'the changes are not all there, the largest first');
    }
    const phone = await openPage(browser, {viewport: {width: 390, height: 844}});
    assert(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'too wide for a telephone');
  },

  /* What tiling adds: a table of layers and a card. */
  async layers(browser, plan) {
    const page = await openPage(browser);
    await page.click('#tabs button:has-text("Layers")');
    const rows = await page.$$eval('#table .scroller:not([hidden]) tbody tr:not(.space)', all => all.map(row => [...row.cells].map(c => c.textContent)));
    assert(rows.length >= Math.min(10, plan.layers.length));
    rows.forEach((cells, k) => {
      const l = plan.layers[k];
      assert.strictEqual(cells[0], l.op);
      if (!l.levels) return;
      assert(cells[1].startsWith(l.levels[0].memory + ': '), cells[1]);
      assert.deepStrictEqual([cells[2], cells[4], cells[6], cells[7]].map(digits),
        [l.tiles, l.bytes_moved, l.cycles, l.utilisation_percent].map(String));
    });
    const card = await page.textContent('.card:last-child');
    assert(digits(card.split('bytes moved')[0]).endsWith(String(plan.layers.reduce((sum, l) => sum + (l.bytes_moved || 0), 0))), card);
  },

  /* The graph has every operator once, joined with map and details both ways. */
  async graph(browser, plan) {
    const page = await openPage(browser), ops = plan.steps ? plan.steps.flatMap(s => s.ops) : plan.ops;
    await page.click('#view-graph');
    assert(await page.isHidden('#maps'));
    const shown = await page.evaluate(() => views.graph.graph.nodes.filter(n => n.op).map(n => n.op.id));
    assert.deepStrictEqual(shown, ops.map(op => op.id));
    await beginsInSight(page);
    const edges = await page.evaluate(() => views.graph.graph.edges.map(e => e.from.layer < e.to.layer));
    assert(edges.length >= ops.length && edges.every(Boolean), 'an edge goes up');
    const overlaps = await page.evaluate(() => views.graph.graph.nodes.some((a, k) => views.graph.graph.nodes.slice(k + 1)
      .some(b => a.layer === b.layer && Math.abs(a.x - b.x) < (a.w + b.w) / 2)));
    assert(!overlaps, 'two operators are drawn over each other');
    const point = await page.evaluate(() => {
      const g = views.graph, n = g.graph.nodes[2], box = g.canvas.getBoundingClientRect();
      g.centre(n);
      g.paint();
      return {x: box.left + (n.x - g.left) * g.scale, y: box.top + (n.y + 20 - g.top) * g.scale, id: n.op.id};
    });
    await page.evaluate(() => $('graph').scrollIntoView({block: 'center'}));
    const moved = await page.evaluate(() => views.graph.canvas.getBoundingClientRect().top);
    await page.mouse.click(point.x, moved + await page.evaluate(() => { const g = views.graph, n = g.graph.nodes[2]; return (n.y + 20 - g.top) * g.scale; }));
    assert((await page.textContent('#details h3')).includes(point.id), await page.textContent('#details h3'));
    assert(await page.evaluate(() => shared.selected) >= 0, 'the map does not follow');
    const made = await page.evaluate(() => shared.plan.producer.findIndex(s => s >= 3 && views.graph.byOp.has(shared.plan.steps[s].ops[0].id)));
    await page.evaluate(i => select(i), made);
    assert.strictEqual(await page.evaluate(() => views.graph.chosen.op.id), await page.evaluate(i => shared.plan.steps[shared.plan.producer[i]].ops[0].id, made));
    await page.focus('#graph canvas');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('+');
    const scale = await page.evaluate(() => views.graph.scale);
    await page.click('#fit');
    assert.notStrictEqual(await page.evaluate(() => views.graph.scale), scale);
  },

  /* Made up graphs: no operator over another, no edge behind an operator that it passes. */
  async routes(browser) {
    const page = await openPage(browser);
    const bad = await page.evaluate(() => {
      const bad = [];
      for (let seed = 1; seed <= 60; seed++) {
        let x = seed;
        const random = n => (x = (x * 1103515245 + 12345) % 2147483648) % n, nodes = [], edges = [];
        for (let k = 0; k < 6 + seed % 30; k++) {
          const node = {k, kind: 'conv_2d', id: 'n' + k, ins: [], outs: []};
          for (let e = 0; k && e < 1 + random(3); e++) {
            const from = nodes[Math.max(0, k - 1 - random(8))];
            if (node.ins.includes(from)) continue;
            edges.push({from, to: node});
            from.outs.push(node);
            node.ins.push(from);
          }
          nodes.push(node);
        }
        layOut({nodes, edges}, text => 7 * text.length);
        for (const a of nodes) for (const b of nodes) if (a.k < b.k && a.layer === b.layer && Math.abs(a.x - b.x) < (a.w + b.w) / 2) bad.push(seed + ': nodes ' + a.k + ' and ' + b.k);
        for (const edge of edges) {
          if (edge.bends.length !== edge.to.layer - edge.from.layer - 1) bad.push(seed + ': an edge passes layers without a bend');
          for (const bend of edge.bends) for (const n of nodes) if (n.layer === bend.layer && Math.abs(n.x - bend.x) < n.w / 2) bad.push(seed + ': an edge behind node ' + n.k);
        }
      }
      return bad;
    });
    assert.deepStrictEqual(bad, []);
  },

  /* 2 000 operators in a graph. */
  async large_graph(browser) {
    const page = await openPage(browser, {}, true), before = await workOf(page);
    await page.click('#view-graph');
    const work = await workOf(page) - before, nodes = await page.evaluate(() => views.graph.graph.nodes.length);
    await beginsInSight(page);
    const frames = await page.evaluate(() => {
      const times = [];
      for (let k = 0; k < 20; k++) { const start = performance.now(); views.graph.top += 300; views.graph.paint(); times.push(performance.now() - start); }
      return times.sort((a, b) => a - b);
    });
    return {nodes, work, frame: Math.round(frames[10])};
  },

  /* The axis in cycles, bars of layers, lanes, and the trace for Perfetto. */
  async time(browser, plan) {
    const tiled = (plan.layers || []).some(l => l.levels);
    const page = await openPage(browser), ops = plan.steps.flatMap(s => s.ops), total = ops.reduce((sum, op) => sum + op.cycles, 0);
    const widths = () => page.evaluate(() => shared.plan.steps.map((_, s) => maps[0].x(s + 1) - maps[0].x(s)));
    const even = await widths();
    assert(Math.max(...even) - Math.min(...even) < 0.01);
    await page.selectOption('#axis', 'cycles');
    const uneven = await widths(), all = uneven.reduce((a, b) => a + b, 0);
    plan.steps.forEach((step, s) => {
      const share = step.ops.reduce((sum, op) => sum + op.cycles, 0) / total;
      assert(Math.abs(uneven[s] / all - share) < 0.05, 'step ' + s + ' is ' + uneven[s] / all + ' wide, not ' + share);
    });
    const back = await page.evaluate(() => shared.plan.steps.every((_, s) => Math.abs(maps[0].stepAt(maps[0].x(s + 0.5)) - s - 0.5) < 0.01));
    assert(back, 'a point is not the step that is drawn there');
    await page.click('#view-layers');
    const rows = await page.$$eval('#layers tbody tr', list => list.map(r => [...r.cells].map(c => c.textContent)));
    assert.strictEqual(rows.length, ops.length);
    rows.forEach((cells, k) => assert.strictEqual(digits(cells[3]), String(ops[k].macs)));
    const sums = await page.$$eval('#layers tfoot td', all => all.map(e => e.textContent));
    assert.strictEqual(digits(sums[3]), String(ops.reduce((sum, op) => sum + op.macs, 0)));
    await page.click('#layers th:nth-child(4) button');
    const sorted = await page.$$eval('#layers tbody tr', list => list.map(r => r.cells[3].textContent));
    assert.deepStrictEqual(sorted.map(digits).map(Number), ops.map(op => op.macs).sort((a, b) => b - a));
    await page.click('#layers th:nth-child(4) button');
    const table = await page.$eval('#layers .scroller', e => [e.scrollWidth, e.clientWidth]);
    assert(table[0] <= table[1], 'the bars are cut off: ' + table);
    await page.click('#view-lanes');
    for (const width of [1280, 390]) {
      await page.setViewportSize({width, height: 900});
      await page.evaluate(() => views.lanes.paint());
      const labels = await page.evaluate(() => views.lanes.axis(views.lanes.canvas.getContext('2d')));
      assert(labels.length > 1 && labels.every((l, k) => !k || l.from > labels[k - 1].to + 4), 'times run into each other: ' + JSON.stringify(labels));
    }
    await page.setViewportSize({width: 1280, height: 900});
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#save-trace')]);
    const out = path.join(process.env.OUT, 'trace.json');
    await file.saveAs(out);
    const trace = JSON.parse(fs.readFileSync(out, 'utf8')), boxes = trace.traceEvents.filter(e => e.ph === 'X');
    assert.deepStrictEqual(trace.traceEvents.filter(e => e.name === 'thread_name').map(e => e.args.name), ['DMA in', 'compute', 'DMA out', ...(tiled ? ['layer'] : [])]);
    assert.deepStrictEqual(boxes.filter(e => e.tid === 4).map(e => e.name), tiled ? ops.filter(op => op.cycles).map(op => op.id) : []);
    const end = Math.max(...boxes.map(e => e.ts + e.dur)) * (plan.mhz || 1);
    assert(Math.abs(end - total) <= 0.02 * total + 2, end + ' cycles in the trace, ' + total + ' in the plan');
    for (const l of (plan.layers || []).filter(l => l.levels)) {
      const own = boxes.filter(e => e.tid === 2 && e.name.startsWith(l.op + ' ')), sum = own.reduce((a, e) => a + e.args.cycles, 0);
      assert.strictEqual(own.length, Math.min(256, l.tiles), l.op);
      assert(Math.abs(sum - l.compute_cycles) <= own.length, l.op + ' computes ' + sum + ', not ' + l.compute_cycles);
    }
  },

  /* Search, keys, names and headings as people expect them. */
  async habits(browser, plan) {
    const page = await openPage(browser);
    await page.click('#tabs button:nth-child(2)');
    const rows = (await page.$$('#table .scroller:not([hidden]) tbody tr:not(.space)')).length;
    assert(rows >= Math.min(plan.steps.length, 17), 'the table of steps shows ' + rows + ' rows');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('p');
    assert((await page.textContent('#details h3')).startsWith('step '), 'P needs a focus');
    const op = plan.steps[2].ops[0];
    await page.fill('#search', op.id);
    await page.press('#search', 'Enter');
    const first = await page.evaluate(() => shared.plan.tensors[shared.selected].id);
    assert(op.outputs.includes(first), op.id + ' leads to ' + first);
    const m = plan.arenas.find(a => a.role === 'scratch'), text = await page.textContent('#headline'), card = await page.textContent('.card');
    const share = /([\d.<> ]+)\s%/.exec(text)[1].trim();
    assert(card.includes(share), 'headline ' + share + ', card ' + card);
    const words = await page.$$eval('#words dt', all => all.map(e => e.textContent));
    assert(words.includes('arena') && words.includes('peak'));
    return {words: await page.evaluate(() => WORDS)};
  },

  /* The rules of axe-core, in every view, light and dark. */
  async audit(browser) {
    const rules = fs.readFileSync(process.env.AXE, 'utf8'), found = new Set();
    for (const [colorScheme, width] of [['light', 1280], ['dark', 1280], ['light', 390]]) {
      const page = await openPage(browser, {colorScheme, viewport: {width, height: 844}, reducedMotion: 'reduce'}); /* colours under way are no colours */
      for (const view of ['maps', 'graph', 'layers', 'lanes']) {
        await page.click('#view-' + view);
        await page.evaluate(rules);
        const result = await page.evaluate(() => axe.run());
        for (const v of result.violations) found.add(v.id + ': ' + v.nodes[0].html.slice(0, 120));
      }
      await page.close();
    }
    assert.deepStrictEqual([...found], []);
  },

  /* The documentation: every kind of page passes the audit, wide and narrow; the search finds, and leads there. */
  async site(browser) {
    const rules = fs.readFileSync(process.env.AXE, 'utf8'), found = new Set();
    for (const [colorScheme, width] of [['light', 1280], ['dark', 390]]) {
      const page = await browser.newPage({colorScheme, viewport: {width, height: 844}, reducedMotion: 'reduce'});
      page.on('pageerror', error => errors.push(error.message));
      page.on('request', request => { if (!/^(file|blob|data):/.test(request.url())) errors.push('asked for ' + request.url()); });
      for (const name of ['index', 'install', 'glossary', 'try']) {
        await page.goto('file://' + path.join(process.env.PAGE, name + '.html'));
        await page.evaluate(rules);
        const result = await page.evaluate(() => axe.run({iframes: false}));
        for (const v of result.violations) found.add(name + ': ' + v.id + ': ' + v.nodes[0].html.slice(0, 120));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert(wide <= 0, name + ' is ' + wide + ' pixels too wide at ' + width);
      }
      await page.keyboard.press('/');
      await page.keyboard.type('uninstall');
      await page.click('#hits a[href^="install.html"]');
      assert((await page.textContent('main')).includes('make uninstall'));
      await page.close();
    }
    assert.deepStrictEqual([...found], []);
  },

  async proof(browser) {
    const page = await openPage(browser);
    return {proof: await page.textContent('#headline .proof')};
  },

  async nameless(browser, plan) {
    const page = await openPage(browser);
    await page.click('#tabs button:nth-child(1)');
    const names = await page.$$eval('#table .scroller:not([hidden]) tbody tr:not(.space) td:first-child', all => all.map(e => e.textContent));
    assert(names.every(Boolean), 'a row without a name');
    assert(!(await page.textContent('#peak')).includes('“”'), 'a quotation of nothing');
    const longest = await page.evaluate(() => Math.max(...shared.plan.tensors.map((_, i) => shortName(shared.plan, i).length)));
    assert(longest <= 66, 'a label of ' + longest + ' characters');
  },

  async hostile(browser, plan) {
    const page = await openPage(browser);
    await page.evaluate(() => { for (let i = 0; i < 5 && i < shared.plan.count; i++) select(i); select(0); });
    await page.waitForTimeout(200);
    assert.strictEqual(await page.evaluate(() => window.hit), undefined);
    assert.strictEqual(await page.textContent('#details h3'), plan.tensors[0].name);
    assert.strictEqual((await page.$$('img')).length, 0);
  },

  async large(browser) {
    const from = Date.now(), page = await openPage(browser, {}, true), load = Date.now() - from;
    const work = await workOf(page);
    assert((await page.textContent('#subtitle')).replace(/\s/g, '').includes('100000tensors'));
    assert(await coloursOf(page) > 5, 'the picture is empty');
    const frames = await page.evaluate(() => {
      const times = [];
      for (let k = 0; k < 30; k++) {
        const start = performance.now();
        if (k < 20) maps[0].zoom(0.8, 600, null); else maps[0].pan(-40, 0);
        maps[0].paint();
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b);
    });
    const drawing = (await workOf(page) - work) / frames.length;
    await page.fill('#search', 'layer_99999');
    assert((await page.textContent('#found')).startsWith('1 tensor'), await page.textContent('#found'));
    return {load, work, frame: Math.round(frames[15]), drawing: Math.round(drawing)};
  },
};

/* A click on a tensor that shares storage leads to those it shares it with. */
async function aliasesAreFollowed(page, plan) {
  const at = plan.tensors.findIndex(t => t.alias_of !== null);
  if (at < 0) return;
  const root = plan.tensors.find(t => t.id === plan.tensors[at].alias_of);
  await page.evaluate(i => select(i), at);
  assert((await page.textContent('#details')).includes('shares bytes'));
  await page.click('#details button.link:has-text("' + root.name.split('/').pop() + '")');
  assert((await page.textContent('#details h3')).length > 0);
}

/* Basics for those who do not see: a language, one first heading, names for all that can be used, pictures
 * with a text, tables with heads, announcements. */
async function readersOfScreens(page) {
  const lacks = await page.evaluate(() => {
    const found = [], name = e => (e.getAttribute('aria-label') || e.textContent || e.title || '').trim() ||
      (e.labels && [...e.labels].map(l => l.textContent).join(' ').trim());
    if (!document.documentElement.lang) found.push('lang');
    if (document.querySelectorAll('h1').length !== 1) found.push('h1');
    for (const e of document.querySelectorAll('button, input, select, a, canvas[tabindex]')) if (!e.closest('[hidden]') && !name(e)) found.push(e.outerHTML.slice(0, 80));
    for (const t of document.querySelectorAll('#table table')) if (!t.querySelector('th')) found.push('a table without head');
    if (!document.querySelector('[aria-live]')) found.push('aria-live');
    if (!document.querySelector('.skip')) found.push('a way past the pictures');
    return found;
  });
  assert.deepStrictEqual(lacks, []);
}

async function checkTables(page, plan) {
  const shown = await page.$$eval('#table .scroller:not([hidden]) tbody tr:not(.space)',
    rows => rows.map(row => [...row.cells].map(cell => cell.textContent)));
  shown.forEach((cells, i) => {
    const t = plan.tensors[i];
    assert.deepStrictEqual([cells[0], cells[1], digits(cells[4]), cells[5], digits(cells[6]), digits(cells[7]), digits(cells[8])],
      [t.name, t.id, String(t.size), t.memory, String(t.offset), String(t.first_step), String(t.last_step)]);
  });
  assert(shown.length >= Math.min(10, plan.tensors.length));
  await page.click('#table th:has-text("Bytes") button');
  const first = await page.textContent('#table .scroller:not([hidden]) tbody tr:not(.space) td:nth-child(5)');
  assert.strictEqual(digits(first), String(Math.max(...plan.tensors.map(t => t.size))));
  await page.click('#tabs button:nth-child(3)');
  const arenas = await page.$$eval('#table .scroller:not([hidden]) tbody tr', rows => rows.map(row => [...row.cells].map(cell => cell.textContent)));
  assert.deepStrictEqual(arenas.map(cells => [cells[1], cells[2], digits(cells[3]), digits(cells[5])]),
    plan.arenas.map(a => [a.role, a.memory, String(a.size), String(a.lower_bound)]));
  await page.click('#tabs button:nth-child(2)');
  assert.strictEqual((await page.$$('#table .scroller:not([hidden]) tbody tr:not(.space)')).length >= Math.min(10, plan.steps.length), true);
}

async function searchAndWalk(page, plan) {
  const want = plan.tensors[plan.tensors.length - 1];
  await page.keyboard.press('Escape');
  assert((await page.textContent('#details h3')).includes('Follow'));
  await page.keyboard.press('/');
  await page.keyboard.type(want.name);
  const hits = plan.tensors.filter(t => t.name.toLowerCase().includes(want.name.toLowerCase())).length;
  assert(Number(digits(await page.textContent('#found'))) >= hits);
  await page.keyboard.press('Enter');
  assert((await page.textContent('#details h3')).length > 0);
  await page.keyboard.press('Escape');
  assert.strictEqual(await page.textContent('#found'), '');
  await page.focus('#maps canvas');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowRight');
  const one = await page.textContent('#details h3');
  await page.keyboard.press('ArrowRight');
  assert.notStrictEqual(await page.textContent('#details h3'), one);
  await page.keyboard.press('+');
  assert(await page.evaluate(() => shared.view.to - shared.view.from < shared.plan.stepCount));
  await page.keyboard.press('0');
  assert(await page.evaluate(() => shared.view.to - shared.view.from === shared.plan.stepCount));
}

async function main() {
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});
  try {
    const plan = process.argv[2].startsWith('large') ? null : JSON.parse(fs.readFileSync(process.env.PLAN, 'utf8'));
    const result = await tests[process.argv[2]](browser, plan);
    assert.deepStrictEqual(errors, []);
    console.log(JSON.stringify(result || {}));
  } finally {
    await browser.close();
  }
}
main().catch(error => { console.error(error.stack); process.exit(1); });
