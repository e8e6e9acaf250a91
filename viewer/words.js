/* words.js - the words of the page, as docs/glossary.md has them; a test
 * compares the two. Headings that use one carry it as a tip. */
'use strict';

const WORDS = {
  'alias': "a slot that shares another's bytes: a view, a concatenation input computed in place, or a result over its input (in place)",
  'arena': 'one contiguous range planned in a memory, with a role: scratch, persistent or constant',
  'bank': 'bytes of a memory that are powered together',
  'bound': 'a height that no placement can beat',
  'constant': 'a tensor whose bytes are known at compile time',
  'cycle': "one tick of the processor's clock; those of a plan are estimates",
  'DMA': 'a unit that copies between memories while the processor computes',
  'kernel': 'device code for one operator and its types',
  'lifetime': "the half-open interval of steps in which a slot's bytes are in use",
  'MAC': 'multiply-accumulate, one product added to a sum: what the work of layers is counted in',
  'memory': 'one memory of a device',
  'peak': 'the step at which most bytes are alive',
  'planner': 'what chooses places for activations',
  'row': 'part of a tensor at one position of its outermost dimension: of an image, a line',
  'run': 'consecutive steps of one operator in an order of rows',
  'step': 'what runs at one moment of the order: one operator, or a pattern of several',
  'tile': 'the part of every axis that is in a memory at once',
  'transfer': 'a copy between memories, by DMA or by the processor',
  'verdict': 'what was proved: optimal, feasible, infeasible, unknown',
  'view': 'an operator (and its result) that only gives bytes another shape: reshape, contiguous slices',
  'work memory': 'scratch memory of a kernel during its step',
};
/* Other names that people know them by. */
const ALSO = {
  'arena': 'Scratch arenas are working memory: activations, work memory and tiles, whose bytes are used again and again.',
};

function fillWords(holder) {
  const list = element('dl');
  for (const [word, meaning] of Object.entries(WORDS)) list.append(element('dt', '', word), element('dd', '', meaning + '. ' + (ALSO[word] || '')));
  const box = element('details'), summary = element('summary', '', 'What the words mean');
  box.id = 'words';
  box.append(summary, list);
  holder.append(box);
}

/* The first word of the page that a text contains, as its tip. */
function explainWords(root) {
  for (const e of root.querySelectorAll('h2, h3, th button, #legend li, .card small, #subtitle, #views button')) {
    const text = e.textContent, found = Object.keys(WORDS).filter(word => new RegExp('\\b' + word + 's?\\b', 'i').test(text));
    if (found.length && !e.title) e.title = found.map(word => word + ': ' + WORDS[word]).join('\n');
  }
}
