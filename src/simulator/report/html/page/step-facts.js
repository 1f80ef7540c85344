import { el, factList } from './elements.js';
import { FLAGS, KIND_WORDS, momentsOf, momentWords } from './moments.js';
import { colorOf, groupName } from './names.js';
import { count, counted, duration, signed, UNKNOWN } from './numbers.js';
import { pauseAt, requestAt } from './requests.js';
import { shown } from './shown.js';
import { swatch } from './swatch.js';

/** @import { PageData, RunDetail } from '../page-data.ts' */
/** @import { Option } from './elements.js' */
/** @import { Happening } from './moments.js' */
/** @import { DrawnRun } from './unpack.js' */

/** @type {readonly (readonly [flag: number, words: string])[]} */
const FLAG_WORDS = [
  [FLAGS.opensTurn, 'begins a turn'],
  [FLAGS.isCold, 'after an idle gap'],
  [FLAGS.isReread, 're-reads what was lost'],
  [FLAGS.breaksPrefix, 'breaks the cached prefix'],
];

/**
 * The numbers of one step under one policy, and what happened.
 * @param {PageData} report
 * @param {DrawnRun} run
 * @param {number} step
 */
export function stepFacts(report, run, step) {
  const moments = momentsOf(run.d).filter(({ step: at, kind }) => at === step && kind !== 'cold');
  const lines = moments.map((moment) => momentLine(report, run, moment));
  return el(
    'section',
    {},
    el('h2', {}, swatch(colorOf(run.g)), ` ${shown(groupName(report, run.g))}`),
    factList(factsOf(run.d, step)),
    lines.length === 0
      ? el('p', { class: 'soft' }, 'Nothing happened besides the step itself.')
      : el('ul', { class: 'moments' }, ...lines),
  );
}

/**
 * @param {RunDetail} detail
 * @param {number} step
 * @returns {readonly Option[]}
 */
function factsOf(detail, step) {
  const { context, cached, written, fresh, output, turn } = requestAt(detail, step);
  const { usable, flags } = detail;
  const pause = step === 0 ? undefined : pauseAt(detail, step);
  const own = FLAG_WORDS.filter(([flag]) => ((flags[step] ?? 0) & flag) !== 0);
  const words = own.map(([, text]) => text).join(', ');
  return [
    ['Context', count(context) + (usable === null ? '' : ` of ${count(usable)} usable`)],
    ['Cached', count(cached)],
    ['Written to the cache', count(written)],
    ['New', count(fresh)],
    ['Output', count(output)],
    ['Turn', count(turn)],
    ...factIf(pause !== undefined, 'Since the previous request', duration(pause ?? 0)),
    ['Context before', contextBeside(detail, step, step - 1)],
    ['Context after', contextBeside(detail, step, step + 1)],
    ...factIf(words !== '', 'This step', words),
  ];
}

/**
 * @param {boolean} isKnown
 * @param {string} label
 * @param {string} value
 * @returns {readonly Option[]}
 */
function factIf(isKnown, label, value) {
  return isKnown ? [[label, value]] : [];
}

/**
 * @param {RunDetail} detail
 * @param {number} step
 * @param {number} other
 */
function contextBeside({ context }, step, other) {
  const tokens = context[other];
  if (tokens === undefined) return UNKNOWN;
  return `${count(tokens)} (${signed(tokens - (context[step] ?? 0))})`;
}

/**
 * @param {PageData} report
 * @param {DrawnRun} run
 * @param {Happening} moment
 */
function momentLine(report, run, moment) {
  const { kind, ids } = moment;
  const chip = el('span', { class: 'chip' }, KIND_WORDS[kind]);
  return el('li', {}, chip, ' ', shown(momentWords(report, run, moment)), idList(ids));
}

/** @param {readonly string[]} ids */
function idList(ids) {
  if (ids.length === 0) return null;
  const items = ids.map((id) => el('li', {}, shown(id)));
  const summary = el('summary', {}, counted(ids.length, 'id'));
  return el('details', {}, summary, el('ul', { class: 'ids' }, ...items));
}
