/* graph.js - the network as a graph: a layered layout (longest path, then
 * barycentres) on a canvas, with the habits of Netron: drag pans, the wheel
 * zooms, a click shows the properties. Only what is in sight is drawn. */
'use strict';

const NODE_H = 44, GAP_X = 28, GAP_Y = 40;

/* Colour of a node by what its operator does; white text stands on it. */
const GRAPH_COLOURS = [
  [/conv|fully_connected|matmul|recurrence|lstm|gru/, '#33558c'],
  [/pool|reduce|cumsum/, '#2f6b3f'],
  [/softmax|relu|logistic|tanh|map|chain/, '#8c3434'],
  [/concat|split|strided|reshape|pad|gather|scatter|resize|copy/, '#6b4a86'],
  [/^(input|output)$/, '#5a6270'],
];
function graphColour(kind) { return (GRAPH_COLOURS.find(([want]) => want.test(kind)) || [0, '#4a5564'])[1]; }

/* {nodes: [{id, kind, step, outputs, in: [node], out: [node]}], edges: [{from, to, tensor}]}; steps of one
 * operator in an order of rows are one node. */
function graphOf(plan) {
  const nodes = [], edges = [], makerOf = new Map(), json = plan.json;
  const whole = json.whole || json.tensors, byId = new Map(whole.map((t, i) => [t.id, i]));
  const add = (kind, id, step) => { const node = {k: nodes.length, kind, id, step, ins: [], outs: [], tensors: []}; nodes.push(node); return node; };
  const inputs = json.whole ? [...new Set(json.inputs.map(id => id.replace(/\[\d+\]$/, '')))] : json.inputs;
  const outputs = json.whole ? [...new Set(json.outputs.map(id => id.replace(/\[\d+\]$/, '')))] : json.outputs;
  for (const id of inputs) if (byId.has(id)) makerOf.set(id, add('input', tensorTitle(whole[byId.get(id)]), -1));
  const firstStep = new Map();
  plan.steps.forEach((step, s) => step.ops.forEach(op => { if (!firstStep.has(op.id)) firstStep.set(op.id, s); }));
  const ops = json.whole ? json.ops : plan.steps.flatMap(step => step.ops);
  for (const op of ops) {
    const node = add(op.kind, op.id, firstStep.has(op.id) ? firstStep.get(op.id) : -1);
    node.op = op;
    for (const id of op.outputs) makerOf.set(id, node);
  }
  const join = (from, to, id) => {
    if (!from || from === to) return;
    edges.push({from, to, tensor: whole[byId.get(id)], id});
    from.outs.push(to);
    to.ins.push(from);
  };
  for (const node of nodes) if (node.op) for (const id of new Set(node.op.inputs)) join(makerOf.get(id), node, id);
  for (const id of outputs) if (byId.has(id)) join(makerOf.get(id), add('output', tensorTitle(whole[byId.get(id)]), -1), id);
  return {nodes, edges};
}

/* Longest path from the sources; operators come in an order in which they can
 * run, so one pass is enough. */
function layerNodes(nodes) {
  for (const node of nodes) {
    node.layer = 0;
    for (const from of node.ins) node.layer = Math.max(node.layer, from.layer + 1);
  }
  const layers = [];
  for (const node of nodes) (layers[node.layer] = layers[node.layer] || []).push(node);
  return layers.map(layer => layer || []);
}

/* Positions: in each layer by the mean of the neighbours, four sweeps. */
function layOut(graph, measure) {
  const layers = layerNodes(graph.nodes), mean = list => list.reduce((sum, n) => sum + n.x, 0) / list.length;
  for (const node of graph.nodes) node.w = Math.max(140, measure(node.kind) + 28);
  const place = layer => {
    let x = 0;
    for (const node of layer) { node.x = x + node.w / 2; x += node.w + GAP_X; }
    const wanted = layer.filter(n => n.want !== undefined);
    const shift = wanted.length ? wanted.reduce((sum, n) => sum + n.want - n.x, 0) / wanted.length : -x / 2 + GAP_X / 2;
    for (const node of layer) node.x += shift;
  };
  layers.forEach((layer, k) => { place(layer); for (const node of layer) node.y = k * (NODE_H + GAP_Y); });
  for (let sweep = 0; sweep < 4; sweep++) {
    const down = sweep % 2 === 0, order = down ? layers : [...layers].reverse();
    for (const layer of order) {
      for (const node of layer) {
        const near = down ? node.ins : node.outs;
        if (near.length) node.want = mean(near); else delete node.want;
      }
      layer.sort((a, b) => (a.want ?? a.x) - (b.want ?? b.x) || a.k - b.k);
      place(layer);
    }
  }
  graph.box = {left: Math.min(0, ...graph.nodes.map(n => n.x - n.w / 2)), right: Math.max(1, ...graph.nodes.map(n => n.x + n.w / 2)),
               bottom: layers.length * (NODE_H + GAP_Y)};
  return graph;
}

