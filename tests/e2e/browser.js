/* browser.js TEST - one test of the report in headless Chromium; called by the
 * script `browser` beside it. Environment: CHROMIUM, PAGE (the report), PLAN
 * (its JSON), OUT (a folder for pictures). The last line printed is JSON. */
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {chromium} = require(path.join(process.env.NODE_PATH, 'playwright-core'));

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
    const metrics = (await page.session.send('Performance.getMetrics')).metrics;
    const work = Math.round(1000 * metrics.find(m => m.name === 'TaskDuration').value);
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
    await page.fill('#search', 'layer_99999');
    assert((await page.textContent('#found')).startsWith('1 tensor'));
    return {load, work, frame: Math.round(frames[15])};
  },
};

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
  assert((await page.textContent('#details h3')).includes('Nothing'));
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
    const plan = process.argv[2] === 'large' ? null : JSON.parse(fs.readFileSync(process.env.PLAN, 'utf8'));
    const result = await tests[process.argv[2]](browser, plan);
    assert.deepStrictEqual(errors, []);
    console.log(JSON.stringify(result || {}));
  } finally {
    await browser.close();
  }
}
main().catch(error => { console.error(error.stack); process.exit(1); });
