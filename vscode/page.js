/* page.js - the playground inside an editor: models and plans come as messages,
 * files that are made go back, the editor's colours are followed. Loaded before
 * playground.js. */
'use strict';

const editor = acquireVsCodeApi();

async function bytesOf(data) {
  return new Uint8Array(await new Blob([data]).arrayBuffer());
}

/* What was asked when this page was last there, or what the settings say. */
async function useSettings(message) {
  const kept = editor.getState();
  if (message.device.file) await addDevice(message.device.name, message.device.file);
  const link = new URLSearchParams(kept ? kept.asked : {target: message.device.name, more: message.options});
  if (!kept && message.device.name && !state.targets.some(d => d.name === message.device.name))
    editor.postMessage({type: 'warn', text: 'The settings name the device ' + message.device.name + ', which does not exist.'});
  fillDoor(link);
}
/* A device file of the workspace, first in the list. */
async function addDevice(name, file) {
  const done = await runApart(['targets', name, '--json'], new Map([[name, file]]));
  if (done.code !== 0) { editor.postMessage({type: 'warn', text: done.err.trim()}); return; }
  const device = {...JSON.parse(done.out), name, file};
  fillTargets([device, ...state.targets.filter(d => d.name !== name)]);
}

/* A plan file: the program judges it, the viewer shows it. */
async function showPlan({name, bytes}) {
  document.body.classList.add('plan-only');
  say('Reading ' + name + ' …', true);
  const done = await run(['check', name, '-q'], new Map([[name, bytes]]));
  complainAloud(done.err.trim(), done.code === 0);
  $('start-help').hidden = true;
  try {
    show(JSON.parse(new TextDecoder().decode(bytes)));
    say(done.code === 0 ? 'This plan was checked and is valid.' : 'This plan is not valid.');
  } catch (error) {
    $('report').hidden = true;
    $('title').textContent = name + ' is not a plan';
    say('');
    if (!done.err) complainAloud(error.message);
  }
}

const hear = {
  async model(message) {
    if (message.device) await useSettings(message);
    accept(message.name, new Map(message.files));
  },
  plan: showPlan,
  compare(message) { compareWith(message.name, new Map(message.files)); },
  fit() { askFit(); },
  gone(message) { complainAloud(message.text); },
};
/* One after the other, in the order in which they came. */
let last = Promise.resolve();
addEventListener('message', e => {
  const message = e.data;
  if (message && Object.hasOwn(hear, message.type)) last = last.then(() => hear[message.type](message));
});

function followTheme() {
  const kind = document.body.dataset.vscodeThemeKind || '';
  setTheme(/light/.test(kind) ? 'light' : /dark|high-contrast/.test(kind) ? 'dark' : '');
}

window.ashlarHost = {
  async given() {
    new MutationObserver(followTheme).observe(document.body, {attributes: true, attributeFilter: ['data-vscode-theme-kind']});
    followTheme();
    editor.postMessage({type: 'ready'});
  },
  async save(name, data) { editor.postMessage({type: 'save', name, bytes: await bytesOf(data)}); },
  remember(link) { editor.setState({asked: link.toString()}); },
  askOther() { editor.postMessage({type: 'compare'}); },
};
