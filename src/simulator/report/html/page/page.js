import { drawLive } from './charts.js';
import { button, el } from './elements.js';

/** @typedef {import('./charts.js').ChartData} ChartData */
/** @typedef {import('./charts.js').LiveChart} LiveChart */

/** Rows from which a table has a filter. */
const MANY_ROWS = 9;
const NUMBER = /-?[\d,]*\.?\d+/;
const UNITS = { k: 1e3, M: 1e6, h: 3_600, min: 60 };
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

/**
 * Has a table sort by its columns, and filter its rows where there are many.
 * @param {HTMLTableElement} table
 */
function enliven(table) {
  const body = table.tBodies[0];
  if (body === undefined || body.rows.length < 2) return;
  for (const [place, head] of [...(table.tHead?.rows[0]?.cells ?? [])].entries()) {
    const words = head.textContent ?? '';
    head.replaceChildren(
      el('button', { type: 'button', click: () => sortBy(table, place) }, words),
    );
  }
  if (body.rows.length < MANY_ROWS) return;
  const label = `Filter rows of: ${table.caption?.textContent ?? table.tHead?.textContent ?? ''}`;
  const input = /** @type {HTMLInputElement} */ (
    el('input', { type: 'search', placeholder: 'Filter', 'aria-label': label })
  );
  input.addEventListener('input', () => filter(body, input));
  table.parentElement?.before(el('p', { class: 'filter' }, input));
}

/** @param {HTMLTableElement} table @param {number} place */
function sortBy(table, place) {
  const head = table.tHead?.rows[0]?.cells[place];
  const body = table.tBodies[0];
  if (head === undefined || body === undefined) return;
  const isUp = head.getAttribute('aria-sort') === 'descending';
  for (const other of table.tHead?.rows[0]?.cells ?? []) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
  const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[place]) }));
  rows.sort((a, b) => (isUp ? 1 : -1) * compare(a.key, b.key));
  body.append(...rows.map(({ row }) => row));
}

/**
 * The number that a cell begins with, else its words.
 * @param {HTMLTableCellElement | undefined} cell
 */
function keyOf(cell) {
  const words = (cell?.textContent ?? '').trim();
  const [found] = /^[≥$+\-−\d]/.test(words) ? (NUMBER.exec(words.replace('−', '-')) ?? []) : [];
  if (found === undefined) return { words };
  const unit = new RegExp(`${found} ?(k|M|h|min)\\b`).exec(words)?.[1];
  const factor = UNITS[/** @type {keyof typeof UNITS} */ (unit)] ?? 1;
  return { words, number: Number(found.replaceAll(',', '')) * factor };
}

/** @param {ReturnType<typeof keyOf>} a @param {ReturnType<typeof keyOf>} b */
function compare(a, b) {
  if (a.number !== undefined && b.number !== undefined) return a.number - b.number;
  if (a.number === undefined && b.number === undefined) return a.words < b.words ? 1 : -1;
  return a.number === undefined ? -1 : 1;
}

/** @param {HTMLTableSectionElement} body @param {HTMLInputElement} input */
function filter(body, input) {
  const wanted = input.value.toLowerCase();
  for (const row of body.rows) row.hidden = !row.textContent?.toLowerCase().includes(wanted);
}
