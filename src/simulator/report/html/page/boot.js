import { el } from './elements.js';
import { readData } from './read-data.js';
import { show } from './show.js';
import { shown } from './shown.js';
import { watch } from './watch.js';

/** @import { PageData } from '../page-data.ts' */

const main = /** @type {HTMLElement} */ (document.querySelector('main'));
document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
void readData().then(start, sayDamaged);

/** @param {PageData} report */
function start(report) {
  const maker = report.facts.find(({ label }) => label === 'Made by')?.value;
  document.querySelector('#footer')?.replaceChildren(shown(maker ?? 'compaction-bench'));
  window.addEventListener('hashchange', () => {
    show(report, main);
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  });
  show(report, main);
  watch();
}

function sayDamaged() {
  main.replaceChildren(
    el('h1', {}, 'This page is damaged'),
    el('p', {}, 'Its data cannot be read; a recent browser is needed.'),
  );
}
