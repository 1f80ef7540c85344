import { count, el, scrolled } from './elements.js';

/** @typedef {import('../../plots.ts').RunView} RunView */
/** @typedef {{ index: number, kind: string, state: number, tokens: number, text: number }} Part */
/** @typedef {{ sign: string, part: Part, before?: Part | undefined }} Change */

/** In the order of the numbers of `PART_STATES`. */
const STATES = ['kept', 'pruned', 'summarised', 'left the view', 're-injected', 'summary'];
const HIDDEN = [2, 3];
/** Rows of a table of parts. */
const MOST_PARTS = 200;
/** More rows are folded. */
const MOST_OPEN = 8;
const NO_TEXT = -1;

/**
 * The content of a request by kind, and the parts that it shows otherwise than the one before.
 * @param {RunView} view
 * @param {{ step: number, name: string }} of
 */
export function partsOf(view, { step, name }) {
  const parts = partsAt(view, step);
  const before = step === 0 ? [] : partsAt(view, step - 1);
  const changes = parts.flatMap((part) => changeOf(part, before[part.index]));
  const shown = changes.slice(0, MOST_PARTS);
  const [came, went, changed] = ['+', '−', '~'].map(
    (sign) => changes.filter((one) => one.sign === sign).length,
  );
  const since = `parts that came ${came}, that went ${went}, that changed ${changed}`;
  return [
    el('p', {}, `In the request: ${mixOf(parts)}.`),
    el('p', {}, `Since the request before: ${since}.`),
    ...(shown.length === 0 ? [] : [tableOf(view, shown, name)]),
  ];
}

/**
 * Every part that has come by a step, as it is there.
 * @param {RunView} view
 * @param {number} step
 * @returns {Part[]}
 */
function partsAt({ kinds, kind, tokens, came, changes, texts }, step) {
  const known = came.slice(0, step + 1).reduce((sum, many) => sum + many, 0);
  const parts = Array.from({ length: known }, (_, index) => ({
    index,
    kind: (kinds[kind[index] ?? 0] ?? '').replace(/^tool /, ''),
    state: 0,
    tokens: tokens[index] ?? 0,
    text: texts?.parts[index] ?? NO_TEXT,
  }));
  changes.forEach(([at, state, first, many, size], place) => {
    if (at > step) return;
    const text = texts?.changes[place] ?? NO_TEXT;
    for (const part of parts.slice(first, first + many)) {
      Object.assign(part, { state, tokens: size }, text === NO_TEXT ? {} : { text });
    }
  });
  return parts;
}

/**
 * @param {Part} part
 * @param {Part | undefined} before
 * @returns {Change[]}
 */
function changeOf(part, before) {
  const isShown = !HIDDEN.includes(part.state);
  if (before === undefined || HIDDEN.includes(before.state)) {
    return isShown ? [{ sign: '+', part }] : [];
  }
  if (!isShown) return [{ sign: '−', part, before }];
  const isSame = before.tokens === part.tokens && before.state === part.state;
  return isSame ? [] : [{ sign: '~', part, before }];
}

/** @param {readonly Part[]} parts */
function mixOf(parts) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { kind, state, tokens } of parts) {
    if (!HIDDEN.includes(state)) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
  }
  const sorted = [...sums].toSorted(([, a], [, b]) => b - a);
  return sorted.map(([kind, tokens]) => `${kind} ${count(tokens)}`).join(', ') || 'nothing';
}

/**
 * @param {RunView} view
 * @param {readonly Change[]} changes
 * @param {string} name
 */
function tableOf({ texts }, changes, name) {
  const rows = changes.map(({ sign, part, before }) => {
    const said = texts?.pool[(sign === '−' ? before?.text : part.text) ?? NO_TEXT];
    const size = before === undefined ? '' : `${count(before.tokens)} → `;
    return el(
      'tr',
      {},
      el('th', { scope: 'row' }, `${sign} #${part.index + 1}`),
      el('td', {}, part.kind),
      el('td', {}, STATES[part.state] ?? ''),
      el('td', { class: 'number' }, `${size}${count(part.tokens)}`),
      el('td', {}, ...(said === undefined ? [] : [textOf(said)])),
    );
  });
  const titles = ['Part', 'Kind', 'State', 'Tokens', 'Text'];
  const table = scrolled({ label: `Parts that changed: ${name}` }, titles, rows);
  if (rows.length <= MOST_OPEN) return table;
  return el('details', {}, el('summary', {}, 'Parts that changed'), table);
}

/** @param {string} said */
function textOf(said) {
  const summary = el('summary', {}, said.replaceAll(/\s+/g, ' ').slice(0, 60) || 'empty');
  return el('details', {}, summary, el('pre', { tabindex: '0' }, said));
}
