/* curve.js - what less memory costs: the sizes that `ashlar sweep` planned, each
 * as a point of bytes against modelled cycles, from row by row to layer by
 * layer. */
'use strict';

const CURVE = {width: 640, height: 230, left: 64, right: 24, top: 16, bottom: 40};

function readCurve() {
  const text = $('sweep') ? $('sweep').textContent.trim() : '';
  return text ? JSON.parse(text) : null;
}

/* The name space of pictures, of which the page's parser knows the name. */
function pictureSpace() {
  const box = document.createElement('div');
  box.innerHTML = '<svg></svg>';
  return box.firstChild.namespaceURI;
}

function curveShape(tag, attributes, text) {
  const e = document.createElementNS(pictureSpace(), tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

/* Positions in the picture: bytes from 0, cycles from those of the fastest. */
function curveScale(points) {
  const most = Math.max(...points.map(p => p.used)), least = Math.min(...points.map(p => p.cycles));
  const spread = Math.max(...points.map(p => p.cycles)) - least || 1;
  return {
    least,
    x: p => CURVE.left + (CURVE.width - CURVE.left - CURVE.right) * p.used / most,
    y: p => CURVE.height - CURVE.bottom - (CURVE.height - CURVE.top - CURVE.bottom) * (p.cycles - least) / spread,
  };
}

function curveText(p, least) {
  return both(p.used) + ', ' + count(p.cycles) + ' cycles (+' + (100 * (p.cycles - least) / least).toFixed(1) + ' %), ' +
    (p.row_operators ? count(p.row_operators) + ' operators by rows' : 'layer by layer');
}

function curvePicture(points, chosen) {
  const scale = curveScale(points), bottom = CURVE.height - CURVE.bottom;
  const svg = curveShape('svg', {viewBox: '0 0 ' + CURVE.width + ' ' + CURVE.height, role: 'img',
    'aria-label': points.map(p => curveText(p, scale.least)).join('; ')});
  svg.append(curveShape('path', {class: 'axis', d: 'M' + CURVE.left + ' ' + CURVE.top + 'V' + bottom + 'H' + (CURVE.width - CURVE.right)}),
    curveShape('path', {class: 'line', d: 'M' + points.map(p => scale.x(p) + ' ' + scale.y(p)).join('L')}));
  for (const p of points) {
    const dot = curveShape('circle', {cx: scale.x(p), cy: scale.y(p), r: p.bytes === chosen ? 6 : 4, class: p.bytes === chosen ? 'chosen' : ''});
    dot.append(curveShape('title', {}, curveText(p, scale.least)));
    svg.append(dot);
  }
  const [first, last] = [points[0], points[points.length - 1]], slowest = points.reduce((a, b) => b.cycles > a.cycles ? b : a);
  svg.append(curveShape('text', {x: scale.x(first), y: bottom + 18, 'text-anchor': 'middle'}, bytes(first.used)),
    curveShape('text', {x: scale.x(last), y: bottom + 18, 'text-anchor': 'end'}, bytes(last.used)),
    curveShape('text', {x: CURVE.left - 6, y: scale.y(slowest) + 4, 'text-anchor': 'end'}, '+' + (100 * (slowest.cycles - scale.least) / scale.least).toFixed(1) + ' %'),
    curveShape('text', {x: CURVE.left - 6, y: bottom + 4, 'text-anchor': 'end'}, '0 %'));
  return svg;
}

function fillCurve() {
  const curve = readCurve(), box = $('curve');
  if (!box) return;
  box.hidden = !curve;
  if (!curve) return;
  box.replaceChildren(element('h2', '', 'What less memory costs'), element('p', 'how', 'Each point is a plan for another size of ' + curve.memory +
    ': bytes that it uses to the right, modelled cycles above the fastest one up. The large point is the plan of this page.'),
  curvePicture(curve.points, curve.chosen));
}
