/* share.js - links that hold what is asked: device, sizes, options and, where
 * it is small, the plan itself, all behind the # that browsers keep to
 * themselves. */
'use strict';

const PLAN_IN_LINK = 12000; /* characters; longer links are cut by chat programs */

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
function toLink(bytes) {
  let raw = '';
  for (const b of bytes) raw += String.fromCharCode(b);
  return btoa(raw).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
function fromLink(text) { return fromBase64(text.replace(/-/g, '+').replace(/_/g, '/')); }

/* What is asked, as a fragment. */
function asked() {
  const link = new URLSearchParams();
  link.set('target', $('target').value);
  if (state.model) link.set('model', state.model.name);
  for (const input of document.querySelectorAll('#size-list input[type=text]'))
    if (input.value.trim() && input.value.trim() !== input.dataset.size) link.append('set', input.name + '=' + input.value.trim());
  if ($('overlap').checked) link.set('overlap', '1');
  if ($('more').value.trim()) link.set('more', $('more').value.trim());
  return link;
}
function rememberInAddress() {
  if (window.ashlarHost) { window.ashlarHost.remember(asked()); return; }
  history.replaceState(null, '', location.pathname + location.search + '#' + asked());
}

async function shareLink() {
  const link = asked();
  if (state.plan) {
    const packed = toLink(await through(new TextEncoder().encode(JSON.stringify(JSON.parse(state.plan))), new CompressionStream('deflate-raw')));
    if (packed.length <= PLAN_IN_LINK) link.set('plan', packed);
  }
  return location.href.split('#')[0] + '#' + link;
}
async function copyLink() {
  const link = await shareLink();
  history.replaceState(null, '', link);
  const said = link.includes('&plan=') ? 'The link holds the plan.' : 'The link holds device, sizes and options; whoever opens it brings the model.';
  navigator.clipboard?.writeText(link).then(() => say('Copied. ' + said), () => say('The link is in the address bar. ' + said));
}

/* Fills the door from the fragment; returns the plan that it holds, or null. */
async function fromAddress() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (!link.has('target')) return null;
  fillDoor(link);
  if (!link.has('plan')) return link.get('model') === 'digits.tflite' ? 'example' : null;
  try { return JSON.parse(new TextDecoder().decode(await through(fromLink(link.get('plan')), new DecompressionStream('deflate-raw')))); }
  catch (error) { complainAloud('The plan in this link cannot be read: ' + error.message); return null; }
}

/* Device, sizes and options, as asked() wrote them. */
function fillDoor(link) {
  if (state.targets.some(d => d.name === link.get('target'))) { $('target').value = link.get('target'); showDevice(); }
  for (const pair of link.getAll('set')) {
    const [name, size] = pair.split('='), input = document.querySelector('#size-list input[type=text][name="' + CSS.escape(name) + '"]');
    if (input && size) { input.value = size; input.dispatchEvent(new Event('change')); }
  }
  $('overlap').checked = link.get('overlap') === '1';
  $('more').value = link.get('more') || '';
}
