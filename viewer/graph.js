/* graph.js - the network as a graph: a layered layout (longest path, then
 * barycentres) on a canvas, with the habits of Netron: drag pans, the wheel
 * zooms, a click shows the properties. Only what is in sight is drawn. */
'use strict';

const NODE_H = 44, GAP_X = 28, GAP_Y = 40;
const BEND_W = 16; /* of the place that an edge gets in a layer that it passes */
const BENDS = 20000; /* in all; edges that are left run beside the graph */

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

/* Edges over several layers get a bend in each that they pass, so that they run between nodes and not behind them. */
function bendEdges(graph, layers) {
  let left = BENDS;
  for (const node of graph.nodes) { node.up = []; node.down = []; }
  for (const edge of graph.edges) {
    const span = edge.to.layer - edge.from.layer - 1;
    let last = edge.from;
    edge.bends = [];
    if (span > left) continue;
    left -= span;
    for (let l = edge.from.layer + 1; l < edge.to.layer; l++) {
      const bend = {isBend: true, k: graph.nodes.length + BENDS - left, w: BEND_W, layer: l, up: [last], down: []};
      last.down.push(bend);
      layers[l].push(bend);
      edge.bends.push(bend);
      last = bend;
    }
    last.down.push(edge.to);
    edge.to.up.push(last);
  }
}

/* Nodes of a layer from left to right, as near as can be to where they want to be: least squares with least
 * distances, by pooling neighbours that push each other. Bends give way to operators. */
function placeLayer(layer) {
  const blocks = [];
  let along = 0;
  layer.forEach((node, i) => {
    if (i) along += (layer[i - 1].w + node.w) / 2 + GAP_X;
    const weight = node.isBend ? 0.001 : 1;
    let block = {at: node.want - along, weight, nodes: [[node, along]]};
    while (blocks.length && blocks[blocks.length - 1].at > block.at) {
      const b = blocks.pop(), sum = b.weight + block.weight;
      block = {at: (b.at * b.weight + block.at * block.weight) / sum, weight: sum, nodes: [...b.nodes, ...block.nodes]};
    }
    blocks.push(block);
  });
  for (const block of blocks) for (const [node, offset] of block.nodes) node.x = block.at + offset;
}

/* An edge that can run straight down does, at the bend that is farthest out. */
function straighten(edge, layers) {
  const middle = (edge.from.x + edge.to.x) / 2, far = edge.bends.reduce((best, b) => Math.abs(b.x - middle) > Math.abs(best.x - middle) ? b : best, edge.bends[0]);
  const isFree = bend => layers[bend.layer].every(n => n === bend || Math.abs(n.x - far.x) >= (n.w + BEND_W) / 2 + 4);
  if (edge.bends.every(isFree)) for (const bend of edge.bends) bend.x = far.x;
}

/* Positions: in each layer in the order of the neighbours' means, four sweeps. A node with one operator
 * next to it stands below that, so that chains run straight beside what skips them. */
function layOut(graph, measure) {
  const layers = layerNodes(graph.nodes), mean = list => list.reduce((sum, n) => sum + n.x, 0) / list.length;
  for (const node of graph.nodes) node.w = Math.max(140, measure(node.kind) + 28);
  bendEdges(graph, layers);
  layers.forEach((layer, k) => layer.forEach(node => { node.x = node.want = 0; node.y = k * (NODE_H + GAP_Y); }));
  for (const layer of layers) placeLayer(layer);
  for (let sweep = 0; sweep < 4; sweep++) {
    const down = sweep % 2 === 0, order = down ? layers : [...layers].reverse();
    for (const layer of order) {
      for (const node of layer) {
        const near = down ? node.up : node.down, real = near.filter(n => !n.isBend);
        node.rank = near.length ? mean(near) : node.x;
        node.want = near.length ? mean(real.length === 1 ? real : near) : node.x;
      }
      layer.sort((a, b) => a.rank - b.rank || a.k - b.k);
      placeLayer(layer);
    }
  }
  for (const edge of graph.edges) if (edge.bends.length > 1) straighten(edge, layers);
  const all = layers.flat();
  graph.box = {left: all.reduce((least, n) => Math.min(least, n.x - n.w / 2), 0), right: all.reduce((most, n) => Math.max(most, n.x + n.w / 2), 1),
               bottom: layers.length * (NODE_H + GAP_Y)};
  return graph;
}

/* Right of everything between two nodes: for edges without bends that pass others. */
function sideOf(from, to) { return Math.max(from.x + from.w / 2, to.x + to.w / 2) + 30 + 6 * Math.min(8, to.layer - from.layer); }

/* Where the label of an edge stands apart from those of its neighbours: beside its first bend; at the end where it is
 * alone, on the side that the edge turns away from; else halfway. */
