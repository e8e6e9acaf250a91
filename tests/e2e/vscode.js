/* vscode.js TEST - one test of the editor's extension; called by the script
 * `vscode` beside it. The extension runs here, with a stand-in of the module
 * `vscode`; its page in Chromium, which talks to it. Environment: EXTENSION,
 * MODEL, OTHER, OUT. The last line is JSON. */
'use strict';
const assert = require('assert');
const fs = require('fs');
const Module = require('module');
const path = require('path');
const {pathToFileURL} = require('url');
const {chromium} = require(process.env.PLAYWRIGHT);

const errors = [], said = [], commands = new Map(), watchers = [], saved = [];
let provider = null, settings = {}, opened = null, toOpen = null;

/* ---- what the extension sees of an editor ---------------------------------- */

class Uri {
  constructor(file) { this.fsPath = file; this.path = file; this.scheme = 'file'; }
  toString() { return pathToFileURL(this.fsPath).href; }
  static file(file) { return new Uri(file); }
  static joinPath(uri, ...parts) { return new Uri(path.join(uri.fsPath, ...parts)); }
}
const nothing = {dispose() {}};
function watcher(pattern) {
  const made = {pattern, changed: [], onDidChange(f) { made.changed.push(f); return nothing; }, onDidCreate: () => nothing, dispose() { made.isGone = true; }};
  watchers.push(made);
  return made;
}
const vscode = {
  Uri,
  FileType: {Unknown: 0, File: 1, Directory: 2},
  RelativePattern: class { constructor(base, pattern) { this.base = base; this.pattern = pattern; } },
  workspace: {
    fs: {
      async readFile(uri) { return new Uint8Array(fs.readFileSync(uri.fsPath)); },
      async writeFile(uri, bytes) { fs.mkdirSync(path.dirname(uri.fsPath), {recursive: true}); fs.writeFileSync(uri.fsPath, bytes); },
      async stat(uri) { return {size: fs.statSync(uri.fsPath).size}; },
      async readDirectory(uri) { return fs.readdirSync(uri.fsPath, {withFileTypes: true}).map(e => [e.name, e.isDirectory() ? 2 : 1]); },
    },
    getConfiguration(section) { assert.strictEqual(section, 'ashlar'); return {get: name => settings[name]}; },
    getWorkspaceFolder: uri => ({uri: new Uri(path.dirname(uri.fsPath))}),
    createFileSystemWatcher: watcher,
  },
  window: {
    tabGroups: {activeTabGroup: {activeTab: null}},
    registerCustomEditorProvider(type, made) { provider = made; return nothing; },
    async showSaveDialog({defaultUri}) { const to = new Uri(path.join(process.env.OUT, 'saved', path.basename(defaultUri.fsPath))); saved.push(to.fsPath); return to; },
    async showOpenDialog() { return toOpen ? [new Uri(toOpen)] : undefined; },
    async showErrorMessage(text) { said.push(text); },
    async showWarningMessage(text) { said.push(text); },
    async showInformationMessage(text) { said.push(text); },
  },
  commands: {
    registerCommand(name, action) { commands.set(name, action); return nothing; },
    async executeCommand(name, uri, type) { assert.strictEqual(name, 'vscode.openWith'); await open(uri.fsPath, type); },
  },
};
const load = Module._load;
Module._load = (name, ...more) => name === 'vscode' ? vscode : load(name, ...more);

/* ---- the page -------------------------------------------------------------- */

let browser = null;
const plain = value => value instanceof Uint8Array ? {bytes64: Buffer.from(value).toString('base64')}
  : Array.isArray(value) ? value.map(plain) : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)])) : value;
const bytesAgain = value => value && typeof value === 'object' ? 'bytes64' in value ? new Uint8Array(Buffer.from(value.bytes64, 'base64'))
  : Object.fromEntries(Object.entries(value).map(([k, v]) => [k, bytesAgain(v)])) : value;

