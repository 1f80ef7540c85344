import { columnMarks } from './axis-marks.js';
import { ticksWithin } from './axis-range.js';
import { el, saveButton, svg } from './elements.js';
import { labelWidth } from './label-places.js';
import { interval } from './means.js';
import { colorOf } from './names.js';
import { counted, inUnit, UNKNOWN } from './numbers.js';
import { saveSvg } from './save.js';
import { brief, shown } from './shown.js';

/** @import { PageBars } from '../page-data.ts' */
/** @import { Scale } from './axis-marks.js' */

/** @typedef {PageBars['bars'][number]} Bar */

const WIDTH = 460;
const ROW = 40;
const LEFT = 14;
const RIGHT = 96;
const BOTTOM = 22;
const BAR_HEIGHT = 14;
const TICKS = 4;
const WHISKER_END = 5;

/**
 * Numbers about several things as bars with intervals.
 * @param {readonly PageBars[]} all
 */
export function barCharts(all) {
  if (all.length === 0) return [];
  return [
    el('h2', {}, 'Means with 95 % intervals'),
    el('div', { class: 'columns' }, ...all.map(barSection)),
  ];
}

/** @param {PageBars} chart */
function barSection(chart) {
  const [title, drawing] = [shown(chart.title), barChart(chart)];
  const direction = chart.better ? ` (${chart.better} is better)` : '';
  const save = saveButton('SVG', `Save as SVG: ${title}`, () => saveSvg(drawing, chart.title));
  const bar = el('div', { class: 'bar' }, el('h3', {}, `${title}${direction}`), save);
  return el('section', {}, bar, drawing);
}

/** @param {PageBars} chart */
function barChart({ title, unit, bars }) {
  const height = bars.length * ROW + BOTTOM;
  const known = bars.flatMap(({ value, low, high }) => [value, low, high]);
  const values = known.filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values) || 1];
  const ticks = ticksWithin([least, most], TICKS, unit);
  const left = marginFor(ticks);
  const x = (/** @type {number} */ value) =>
    left + ((value - least) / (most - least)) * (WIDTH - left - RIGHT);
  const told = bars.map((bar) => barWords(bar, unit)).join('; ');
  const look = {
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'img',
    'aria-label': `${shown(title)}. ${told}`,
    style: `max-width:${WIDTH}px;width:100%;display:block`,
  };
  return svg(
    'svg',
    look,
    svg('line', { class: 'axis', x1: x(0), x2: x(0), y1: 0, y2: height - 18 }),
    ...bars.flatMap((bar, index) => drawBar(bar, { index, unit, x })),
    ...columnMarks({ x, below: height - 4 }, ticks),
  );
}

/**
 * Half of the first label stands left of where the bars may begin.
 * @param {ReturnType<typeof ticksWithin>} ticks
 */
function marginFor([first]) {
  return Math.max(LEFT, labelWidth(first?.[1] ?? '') / 2);
}

/**
 * @param {Bar} bar
 * @param {string} unit
 */
function barWords(bar, unit) {
  const words = (/** @type {number | null} */ value) => inUnit(value, unit);
  const around = interval(bar, words);
  const value = `${words(bar.value)}${around === undefined ? '' : ` (${around})`}`;
  return `${shown(bar.name)}: ${value}, ${counted(bar.sessions, 'session')}`;
}

/**
 * @param {Bar} bar
 * @param {{ readonly index: number, readonly unit: string, readonly x: Scale }} place
 */
function drawBar(bar, { index, unit, x }) {
  const top = index * ROW;
  const middle = top + 27;
  const title = svg('title', {}, shown(bar.name));
  const name = svg('text', { class: 'label', x: LEFT, y: top + 15 }, brief(bar.name), title);
  if (bar.value === null) return [name, svg('text', { x: LEFT, y: middle + 5 }, UNKNOWN)];
  const [from, to] = [Math.min(x(0), x(bar.value)), Math.max(x(0), x(bar.value))];
  const size = { x: from, y: top + 20, width: Math.max(1, to - from), height: BAR_HEIGHT };
  const look = { style: `fill:${colorOf(index)}`, opacity: '.75' };
  const words = svg('title', {}, barWords(bar, unit));
  const value = { class: 'label', x: WIDTH - RIGHT + 8, y: middle + 5 };
  return [
    name,
    svg('rect', { ...size, ...look }, words),
    ...whisker(bar, middle, x),
    svg('text', value, inUnit(bar.value, unit)),
  ];
}

/**
 * @param {Bar} bar
 * @param {number} middle
 * @param {Scale} x
 */
function whisker({ low, high }, middle, x) {
  if (low === null || high === null) return [];
  const [left, right, ends] = [
    x(low),
    x(high),
    { y1: middle - WHISKER_END, y2: middle + WHISKER_END },
  ];
  const lines = [
    { x1: left, x2: right, y1: middle, y2: middle },
    { x1: left, x2: left, ...ends },
    { x1: right, x2: right, ...ends },
  ];
  return lines.map((line) => svg('line', { class: 'whisker', ...line }));
}