function labelPlace(from, to, bends) {
  const beside = (x, y, isLeft) => ({x: x + (isLeft ? -6 : 6), y, isLeft});
  if (bends.length) return beside(bends[0].x, bends[0].y + NODE_H / 2, false);
  if (to.layer - from.layer > 1) return beside(sideOf(from, to), from.y + 2 * NODE_H, false);
  if (from.outs.length === 1) return beside(from.x, from.y + NODE_H + 12, to.x > from.x + 8);
  return to.ins.length === 1 ? beside(to.x, to.y - 14, from.x > to.x + 8) : beside((from.x + to.x) / 2, (from.y + NODE_H + to.y) / 2, false);
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

  /* All of it if that can be read, else what begins it. */
  fit() {
    const {box, nodes} = this.graph, wide = box.right - box.left + 40, room = this.height / (box.bottom + 20);
    this.scale = Math.min(1.2, Math.max(0.8, Math.min(this.width / wide, room)));
    this.left = (wide * this.scale <= this.width ? (box.left + box.right) / 2 : nodes[0].x) - this.width / this.scale / 2;
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
    this.stay();
    this.paint();
  }
  /* Never out of sight; without a gap above or below where there is enough to fill the picture. */
  stay() {
    const {box} = this.graph, tall = this.height / this.scale, wide = this.width / this.scale;
    this.top = box.bottom > tall ? Math.max(-20, Math.min(box.bottom + 20 - tall, this.top)) : Math.max(box.bottom - tall, Math.min(-20, this.top));
    this.left = Math.max(box.left - wide / 2, Math.min(box.right - wide / 2, this.left));
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
    this.theme = {ink: cssColour('--ink'), soft: cssColour('--soft'), paper: cssColour('--paper'), accent: cssColour('--accent'), back: cssColour('--ground')};
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = cssColour('--ground');
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(s, 0, 0, s, -this.left * s, -this.top * s);
    c.textBaseline = 'middle';
    for (const edge of this.graph.edges) if (this.sees(Math.min(edge.from.y, edge.to.y), Math.max(edge.from.y, edge.to.y) + NODE_H)) this.paintEdge(edge);
    if (this.scale >= 0.6) for (const edge of this.graph.edges) if (edge.tensor && this.sees(edge.from.y, edge.to.y)) this.paintShape(edge);
    for (const node of this.graph.nodes) if (this.sees(node.y, node.y + NODE_H)) this.paintNode(node);
  }
  sees(top, bottom) { return bottom > this.top && top < this.top + this.height / this.scale; }

  paintEdge({from, to, bends}) {
    const c = this.context, y0 = from.y + NODE_H, y1 = to.y, long = to.layer - from.layer > 1 && !bends.length, side = sideOf(from, to);
    const isMarked = from === this.chosen || to === this.chosen;
    c.strokeStyle = isMarked ? this.theme.accent : this.theme.soft;
    c.lineWidth = isMarked ? 2 : 1;
    c.beginPath();
    c.moveTo(from.x, y0);
    if (long) { c.bezierCurveTo(from.x, y0 + 26, side, y0 + 6, side, y0 + 40); c.lineTo(side, y1 - 40); c.bezierCurveTo(side, y1 - 6, to.x, y1 - 26, to.x, y1 - 5); }
    else {
      let x = from.x, y = y0;
      for (const bend of bends) {
        c.bezierCurveTo(x, y + 20, bend.x, bend.y - 20, bend.x, bend.y);
        c.lineTo(x = bend.x, y = bend.y + NODE_H);
      }
      c.bezierCurveTo(x, y + 20, to.x, y1 - 20, to.x, y1 - 5);
    }
    c.stroke();
    if (this.scale < 0.35) return;
    c.fillStyle = c.strokeStyle;
    c.beginPath();
    c.moveTo(to.x, y1); c.lineTo(to.x - 4, y1 - 8); c.lineTo(to.x + 4, y1 - 8);
    c.fill();
  }

  /* The shape of what an edge carries, over all edges. */
  paintShape({from, to, tensor, bends}) {
    const c = this.context, text = tensor.shape ? tensor.shape.join('×') : '', {x, y, isLeft} = labelPlace(from, to, bends);
    c.font = '10.5px system-ui, sans-serif';
    c.textAlign = isLeft ? 'right' : 'left';
    c.strokeStyle = this.theme.back; /* a halo: lines do not cross the letters */
    c.lineWidth = 4;
    c.lineJoin = 'round';
    c.strokeText(text, x, y);
    c.fillStyle = this.theme.soft;
    c.fillText(text, x, y);
    c.textAlign = 'left';
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

  nodeAt({x, y}) {
    const gx = this.left + x / this.scale, gy = this.top + y / this.scale;
    return this.graph.nodes.find(n => Math.abs(gx - n.x) <= n.w / 2 && gy >= n.y && gy <= n.y + NODE_H) || null;
  }

  listen() {
    const canvas = this.canvas;
    followPointers(canvas, {
      hover: at => { canvas.style.cursor = at && this.nodeAt(at) ? 'pointer' : 'grab'; },
      pan: (dx, dy) => { this.left -= dx / this.scale; this.top -= dy / this.scale; this.stay(); this.paint(); },
      pinch: (factor, at) => this.zoom(factor, at.x, at.y),
      click: at => { const node = this.nodeAt(at); this.choose(node); this.hooks.node(node); },
    });
    canvas.addEventListener('wheel', e => {
      e.preventDefault();
      const {x, y} = pointIn(canvas, e);
      if (e.ctrlKey || e.metaKey) this.zoom(Math.exp(-e.deltaY * 0.005), x, y);
      else { this.left += e.deltaX / this.scale; this.top += e.deltaY / this.scale; this.stay(); this.paint(); }
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
