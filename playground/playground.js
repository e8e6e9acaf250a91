/* playground.js - a model comes in, the ashlar program runs on it in a worker,
 * the viewer shows the plan. What the page does is what the command line it
 * shows does.
 *
 * A page inside another program (an editor) sets window.ashlarHost before:
 * save(name, data) writes a file, remember(asked) keeps what is asked, given()
 * brings the first model, askOther() asks for a model to compare with. */
'use strict';

const host = window.ashlarHost || {};

const LIMIT_MS = 120000;
const state = {module: null, model: null, other: null, targets: [], worker: null, plan: null, runs: 0};

function fromBase64(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

/* ---- running the program ------------------------------------------------- */

const workerText = runProgram.toString() + `
onmessage = e => {
  try { postMessage(runProgram(e.data.module, e.data.args, e.data.files)); }
  catch (error) { postMessage({code: 70, out: '', err: 'ashlar stopped: ' + error.message, files: new Map()}); }
};`;

/* Resolves with {code, out, err, files}; a second run ends the first. */
function run(args, files) {
  stop();
  return startWorker(args, files, worker => { state.worker = worker; }, worker => state.worker === worker && !(state.worker = null));
}
/* One that goes on beside the plan. */
function runApart(args, files) { return startWorker(args, files, () => {}, () => true); }
function startWorker(args, files, begun, isWanted) {
  return new Promise(resolve => {
    const url = URL.createObjectURL(new Blob([workerText], {type: 'text/javascript'}));
    const worker = new Worker(url);
    begun(worker);
    const end = result => {
      clearTimeout(timer);
      worker.terminate();
      URL.revokeObjectURL(url);
      if (isWanted(worker)) resolve(result);
    };
    const timer = setTimeout(() => end({code: 75, out: '', err: 'This takes longer than two minutes; the command line has more patience.', files: new Map()}), LIMIT_MS);
    worker.onmessage = e => end(e.data);
    worker.onerror = e => end({code: 70, out: '', err: 'ashlar stopped: ' + e.message, files: new Map()});
    worker.postMessage({module: state.module, args: ['ashlar', ...args], files});
  });
}
function stop() {
  if (state.worker) state.worker.terminate();
  state.worker = null;
}

/* ---- what is asked -------------------------------------------------------- */

function words(text) {
  const found = text.match(/'[^']*'|"[^"]*"|\S+/g) || [];
  return found.map(word => /^['"]/.test(word) ? word.slice(1, -1) : word);
}
function options() {
  const args = ['--target', $('target').value];
  for (const input of document.querySelectorAll('#size-list input[type=text]'))
    if (input.value.trim() && input.value.trim() !== input.dataset.size) args.push('--set', input.name + '=' + input.value.trim());
  if ($('overlap').checked) args.push('--overlap');
  return args.concat(words($('more').value));
}
function shellWord(word) { return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'"; }
function commandText(args) { return ['ashlar', ...args].map(shellWord).join(' '); }

function say(text, busy) {
  $('state').textContent = text;
  $('state').classList.toggle('busy', !!busy);
}
function complainAloud(text, isNote) {
  $('said').hidden = !text;
  $('said').textContent = text;
  $('said').classList.toggle('note', !!isNote);
}
function offer(on) { for (const id of ['save-c', 'save-json', 'save-report']) $(id).hidden = !on; }

/* ---- planning ------------------------------------------------------------- */

const EXITS = {20: 'It does not fit this device.', 65: 'This file cannot be read.', 69: 'This model cannot be planned as it is: the message says what is open or not implemented.', 64: 'An option is wrong.'};

async function plan() {
  if (!state.model || !state.module) return;
  endComparison();
  if (state.other) { await compare(); return; }
  const args = ['plan', state.model.name, ...options()], number = ++state.runs, start = performance.now();
  $('command-row').hidden = false;
  $('command').textContent = commandText(args);
  $('stop').hidden = false;
  say('Planning ' + state.model.name + ' for ' + $('target').value + ' …', true);
  const done = await run([...args, '--json', '-'], filesFor(state.model));
  if (number !== state.runs) return;
  $('stop').hidden = true;
  state.plan = done.code === 0 ? done.out : null;
  offer(done.code === 0);
  complainAloud(done.err.trim(), done.code === 0);
  $('no-fit').textContent = '';
  $('fixes').hidden = true;
  $('start-help').hidden = true;
  rememberInAddress();
  if (done.code === 20) {
    await showNoFit(args, number);
    return;
  }
  $('report').hidden = done.code !== 0;
  if (done.code !== 0) { sayNoPlan(done.code); return; }
  show(JSON.parse(done.out));
  say('Planned in ' + Math.max(1, Math.round(performance.now() - start)) + ' ms, in this page.');
}

function sayNoPlan(code) {
  $('verdict').textContent = '';
  $('title').textContent = 'No plan for “' + state.model.name + '”';
  $('subtitle').textContent = 'Device ' + $('target').value;
  document.title = state.model.name + ': no plan';
  say(EXITS[code] || 'No plan.');
}

/* ---- two models ------------------------------------------------------------ */

/* Another model, before this one; files of one name are kept apart by a folder. */
function compareWith(name, files) {
  state.other = {name: 'before/' + name, files: new Map([...files].map(([path, bytes]) => ['before/' + path, bytes]))};
  plan();
}
function endComparison() {
  if (!$('compare').children.length) return;
  $('compare').replaceChildren();
  delete $('compare').words;
  delete $('compare').maps;
}
async function compare() {
  const args = ['diff', state.other.name, state.model.name, ...options()], number = ++state.runs;
  $('command-row').hidden = false;
  $('command').textContent = commandText(args);
  $('end-compare').hidden = false;
  say('Comparing with ' + state.other.name + ' …', true);
  const done = await run([...args, '-q', '--report', 'both.html'], new Map([...state.other.files, ...filesFor(state.model)]));
  if (number !== state.runs) return;
  state.plan = null;
  offer(false);
  complainAloud(done.err.trim(), done.code === 0);
  for (const id of ['fixes', 'start-help']) $(id).hidden = true;
  $('no-fit').textContent = '';
  const page = done.files.get('both.html');
  $('report').hidden = !page;
  if (!page) { sayNoPlan(done.code); return; }
  $('report').hidden = false; /* pictures take the width that they see */
  showBoth(JSON.parse(dataIn(page, 'plan')), JSON.parse(dataIn(page, 'other')));
  say('Before: ' + state.other.name + '; after: ' + state.model.name + '.');
}
function listenToComparison() {
  $('ask-compare').addEventListener('click', () => { if (host.askOther) host.askOther(); else $('other-model').click(); });
  $('other-model').addEventListener('change', e => {
    readAll(e.target.files).then(({name, files}) => compareWith(name, files));
    e.target.value = '';
  });
  $('end-compare').addEventListener('click', () => {
    state.other = null;
    $('end-compare').hidden = true;
    plan();
  });
}

/* What a page of the program holds for its scripts; it never has "</". */
function dataIn(page, id) {
  const text = new TextDecoder().decode(page), start = '<script type="application/json" id="' + id + '">', from = text.indexOf(start) + start.length;
  return text.slice(from, text.indexOf('</script>', from));
}

/* The plan that is missing room, and what makes it fit: both are in the page that the program writes. */
async function showNoFit(args, number) {
  say(EXITS[20] + ' Looking for what would make it fit …', true);
  $('stop').hidden = false;
  const done = await run([...args, '-q', '--report', 'short.html'], filesFor(state.model));
  if (number !== state.runs) return;
  $('stop').hidden = true;
  const page = done.files.get('short.html');
  $('report').hidden = !page;
  say(EXITS[20]);
  if (!page) { $('verdict').textContent = ''; $('title').textContent = '“' + state.model.name + '” does not fit'; return; }
  complainAloud(''); /* the page says it, with what helps */
  $('no-fit').textContent = dataIn(page, 'no-fit');
  show(JSON.parse(dataIn(page, 'plan')));
}

/* A fix that the page offers: one more option. */
window.applyFix = option => {
  const more = [...words($('more').value), ...words(option)];
  $('more').value = more.map(shellWord).join(' ');
  $('more').closest('details').open = true;
  plan();
};

let waitingForMore = 0;
function planSoon() {
  clearTimeout(waitingForMore);
  waitingForMore = setTimeout(plan, 350);
}

/* Names as the command line takes them: no folders. */
async function readAll(list) {
  const given = [...list], main = given.find(file => /\.(tflite|onnx|ir)$/i.test(file.name)) || given[0];
  say('Reading ' + main.name + ' …', true);
  return {name: main.name, files: new Map(await Promise.all(given.map(file => file.arrayBuffer().then(bytes => [file.name, new Uint8Array(bytes)]))))};
}
function take(list) { if (list.length) readAll(list).then(({name, files}) => accept(name, files)); }
/* A model's files and those of devices that somebody brought. */
function filesFor(model) { return new Map([...model.files, ...state.targets.flatMap(d => d.file ? [[d.name, d.file]] : [])]); }
function accept(name, files) {
  state.model = {name, files};
  $('model-name').textContent = name;
  $('model-facts').textContent = count(files.get(name).length) + ' bytes, read in this page.' + (host.save ? '' : ' Drop another at any time.');
  plan();
}

/* ---- the device ----------------------------------------------------------- */

function showDevice() {
  const device = state.targets.find(d => d.name === $('target').value);
  if (!device) return;
  const has = Object.entries(device.features).filter(([, on]) => on === true).map(([name]) => name.toUpperCase());
  $('device-facts').textContent = [device.cpu + (has.length ? ' with ' + has.join(', ') : ''), device.mhz ? 'up to ' + device.mhz + ' MHz' : '',
    device.memories.map(m => m.name + ' ' + rough(m.bytes)).join(', ')].filter(Boolean).join('; ');
  $('size-list').replaceChildren(...device.memories.map(m => {
    const label = document.createElement('label'), input = document.createElement('input'), slider = document.createElement('input');
    slider.type = 'range'; /* a sixty-fourth of the size to four times it, in equal factors */
    Object.assign(slider, {min: -48, max: 16, step: 1, value: 0});
    slider.setAttribute('aria-label', 'Size of ' + m.name);
    slider.addEventListener('input', () => {
      const exact = m.bytes * 2 ** (slider.value / 8), unit = exact >= 4096 ? 1024 : 16;
      input.value = Number(slider.value) === 0 ? input.dataset.size : sizeText(Math.max(unit, Math.round(exact / unit) * unit));
      input.dispatchEvent(new CustomEvent('input', {detail: 'slider'}));
    });
    input.type = 'text';
    input.name = m.name;
    input.value = input.dataset.size = sizeText(m.bytes);
    input.setAttribute('aria-label', 'Bytes of ' + m.name);
    const mark = () => input.classList.toggle('changed', input.value.trim() !== input.dataset.size);
    input.addEventListener('input', event => {
      const bytes = sizeBytes(input.value);
      if (event.detail !== 'slider' && bytes) slider.value = 8 * Math.log2(bytes / m.bytes);
      mark();
      planSoon();
    });
    input.addEventListener('change', mark);
    label.append(element('span', '', m.name), input, slider);
    return label;
  }));
}
/* 0: no size. */
function sizeBytes(text) {
  const found = /^\s*(\d+)([KMG]?)\s*$/i.exec(text);
  return found ? found[1] * 1024 ** ['', 'K', 'M', 'G'].indexOf(found[2].toUpperCase()) : 0;
}
function sizeText(bytes) {
  for (const [unit, factor] of [['G', 1 << 30], ['M', 1 << 20], ['K', 1 << 10]])
    if (bytes >= factor && bytes % factor === 0) return bytes / factor + unit;
  return String(bytes);
}
function fillTargets(list) {
  state.targets = list;
  $('target').replaceChildren(...list.map(d => {
    const option = document.createElement('option');
    option.value = d.name;
    option.textContent = d.name + (d.description ? ' — ' + d.description : '');
    return option;
  }));
  const wish = new URLSearchParams(location.search).get('target') || 'apollo510';
  if (list.some(d => d.name === wish)) $('target').value = wish;
  showDevice();
}

/* ---- files out ------------------------------------------------------------ */

function save(name, data, type) {
  if (host.save) { host.save(name, data); return; }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const crcTable = Array.from({length: 256}, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ n >>> 1 : n >>> 1;
  return n >>> 0;
});
function crc32(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = crcTable[(c ^ b) & 255] ^ c >>> 8;
  return (c ^ 0xffffffff) >>> 0;
}
/* A ZIP file whose members are stored as they are. */
function zip(files) {
  const parts = [], central = [], encoder = new TextEncoder();
  let at = 0;
  for (const [path, bytes] of [...files].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
    const name = encoder.encode(path), head = new DataView(new ArrayBuffer(30)), entry = new DataView(new ArrayBuffer(46));
    const common = (v, o) => {
      v.setUint16(o, 20, true);
      v.setUint16(o + 2, 0x800, true);
      v.setUint16(o + 8, 0x21, true); /* 1 January 1980 */
      v.setUint32(o + 10, crc32(bytes), true);
      v.setUint32(o + 14, bytes.length, true);
      v.setUint32(o + 18, bytes.length, true);
      v.setUint16(o + 22, name.length, true);
    };
    head.setUint32(0, 0x04034b50, true);
    common(head, 4);
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint16(4, 20, true);
    common(entry, 6);
    entry.setUint32(42, at, true);
    parts.push(head.buffer, name, bytes);
    central.push(entry.buffer, name);
    at += 30 + name.length + bytes.length;
  }
  const end = new DataView(new ArrayBuffer(22)), size = central.reduce((sum, part) => sum + part.byteLength, 0);
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.size, true);
  end.setUint16(10, files.size, true);
  end.setUint32(12, size, true);
  end.setUint32(16, at, true);
  return new Blob([...parts, ...central, end.buffer], {type: 'application/zip'});
}

async function saveModule() {
  const stem = state.model.name.replace(/\.[^.]*$/, '');
  say('Writing the C …', true);
  const done = await run(['compile', state.model.name, ...options(), '-o', 'out', '-q'], filesFor(state.model));
  complainAloud(done.err.trim(), done.code === 0);
  say(done.code === 0 ? count(done.files.size) + ' files of C.' : EXITS[done.code] || 'No C.');
  if (done.code === 0) save(stem + '.zip', zip(new Map([...done.files].map(([name, bytes]) => [name.replace(/^out\//, stem + '/'), bytes]))), 'application/zip');
}
async function saveReport() {
  const stem = state.model.name.replace(/\.[^.]*$/, '');
  const done = await run(['plan', state.model.name, ...options(), '-q', '--report', 'report.html'], filesFor(state.model));
  if (done.code === 0) save(stem + '.html', done.files.get('report.html'), 'text/html');
}

/* ---- start ---------------------------------------------------------------- */

function listenToDoor() {
  $('model').addEventListener('change', e => take(e.target.files));
  document.addEventListener('dragover', e => { e.preventDefault(); document.body.classList.add('over'); });
  document.addEventListener('dragleave', e => { if (!e.relatedTarget) document.body.classList.remove('over'); });
  document.addEventListener('drop', e => {
    e.preventDefault();
    document.body.classList.remove('over');
    take(e.dataTransfer.files);
  });
  $('example').addEventListener('click', () => accept('digits.tflite', new Map([['digits.tflite', fromBase64(EXAMPLE_MODEL)]])));
  $('target').addEventListener('change', () => { showDevice(); plan(); });
  $('overlap').addEventListener('change', plan);
  $('more').addEventListener('change', plan);
  $('share').addEventListener('click', copyLink);
  $('ask-fit').addEventListener('click', askFit);
  $('copy').addEventListener('click', () => navigator.clipboard?.writeText($('command').textContent));
  $('stop').addEventListener('click', () => { stop(); state.runs++; $('stop').hidden = true; say('Stopped.'); });
  $('save-json').addEventListener('click', () => save(state.model.name.replace(/\.[^.]*$/, '') + '.plan.json', state.plan, 'application/json'));
  $('save-c').addEventListener('click', saveModule);
  $('save-report').addEventListener('click', saveReport);
  listenToComparison();
}

/* A plan that came in a link: shown, until a model is brought. */
function showGiven(json) {
  try { show(json); } catch (error) { complainAloud('The plan in this link cannot be shown: ' + error.message); return; }
  state.plan = JSON.stringify(json);
  $('start-help').hidden = true;
  $('command-row').hidden = false;
  $('command').textContent = commandText(['plan', new URLSearchParams(location.hash.slice(1)).get('model') || 'MODEL', ...options()]);
  say('This plan came with the link. Bring the model to change it.');
}

async function start() {
  listenToDoor();
  say('Starting …', true);
  try {
    state.module = await WebAssembly.compile(fromBase64(ASHLAR_WASM));
    const done = await run(['targets', '--json'], new Map());
    fillTargets(JSON.parse(done.out));
    say('');
    if (host.given) { await host.given(); return; }
    const given = await fromAddress();
    if (given === 'example') $('example').click();
    else if (given) showGiven(given);
    else plan();
  } catch (error) {
    say('');
    complainAloud('This browser cannot run the program: ' + error.message);
  }
}
start();