/* Opens a file as the editor would; returns the page. */
async function open(file, type) {
  if (opened && opened.file === file) return opened.page;
  const page = await browser.newPage({viewport: {width: 1280, height: 900}});
  page.on('pageerror', error => errors.push(error.message));
  page.on('console', message => { if (message.type() === 'error') errors.push(message.text()); });
  page.on('request', request => { if (!/^(file|blob|data):/.test(request.url())) errors.push('asked for ' + request.url()); });
  const ends = [];
  let hear = () => {};
  const panel = {
    active: true,
    onDidDispose(f) { ends.push(f); return nothing; },
    webview: {
      cspSource: 'file:', options: {}, html: '', sent: [],
      asWebviewUri: uri => uri.toString(),
      onDidReceiveMessage(f) { hear = f; return nothing; },
      async postMessage(message) {
        panel.webview.sent.push(message);
        return page.evaluate(text => {
          const back = v => v && typeof v === 'object' ? typeof v.bytes64 === 'string' ? Uint8Array.from(atob(v.bytes64), c => c.charCodeAt(0))
            : Array.isArray(v) ? v.map(back) : Object.fromEntries(Object.entries(v).map(([k, x]) => [k, back(x)])) : v;
          dispatchEvent(new MessageEvent('message', {data: back(JSON.parse(text))}));
        }, JSON.stringify(plain(message)));
      },
    },
  };
  await page.exposeFunction('toExtension', text => hear(bytesAgain(JSON.parse(text))));
  await page.addInitScript(() => {
    let kept;
    window.acquireVsCodeApi = () => ({
      getState: () => kept, setState: value => { kept = value; window.kept = value; },
      postMessage(message) {
        const text = m => m instanceof Uint8Array ? {bytes64: btoa(Array.from(m, b => String.fromCharCode(b)).join(''))} : m;
        window.toExtension(JSON.stringify(Object.fromEntries(Object.entries(message).map(([k, v]) => [k, text(v)]))));
      },
    });
    document.addEventListener('DOMContentLoaded', () => { document.body.dataset.vscodeThemeKind = 'vscode-dark'; });
  });
  opened = {file, page, panel, type, close() { ends.forEach(f => f()); }};
  await provider.resolveCustomEditor(provider.openCustomDocument(new Uri(file)), panel);
  assert.deepStrictEqual(panel.webview.options.localResourceRoots.map(String), [String(new Uri(path.join(process.env.EXTENSION, 'media')))]);
  assert(/default-src 'none'/.test(panel.webview.html) && !/unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')/.test(panel.webview.html), 'the policy is not strict');
  const shown = path.join(process.env.OUT, 'page-' + path.basename(file) + '.html');
  fs.writeFileSync(shown, panel.webview.html);
  await page.goto(pathToFileURL(shown).href);
  await page.waitForFunction(() => state.targets.length > 1);
  return page;
}
async function settled(page) {
  await page.waitForFunction(() => !document.getElementById('state').classList.contains('busy') && !state.worker, null, {timeout: 120000});
}
async function planned(page) {
  await page.waitForFunction(() => state.plan, null, {timeout: 60000});
  await settled(page);
}
async function until(condition, what) {
  for (let k = 0; k < 300; k++) { if (condition()) return; await new Promise(done => setTimeout(done, 100)); }
  assert.fail('waited in vain: ' + what);
}

/* ---- tests ----------------------------------------------------------------- */

const tests = {
  async model() {
    settings = {device: 'stm32f446re', options: '--order rows'};
    const page = await open(process.env.MODEL, 'ashlar.model');
    await planned(page);
    const plan = await page.evaluate(() => JSON.parse(state.plan));
    assert((await page.textContent('#foot')).includes(plan.plan_hash));
    assert(await page.isVisible('#maps canvas'));
    assert.strictEqual(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    assert(await page.isHidden('label[for=model]') && await page.isHidden('#share') && await page.isHidden('#theme'));
    await page.screenshot({path: path.join(process.env.OUT, 'model.png')});
    await page.click('#save-c');
    await until(() => saved.length && fs.existsSync(saved[0]), 'the C');
    await settled(page);
    /* Another device: kept for the time when the page is made again. */
    await page.selectOption('#target', 'rp2040');
    await page.waitForFunction(() => state.plan && JSON.parse(state.plan).target === 'rp2040');
    assert((await page.evaluate(() => window.kept.asked)).includes('target=rp2040'));
    /* The file changes: it is planned again, for the device that is chosen. */
    fs.copyFileSync(process.env.MODEL, process.env.MODEL + '.kept');
    fs.writeFileSync(process.env.MODEL, fs.readFileSync(process.env.MODEL).subarray(0, 999));
    watchers[0].changed[0]();
    await page.waitForFunction(() => !$('said').hidden && /ASH\d{4}/.test($('said').textContent));
    await settled(page);
    fs.renameSync(process.env.MODEL + '.kept', process.env.MODEL);
    watchers[0].changed[0]();
    await page.waitForFunction(() => state.plan && JSON.parse(state.plan).target === 'rp2040');
    opened.close();
    assert(watchers[0].isGone && provider.editors.size === 0);
    return {plan};
  },

  async device_file() {
    settings = {device: 'mine.yaml', options: ''};
    const page = await open(process.env.MODEL, 'ashlar.model');
    await planned(page);
    const plan = await page.evaluate(() => JSON.parse(state.plan));
    assert.strictEqual(await page.inputValue('#target'), 'mine.yaml');
    return {target: plan.target, hash: plan.plan_hash};
  },

  async plan() {
    const page = await open(process.env.MODEL, 'ashlar.plan');
    await page.waitForFunction(() => $('state').textContent.includes('is valid'));
    assert(await page.isVisible('#maps canvas') && await page.isHidden('#ask'));
    const shown = (await page.textContent('#foot')).match(/Plan ([0-9a-f]{16})/)[1];
    const made = JSON.parse(fs.readFileSync(process.env.MODEL));
    made.arenas[0].size += 64;
    fs.writeFileSync(process.env.MODEL, JSON.stringify(made));
    watchers[0].changed[0]();
    await page.waitForFunction(() => $('state').textContent.includes('is not valid'));
    assert(/ASH\d{4}/.test(await page.textContent('#said')));
    fs.writeFileSync(process.env.MODEL, '{"name": "no plan"}');
    watchers[0].changed[0]();
    await page.waitForFunction(() => $('title').textContent.includes('not a plan'));
    assert(await page.isHidden('#report'));
    return {shown};
  },

  async commands() {
    settings = {device: 'nobody', options: ''};
    opened = null;
    await commands.get('ashlar.fit')();
    assert(said.pop().includes('open a .tflite'));
    await commands.get('ashlar.fit')(new Uri(process.env.MODEL));
    const page = opened.page;
    await page.waitForFunction(() => $('fit-state').textContent.includes('devices fit'), null, {timeout: 110000});
    assert(said.pop().includes('the device nobody'), 'the settings are not doubted');
    const fits = await page.$$eval('#fit-list li.fits', all => all.length);
    toOpen = null;
    await commands.get('ashlar.compare')();
    toOpen = process.env.OTHER;
    await page.selectOption('#target', 'apollo510');
    await settled(page);
    await commands.get('ashlar.compare')();
    await page.waitForSelector('#compare table');
    await settled(page);
    assert.strictEqual(await page.textContent('#command'), "ashlar diff 'before/other model.tflite' digits.tflite --target apollo510");
    assert((await page.textContent('#compare')).includes('The interface is the same'));
    await page.click('#device details summary');
    await page.fill('#more', '--planner naive');
    await page.press('#more', 'Enter');
    await page.waitForFunction(() => $('command').textContent.includes('naive'));
    await settled(page);
    assert(await page.isVisible('#compare table'), 'the comparison does not follow');
    await page.screenshot({path: path.join(process.env.OUT, 'compare.png'), fullPage: true});
    await page.click('#end-compare');
    await planned(page);
    assert.strictEqual(await page.locator('#compare table').count(), 0);
    assert((await page.textContent('#title')).startsWith('Where the memory'));
    return {fits};
  },

  async files_beside() {
    settings = {device: 'host', options: ''};
    const page = await open(process.env.MODEL, 'ashlar.model');
    await planned(page);
    return page.evaluate(() => ({files: [...state.model.files.keys()], hash: JSON.parse(state.plan).plan_hash}));
  },
};

async function main() {
  browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});
  try {
    const context = {extensionUri: new Uri(process.env.EXTENSION), subscriptions: []};
    require(path.join(process.env.EXTENSION, 'extension.js')).activate(context);
    assert.strictEqual(context.subscriptions.length, 5);
    const result = await tests[process.argv[2]]();
    assert.deepStrictEqual(errors, []);
    console.log(JSON.stringify(result || {}));
  } finally {
    await browser.close();
  }
}
main().catch(error => { console.error(error.stack, errors); process.exit(1); });
