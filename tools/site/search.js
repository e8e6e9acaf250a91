/* Search without a server: INDEX is a list of [page, anchor, title, words].
 * Every word must occur, as the start of one; titles count most. */
'use strict';
(() => {
  const box = document.getElementById('search');
  const hits = document.getElementById('hits');
  const main = document.querySelector('main');
  const split = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u)
      .filter(Boolean);

  function score(entry, words) {
    const title = entry[2].toLowerCase();
    const text = ' ' + entry[3].toLowerCase();
    let sum = 0;
    for (const word of words) {
      const inTitle = split(title).some((w) => w.startsWith(word));
      const at = text.search(new RegExp('[^\\p{L}\\p{N}]' +
          word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'u'));
      if (!inTitle && at < 0)
        return 0;
      sum += (inTitle ? 10 : 0) + (at >= 0 ? 1 : 0);
    }
    return title === words.join(' ') ? sum + 100 : sum;
  }

  function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 50);
    return (at ? '… ' : '') + text.slice(at, at + 160) + ' …';
  }

  function show() {
    const words = split(box.value);
    main.hidden = words.length > 0;
    hits.replaceChildren();
    if (!words.length)
      return;
    const found = INDEX.map((entry) => [score(entry, words), entry])
        .filter(([points]) => points > 0)
        .sort((a, b) => b[0] - a[0]).slice(0, 30);
    const list = document.createElement('ol');
    for (const [, entry] of found) {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = entry[0] + (entry[1] ? '#' + entry[1] : '');
      link.textContent = entry[2];
      link.addEventListener('click', () => { box.value = ''; show(); });
      const words_ = document.createElement('small');
      words_.textContent = entry[0] + ': ' + excerpt(entry[3], words[0]);
      item.append(link, words_);
      list.append(item);
    }
    hits.append(found.length ? list : 'Nothing was found.');
  }

  box.addEventListener('input', show);
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    }
  });
})();
