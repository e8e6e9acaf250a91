/* search.js - finding tensors and operators: what is called exactly so comes
 * first, then what begins so; results of operators before their constants. */
'use strict';

/* 0: no hit; else the better the smaller. */
function rankOf(plan, i, want, stepRank) {
  const t = plan.tensors[i], name = t.name.toLowerCase(), short = shortName(plan, i).toLowerCase();
  let rank = 0;
  const offer = r => { if (r && (!rank || r < rank)) rank = r; };
  if (name === want || short === want || t.id.toLowerCase() === want) offer(1);
  else if (short.startsWith(want)) offer(4);
  else if (name.includes(want)) offer(6);
  if (t.type !== undefined && t.type === want) offer(7);
  if (plan.producer[i] >= 0) offer(stepRank[plan.producer[i]]);
  return rank && 10 * rank + (plan.alias[i] >= 0 ? 1 : 0) + (plan.kind[i] >= WORK ? 5 : 0);
}

/* {matches: one byte a tensor, ranked: tensors, best first}. */
function findTensors(plan, text) {
  const want = text.trim().toLowerCase();
  if (!want) return {matches: null, ranked: []};
  const stepRank = plan.steps.map(step => step.ops.reduce((best, op) => {
    const id = op.id.toLowerCase(), rank = id === want ? 2 : id.startsWith(want) ? 5 : id.includes(want) ? 6 : op.kind === want ? 5 : 0;
    return rank && (!best || rank < best) ? rank : best;
  }, 0));
  const matches = new Uint8Array(plan.count), ranks = new Uint8Array(plan.count), ranked = [];
  for (let i = 0; i < plan.count; i++) {
    ranks[i] = rankOf(plan, i, want, stepRank);
    if (ranks[i]) { matches[i] = 1; ranked.push(i); }
  }
  return {matches, ranked: ranked.sort((a, b) => ranks[a] - ranks[b] || a - b)};
}

function search(text) {
  const {matches, ranked} = findTensors(shared.plan, text);
  shared.matches = matches;
  shared.ranked = ranked;
  shared.at = -1;
  $('found').textContent = matches ? (ranked.length === 1 ? '1 tensor' : count(ranked.length) + ' tensors') + (ranked.length ? ', Enter shows the best' : '') : '';
  if (tables[0]) tables[0].filter(matches ? i => matches[i] : null);
  redraw();
}

/* Enter goes from hit to hit, the best first. */
function nextMatch(back) {
  const n = shared.matches ? shared.ranked.length : 0;
  if (!n) return;
  shared.at = shared.at < 0 ? (back ? n - 1 : 0) : (shared.at + (back ? n - 1 : 1)) % n;
  select(shared.ranked[shared.at]);
  $('found').textContent = (shared.at + 1) + ' of ' + count(n);
}
