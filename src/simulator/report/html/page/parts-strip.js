import { colorKey, el, saveButton, svg } from './elements.js';
import { count, counted } from './numbers.js';
import {
  isShownState,
  kindWords,
  shownTokens,
  STATE_NAMES,
  STATE_WORDS,
  stateName,
} from './parts.js';
import { saveSvg } from './save.js';
import { shown } from './shown.js';

/** @import { Part } from './parts.js' */
/** @import { DrawnRun } from './unpack.js' */

const WIDTH = 1_000;
/** The parts that the request shows; below them those that it no longer shows. */
const SHOWN_ROW = { y: 0, height: 34 };
const GONE_ROW = { y: 40, height: 14 };
const GAP = 0.6;
const NARROWEST = 1;
const CAPTION =
  'Above: what the request holds, in the order in which it came; below: what it no longer shows.';

/**
 * Every part as a piece of a bar: above what is shown, below what is shown no more.
 * @param {DrawnRun} run
 * @param {number} step
 * @param {readonly Part[]} parts
 */
export function stripBlock(run, step, parts) {
  const restTokens = Math.max(0, (run.d.context[step] ?? 0) - shownTokens(parts));
  const states = STATE_NAMES.map((name) => ({
    name,
    some: parts.filter((part) => stateName(part) === name),
  })).filter(({ some }) => some.length > 0);
  const counts = states.map(({ name, some }) => `${STATE_WORDS[name]}: ${some.length}`).join(', ');
  const drawing = svg(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} 56`,
      role: 'img',
      'aria-label': `Parts in the order in which they came. ${counts}`,
      preserveAspectRatio: 'none',
      class: 'strip',
    },
    ...piecesOf(parts, restTokens),
  );
  const keys = states.map(({ name, some }) => {
    const tokens = some.reduce((sum, part) => sum + barTokens(part), 0);
    const words = `${STATE_WORDS[name]}: ${counted(some.length, 'part')}, ${count(tokens)} tokens`;
    return colorKey({ class: `key-${name}` }, words);
  });
  const base = colorKey(
    { class: 'key-base' },
    `system prompt, tools, frames: ${count(restTokens)} tokens`,
  );
  const save = saveButton('SVG', 'Save the parts as SVG', () =>
    saveSvg(drawing, `step-${step + 1}`),
  );
  const bar = el('div', { class: 'bar' }, base, ...keys, save);
  return el('figure', {}, bar, drawing, el('figcaption', {}, CAPTION));
}

/**
 * @param {readonly Part[]} parts
 * @param {number} restTokens
 */
function piecesOf(parts, restTokens) {
  const [above, below] = [parts.filter(isAbove), parts.filter((part) => !isAbove(part))];
  const most = Math.max(1, restTokens + sizeOf(above), sizeOf(below));
  const start = (restTokens / most) * WIDTH;
  const look = {
    ...SHOWN_ROW,
    class: 'part-base',
    x: 0,
    width: Math.max(0, start - GAP).toFixed(2),
  };
  const words = svg('title', {}, `System prompt, tools, frames: ${count(restTokens)} tokens`);
  return [
    svg('rect', look, words),
    ...rowOf(above, { ...SHOWN_ROW, start }, most),
    ...rowOf(below, { ...GONE_ROW, start: 0 }, most),
  ];
}

/** @param {Part} part */
function isAbove({ state }) {
  return isShownState(state);
}

/** @param {Part} part */
function barTokens(part) {
  return isAbove(part) ? part.tokens : part.firstTokens;
}

/** @param {readonly Part[]} parts */
function sizeOf(parts) {
  return parts.reduce((sum, part) => sum + barTokens(part), 0);
}

/**
 * @param {readonly Part[]} parts
 * @param {{ readonly y: number, readonly height: number, readonly start: number }} row
 * @param {number} most
 */
function rowOf(parts, { start, ...row }, most) {
  let end = start;
  return parts.map((part) => {
    const width = (barTokens(part) / most) * WIDTH;
    const x = end;
    end += width;
    const look = { ...row, class: `part-${stateName(part)}`, x: x.toFixed(2) };
    const words = svg('title', {}, wordsOf(part));
    return svg('rect', { ...look, width: Math.max(NARROWEST, width - GAP).toFixed(2) }, words);
  });
}

/** @param {Part} part */
function wordsOf(part) {
  const what = `#${part.index + 1} ${shown(kindWords(part.kind))}, ${STATE_WORDS[stateName(part)]}`;
  return `${what}: ${count(barTokens(part))} tokens, since step ${part.came + 1}`;
}