class GraphView {
  /* hooks: {node(node), tensor(id)} */
  constructor(plan, holder, hooks) {
    this.canvas = element('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', 'The network as a graph. Arrow keys go from operator to operator, plus and minus zoom; the table of steps holds the same facts.');
    holder.replaceChildren(this.canvas);
    this.context = this.canvas.getContext('2d');
    this.context.font = '600 13px system-ui, sans-serif';
    this.hooks = hooks;
    this.plan = plan;
    this.graph = layOut(graphOf(plan), text => this.context.measureText(text).width);
    this.byOp = new Map(this.graph.nodes.filter(n => n.op).map(n => [n.op.id, n]));
    this.chosen = null;
    this.marked = new Set();
    this.scale = 1;
    this.listen();
  }

  /* All of it if that can be read, else the top. */
  fit() {
    const {box} = this.graph, wide = box.right - box.left + 40, room = this.height / (box.bottom + 20);
    this.scale = Math.min(1.2, Math.max(0.8, Math.min(this.width / wide, room)));
    this.left = (box.left + box.right) / 2 - this.width / this.scale / 2;
    this.top = -20;
    this.paint();
  }
  centre(node) {
    this.left = node.x - this.width / this.scale / 2;
    this.top = node.y + NODE_H / 2 - this.height / this.scale / 2;
  }
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(3, Math.max(0.03, this.scale * factor));
    this.left += x / this.scale - x / scale;
    this.top += y / this.scale - y / scale;
    this.scale = scale;
    this.paint();
  }

  choose(node, centred) {
    this.chosen = node;
    if (node && centred && this.width) this.centre(node);
    this.paint();
  }
  /* Operators that make or read a tensor. */
  mark(ids) { this.marked = new Set(ids.map(id => this.byOp.get(id)).filter(Boolean)); }

  resize() {
    const ratio = devicePixelRatio || 1, first = !this.width;
    this.width = this.canvas.parentElement.clientWidth;
    this.height = innerWidth < 560 ? 420 : 620;
    const w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) { this.canvas.width = w; this.canvas.height = h; }
    this.canvas.style.height = this.height + 'px';
    this.ratio = ratio;
    if (first && this.width) this.fit();
  }

  paint() {
    if (!this.canvas.parentElement.clientWidth) return;
    this.resize();
    const c = this.context, s = this.scale * this.ratio;
    this.theme = {ink: cssColour('--ink'), soft: cssColour('--soft'), paper: cssColour('--paper'), accent: cssColour('--accent')};
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = cssColour('--ground');
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(s, 0, 0, s, -this.left * s, -this.top * s);
    c.textBaseline = 'middle';
    for (const edge of this.graph.edges) if (this.sees(Math.min(edge.from.y, edge.to.y), Math.max(edge.from.y, edge.to.y) + NODE_H)) this.paintEdge(edge);
    for (const node of this.graph.nodes) if (this.sees(node.y, node.y + NODE_H)) this.paintNode(node);
  }
  sees(top, bottom) { return bottom > this.top && top < this.top + this.height / this.scale; }

  paintEdge({from, to, tensor}) {
    const c = this.context, y0 = from.y + NODE_H, y1 = to.y, long = to.layer - from.layer > 1;
    const side = long ? Math.max(from.x + from.w / 2, to.x + to.w / 2) + 30 + 6 * Math.min(8, to.layer - from.layer) : 0;
    const isMarked = from === this.chosen || to === this.chosen;
    c.strokeStyle = isMarked ? this.theme.accent : this.theme.soft;
    c.lineWidth = isMarked ? 2 : 1;
    c.beginPath();
    c.moveTo(from.x, y0);
    if (long) { c.bezierCurveTo(from.x, y0 + 26, side, y0 + 6, side, y0 + 40); c.lineTo(side, y1 - 40); c.bezierCurveTo(side, y1 - 6, to.x, y1 - 26, to.x, y1 - 5); }
    else c.bezierCurveTo(from.x, y0 + 20, to.x, y1 - 20, to.x, y1 - 5);
    c.stroke();
    if (this.scale < 0.35) return;
    c.fillStyle = c.strokeStyle;
    c.beginPath();
    c.moveTo(to.x, y1); c.lineTo(to.x - 4, y1 - 8); c.lineTo(to.x + 4, y1 - 8);
    c.fill();
    if (this.scale < 0.6 || !tensor) return;
    c.font = '10.5px system-ui, sans-serif';
    const text = tensor.shape ? tensor.shape.join('×') : '', x = long ? side + 4 : (from.x + to.x) / 2 + 6;
    c.fillStyle = this.theme.soft;
    c.fillText(text, x, long ? y0 + 44 : (y0 + y1) / 2);
  }

  paintNode(node) {
    const c = this.context, x = node.x - node.w / 2;
    c.fillStyle = graphColour(node.kind);
    c.beginPath();
    c.roundRect(x, node.y, node.w, NODE_H, 6);
    c.fill();
    if (node === this.chosen || this.marked.has(node)) {
      c.strokeStyle = this.theme.accent;
      c.lineWidth = node === this.chosen ? 4 : 2.5;
      c.stroke();
    }
    if (this.scale < 0.3) return;
    c.fillStyle = '#ffffff';
    c.textAlign = 'center';
    c.font = '600 13px system-ui, sans-serif';
    c.fillText(node.kind, node.x, node.y + 15);
    c.font = '10.5px system-ui, sans-serif';
    c.fillText(fitText(c, node.op ? 'step ' + node.step + (node.op.macs ? ', ' + short(node.op.macs) + ' MACs' : '') : node.id, node.w - 8), node.x, node.y + 32);
    c.textAlign = 'left';
  }

  at(e) {
    const box = this.canvas.getBoundingClientRect();
    return {x: e.clientX - box.left, y: e.clientY - box.top};
  }
  nodeAt({x, y}) {
    const gx = this.left + x / this.scale, gy = this.top + y / this.scale;
    return this.graph.nodes.find(n => Math.abs(gx - n.x) <= n.w / 2 && gy >= n.y && gy <= n.y + NODE_H) || null;
  }

  listen() {
    const canvas = this.canvas;
    let last = null, moved = 0;
    canvas.addEventListener('pointerdown', e => { canvas.setPointerCapture(e.pointerId); last = this.at(e); moved = 0; });
    canvas.addEventListener('pointermove', e => {
      const now = this.at(e);
      if (!last) { canvas.style.cursor = this.nodeAt(now) ? 'pointer' : 'grab'; return; }
      moved += Math.abs(now.x - last.x) + Math.abs(now.y - last.y);
      this.left -= (now.x - last.x) / this.scale;
      this.top -= (now.y - last.y) / this.scale;
      last = now;
      this.paint();
    });
    canvas.addEventListener('pointerup', e => {
      if (last && moved <= 4) { const node = this.nodeAt(this.at(e)); this.choose(node); this.hooks.node(node); }
      last = null;
    });
    canvas.addEventListener('pointercancel', () => { last = null; });
    canvas.addEventListener('wheel', e => {
      e.preventDefault();
      const {x, y} = this.at(e);
      if (e.ctrlKey || e.metaKey) this.zoom(Math.exp(-e.deltaY * 0.005), x, y);
      else { this.left += e.deltaX / this.scale; this.top += e.deltaY / this.scale; this.paint(); }
    }, {passive: false});
    canvas.addEventListener('keydown', e => this.key(e));
  }
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const node = this.chosen || this.graph.nodes[0];
    const layer = this.graph.nodes.filter(n => n.layer === node.layer).sort((a, b) => a.x - b.x), k = layer.indexOf(node);
    const next = {ArrowDown: node.outs[0], ArrowUp: node.ins[0], ArrowRight: layer[k + 1], ArrowLeft: layer[k - 1]}[e.key];
    if (e.key.startsWith('Arrow')) { if (next) { this.choose(this.chosen ? next : node, true); this.hooks.node(this.chosen); } }
    else if (e.key === '+' || e.key === '=') this.zoom(1.4);
    else if (e.key === '-') this.zoom(1 / 1.4);
    else if (e.key === '0') this.fit();
    else return;
    e.preventDefault();
  }
}
