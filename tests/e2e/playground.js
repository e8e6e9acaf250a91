/* playground.js TEST - one test of the playground in headless Chromium; called
 * by the script `playground` beside it. Environment: CHROMIUM, SITE (the
 * folder), MODEL, TARGET, OUT (a folder for files). The last line is JSON. */
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {chromium} = require(process.env.PLAYWRIGHT);

const errors = [];

async function openPage(browser, options) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
  page.on('pageerror', error => errors.push(error.message));
  page.on('console', message => { if (message.type() === 'error') errors.push(message.text()); });
  page.on('request', request => { if (!/^(file|blob):/.test(request.url())) errors.push('asked for ' + request.url()); });
  await page.goto('file://' + process.env.SITE + '/index.html?target=' + process.env.TARGET);
  await page.waitForSelector('#target option', {state: 'attached'});
  return page;
}

/* Until the page is at rest. */
async function settled(page) {
  await page.waitForFunction(() => !document.getElementById('state').classList.contains('busy') && !state.worker, null, {timeout: 120000});
}
async function give(page) {
  await page.setInputFiles('#model', process.env.MODEL);
  await settled(page);
}

const tests = {
  async plan(browser) {
    const page = await openPage(browser);
    await give(page);
    await page.waitForSelector('#maps canvas');
    const foot = await page.textContent('#foot');
    return {plan: await page.evaluate(() => JSON.parse(state.plan)), shown: foot.match(/Plan ([0-9a-f]{16})/)[1]};
  },

  async what_if(browser) {
    const page = await openPage(browser);
    await page.click('#example');
    await settled(page);
    const before = await page.evaluate(() => JSON.parse(state.plan).arenas);
    await page.fill('#size-list input[name=DTCM]', '1');
    await page.waitForSelector('#said:not([hidden])');
    await settled(page);
    await page.waitForFunction(() => document.getElementById('command').textContent.includes('--set DTCM=1'));
    assert(/ASH\d{4}/.test(await page.textContent('#said')), await page.textContent('#said'));
    assert.strictEqual(await page.$eval('#size-list label:has(input[name=DTCM]) input[type=range]', e => e.value === e.min), true, 'the slider does not follow');
    await page.fill('#size-list input[name=DTCM]', '512K');
    await page.waitForSelector('#report:not([hidden])');
    await settled(page);
    assert.deepStrictEqual(await page.evaluate(() => JSON.parse(state.plan).arenas), before);
    await page.click('#device details summary');
    await page.fill('#more', '--planner naive');
    await page.press('#more', 'Enter');
    await page.waitForFunction(() => state.plan && JSON.parse(state.plan).planner === 'naive');
    await settled(page);
    assert.strictEqual(await page.textContent('#command'), 'ashlar plan digits.tflite --target apollo510 --planner naive');
    await page.fill('#more', '');
    await page.press('#more', 'Enter');
    await page.selectOption('#target', 'stm32f446re');
    await page.waitForFunction(() => state.plan && JSON.parse(state.plan).target === 'stm32f446re');
    await settled(page);
    assert((await page.textContent('#device-facts')).includes('cortex-m4'));
  },

  /* A plan without room is drawn, and a button applies what helps. */
  async no_fit(browser) {
    const page = await openPage(browser);
    await give(page);
    await page.waitForFunction(() => $('no-fit').textContent, null, {timeout: 100000});
    await settled(page);
    assert.strictEqual(await page.textContent('#verdict'), 'does not fit');
    assert(await page.isVisible('#maps canvas'), 'no picture');
    assert(await page.isHidden('#said'), 'the page says it twice');
    assert((await page.textContent('#headline')).includes('short'));
    await page.screenshot({path: path.join(process.env.OUT, 'no-fit.png'), fullPage: true});
    await page.click('#fixes .apply');
    await page.waitForFunction(() => state.plan, null, {timeout: 60000});
    await settled(page);
    assert(await page.isHidden('#fixes'), 'fixes for a plan that fits');
    assert.notStrictEqual(await page.textContent('#verdict'), 'does not fit');
    await page.fill('#more', '--planner nobody');
    await page.press('#more', 'Enter');
    await page.waitForFunction(() => $('title').textContent.startsWith('No plan'));
  },

  /* The slider of a memory plans again; all memories have one. */
  async slider(browser) {
    const page = await openPage(browser);
    await page.click('#example');
    await settled(page);
    const names = await page.$$eval('#size-list input[type=text]', all => all.map(e => e.name));
    assert.deepStrictEqual(names, await page.evaluate(() => state.targets.find(d => d.name === $('target').value).memories.map(m => m.name)));
    await page.focus('#size-list label:first-child input[type=range]');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(name => $('command').textContent.includes('--set ' + name + '='), names[0]);
    await settled(page);
    const size = await page.inputValue('#size-list label:first-child input[type=text]');
    assert((await page.textContent('#command')).includes('--set ' + names[0] + '=' + size));
    assert((await page.evaluate(() => location.hash)).includes('set=' + names[0] + '%3D' + size), 'the address does not follow');
  },

  /* One card for each device, with the numbers of the command line. */
  async fit(browser) {
    const page = await openPage(browser);
    await page.click('#example');
    await settled(page);
    await page.click('#ask-fit');
    await page.waitForFunction(() => $('fit-state').textContent.includes('devices fit'), null, {timeout: 110000});
    const cards = await page.$$eval('#fit-list li', all => all.map(e => ({device: e.querySelector('b').textContent, fits: e.className === 'fits'})));
    await page.screenshot({path: path.join(process.env.OUT, 'fit.png'), fullPage: true});
    await page.click('#fit-list button:has-text("rp2040")');
    await page.waitForFunction(() => state.plan && JSON.parse(state.plan).target === 'rp2040');
    return {cards};
  },

  /* Another model beside this one, and away again. */
  async compare(browser) {
    const page = await openPage(browser);
    await page.click('#example');
    await settled(page);
    await page.setInputFiles('#other-model', process.env.MODEL);
    await page.waitForSelector('#compare table');
    await settled(page);
    const rows = await page.$$eval('#compare table:first-of-type tbody tr', all => all.map(r => [...r.cells].map(c => c.textContent)));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(wide <= 0, 'the comparison is ' + wide + ' pixels too wide');
    await page.click('#end-compare');
    await page.waitForFunction(() => state.plan);
    await settled(page);
    assert(!await page.locator('#compare *').count() && await page.isHidden('#end-compare'));
    return {rows, command: await page.textContent('#command')};
  },

  /* A link opens with device, sizes, options and the plan. */
  async share(browser) {
    const page = await openPage(browser);
    await page.click('#example');
    await settled(page);
    await page.fill('#size-list input[name=DTCM]', '64K');
    await page.waitForFunction(() => $('command').textContent.includes('DTCM=64K') && state.plan);
    await settled(page);
    const link = await page.evaluate(() => shareLink()), hash = await page.evaluate(() => JSON.parse(state.plan).plan_hash);
    assert(link.includes('&plan='), 'a small plan is not in the link');
    const other = await browser.newPage();
    other.on('pageerror', error => errors.push(error.message));
    await other.goto(link);
    await other.waitForSelector('#maps canvas');
    assert((await other.textContent('#foot')).includes(hash));
    assert.strictEqual(await other.inputValue('#size-list input[name=DTCM]'), '64K');
    const broken = await browser.newPage();
    await broken.goto(link.replace(/plan=.{9}/, 'plan=AAAAAAAAA'));
    await broken.waitForSelector('#said:not([hidden])');
    assert((await broken.textContent('#said')).includes('link'));
  },

  /* axe-core has nothing to say, wide and narrow: the door, a plan, one without room. */
  async audit(browser) {
    const rules = fs.readFileSync(process.env.AXE, 'utf8'), found = new Set();
    for (const [colorScheme, width] of [['light', 1280], ['dark', 390]]) {
      const page = await openPage(browser, {colorScheme, viewport: {width, height: 844}, reducedMotion: 'reduce'});
      const ask = async where => {
        await page.evaluate(rules);
        for (const v of (await page.evaluate(() => axe.run({preload: false}))).violations) found.add(where + ': ' + v.id + ': ' + v.nodes[0].html.slice(0, 120));
      };
      await ask('door');
      await page.click('#example');
      await settled(page);
      await ask('plan');
      await page.fill('#size-list input[name=SRAM]', '8704');
      await page.waitForFunction(() => $('no-fit').textContent, null, {timeout: 60000});
      await settled(page);
      await ask('no room');
      await page.close();
    }
    assert.deepStrictEqual([...found], []);
  },

  async broken(browser) {
    const page = await openPage(browser);
    await give(page);
    assert(/ASH\d{4}/.test(await page.textContent('#said')));
    assert(await page.isHidden('#report'));
    await page.click('#example');
    await settled(page);
    await page.waitForSelector('#maps canvas');
    assert(await page.isHidden('#said') || !/error/.test(await page.textContent('#said')));
  },

  async module(browser) {
    const page = await openPage(browser);
    await give(page);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#save-c')]);
    await file.saveAs(path.join(process.env.OUT, file.suggestedFilename()));
    await settled(page);
    const [report] = await Promise.all([page.waitForEvent('download'), page.click('#save-report')]);
    await report.saveAs(path.join(process.env.OUT, report.suggestedFilename()));
    const other = await browser.newPage();
    await other.goto('file://' + path.join(process.env.OUT, report.suggestedFilename()));
    await other.waitForSelector('#maps canvas');
  },

  async looks(browser) {
    for (const [name, options] of [['light', {}], ['dark', {colorScheme: 'dark'}], ['telephone', {viewport: {width: 390, height: 844}, deviceScaleFactor: 2}]]) {
      const page = await openPage(browser, options);
      await give(page);
      const picture = await page.screenshot({path: path.join(process.env.OUT, name + '.png'), fullPage: true});
      assert(picture.length > 20000, name + ' is nearly empty');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert(wide <= 0, name + ' is ' + wide + ' pixels too wide');
      await page.close();
    }
  },
};

async function main() {
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});
  try {
    const result = await tests[process.argv[2]](browser);
    assert.deepStrictEqual(errors, []);
    console.log(JSON.stringify(result || {}));
  } finally {
    await browser.close();
  }
}
main().catch(error => { console.error(error.stack); process.exit(1); });
