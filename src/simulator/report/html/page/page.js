import { drawLive } from './charts.js';
import { button } from './elements.js';
import { enliven } from './tables.js';

/** @typedef {import('./charts.js').ChartData} ChartData */
/** @typedef {import('./charts.js').LiveChart} LiveChart */

const MS_BETWEEN_LOOKS = 1_500;
const ADDRESS = /^#(session-\d+)(?:\/step-(\d+))?$/;

void start();

async function start() {
  for (const table of document.querySelectorAll('table')) enliven(table);
  for (const snippet of document.querySelectorAll('.snippet')) addCopy(snippet);
  const charts = await readCharts();
  /** @type {Map<string, LiveChart>} */
  const live = new Map();
  const open = () =>
    openAt(location.hash, (figure) => {
      const found = live.get(figure.id);
      if (found !== undefined) return found;
      const data = charts[Number(figure.id.replace('chart-', ''))];
      const made = data === undefined ? {} : drawLive(figure, data);
      for (const table of figure.querySelectorAll('table')) enliven(table);
      live.set(figure.id, made);
      return made;
    });
  document.documentElement.classList.add('live');
  window.addEventListener('hashchange', open);
  open();
  watch();
}

/**
 * Shows the session that an address names, at its step, or what there is of all.
 * @param {string} hash
 * @param {(figure: HTMLElement) => LiveChart} draw
 */
function openAt(hash, draw) {
  const [, id = '', step] = ADDRESS.exec(hash) ?? [];
  const found = document.getElementById(id);
  const shown = found ?? document.getElementById('overview');
  if (shown === null) return;
  for (const one of document.querySelectorAll('main > section')) {
    one.classList.toggle('shown', one === shown);
  }
  for (const figure of shown.querySelectorAll('figure')) {
    const { show } = draw(figure);
    if (step !== undefined) show?.(Number(step));
  }
  if (found !== null) window.scrollTo(0, 0);
}

/** @returns {Promise<ChartData[]>} */
async function readCharts() {
  const data = /** @type {HTMLScriptElement} */ (document.getElementById('data'));
  const text = data.textContent ?? '[]';
  if (data.type === 'application/json') return JSON.parse(text);
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

/** @param {Element} snippet */
function addCopy(snippet) {
  const copy = /** @type {HTMLButtonElement} */ (
    button('Copy', () => {
      void navigator.clipboard.writeText(snippet.querySelector('pre')?.textContent ?? '').then(
        () => (copy.textContent = 'Copied'),
        () => (copy.textContent = 'Not copied'),
      );
    })
  );
  snippet.append(copy);
}

/** Looks now and then whether what is served is newer than this page, and shows that; a saved page never does. */
function watch() {
  const { tag } = document.documentElement.dataset;
  if (tag !== undefined) window.setTimeout(() => void look(tag), MS_BETWEEN_LOOKS);
}

/** @param {string} tag */
async function look(tag) {
  try {
    const answer = await fetch('/version', { cache: 'no-store' });
    if (answer.ok && (await answer.text()) !== tag) location.reload();
    else watch();
  } catch {
    // The server has gone; what is shown stays.
  }
}
