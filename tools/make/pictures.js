/* pictures.js - called by the script `pictures` beside it: every page of PAGES,
 * and the playground, wide and narrow, light and dark, into the folder OUT. */
'use strict';
const fs = require('fs');
const path = require('path');
const {chromium} = require(process.env.PLAYWRIGHT);

const LOOKS = [['', 1280, 'light'], ['-dark', 1280, 'dark'], ['-phone', 390, 'light'], ['-phone-dark', 390, 'dark']];

async function openPage(browser, file, width, colorScheme) {
  const page = await browser.newPage({viewport: {width, height: width < 800 ? 844 : 960}, colorScheme, reducedMotion: 'reduce'});
  await page.goto('file://' + file);
  return page;
}

async function shoot(page, name) {
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({path: path.join(process.env.OUT, name + '.png')});
  await page.close();
}

async function scrollTo(page, what) {
  if (what) await page.$eval(what, e => scrollTo(0, e.getBoundingClientRect().top + scrollY - 12));
}

/* The door with the example, a memory made smaller, and the grid of devices. */
async function playground(browser, suffix, width, scheme) {
  const ready = () => page.waitForFunction(() => !state.worker && !document.getElementById('state').classList.contains('busy'), null, {timeout: 120000});
  let page = await openPage(browser, process.env.PLAYGROUND + '?target=stm32f446re', width, scheme);
  await page.click('#example');
  await ready();
  await page.fill('#size-list input[name=SRAM]', '9728');
  await page.waitForFunction(() => state.plan && JSON.parse(state.plan).runs, null, {timeout: 60000});
  await ready();
  await shoot(page, 'what-if' + suffix);
  page = await openPage(browser, process.env.PLAYGROUND, width, scheme);
  await page.setInputFiles('#model', process.env.LARGER);
  await ready();
  await page.click('#ask-fit');
  await page.waitForFunction(() => document.getElementById('fit-state').textContent.includes('devices fit'), null, {timeout: 120000});
  await scrollTo(page, '#fit-grid');
  await shoot(page, 'fit' + suffix);
}

async function main() {
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});
  let count = 0;
  for (const [suffix, width, scheme] of LOOKS) {
    for (const [name, file, click, scroll] of JSON.parse(process.env.PAGES)) {
      const page = await openPage(browser, file, width, scheme);
      if (click) await page.click(click);
      await scrollTo(page, scroll);
      await shoot(page, name + suffix);
      count++;
    }
    if (fs.existsSync(process.env.PLAYGROUND)) { await playground(browser, suffix, width, scheme); count += 2; }
  }
  await browser.close();
  console.log(process.env.OUT + ': ' + count + ' pictures');
}
main().catch(error => { console.error(error.stack); process.exit(1); });
