import { keep } from './address.js';
import { choice, el, saveButton } from './elements.js';
import { colorOf, groupName, metricsNamed } from './names.js';
import { saveSvg } from './save.js';
import { scatter, wholeName } from './scatter.js';

/** @import { PageData, PagePlane } from '../page-data.ts' */
/** @import { Axis, Dot } from './scatter.js' */

const GROUP_AXES = [
  'costUsd',
  'inputTokens',
  'peakContextTokens',
  'compactions',
  'misses',
  'missedTokens',
  'regretUsd',
  'hitRate',
  'gonePaths',
];

const MARK_COLORS = { today: colorOf(1), knee: colorOf(2) };

/** @typedef {Omit<Dot, 'x' | 'y'> & { readonly values: readonly (number | null)[] }} Point By its value on each axis. */

/**
 * @typedef {object} Plane
 * @property {readonly (Axis & { readonly name: string })[]} axes
 * @property {readonly Point[]} points
 * @property {readonly string[]} first Names of the axes before anybody picks.
 * @property {string} faint What is wrong with points that are drawn faintly.
 */

/**
 * Policies or cells by their sums.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
export function groupPlane(report, params) {
  const { groups, peers } = report;
  const known = metricsNamed(report, GROUP_AXES).filter(([, index]) =>
    groups.some(({ values }) => (values[index] ?? null) !== null),
  );
  const points = groups.map(({ values }, index) => ({
    name: groupName(report, index),
    parts: [],
    note: '',
    color: colorOf(index),
    isPeer: peers[index] ?? true,
    isNamed: false,
    values: known.map(([, place]) => values[place] ?? null),
  }));
  const axes = known.map(([metric]) => metric);
  const faint = 'completed other runs, cannot be compared';
  return planeBlock({ axes, points, first: ['costUsd', 'regretUsd'], faint }, params);
}

/**
 * The points that the page was given.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
export function pointPlane({ plane }, params) {
  if (plane === undefined) return [];
  const { axes, points, faint } = plane;
  const first = axes.map(({ name }) => name);
  return planeBlock({ axes, points: points.map(toPoint), first, faint }, params);
}

/**
 * @param {PagePlane['points'][number]} given
 * @returns {Point}
 */
function toPoint({ name, parts, values, mark, isFaint = false }) {
  return {
    name,
    parts,
    note: mark ? ` (${mark})` : '',
    color: mark ? MARK_COLORS[mark] : colorOf(0),
    isPeer: !isFaint,
    isNamed: mark !== undefined,
    values,
  };
}

/**
 * @param {Plane} plane
 * @param {URLSearchParams} params
 */
function planeBlock(plane, params) {
  const { axes, points } = plane;
  if (points.length < 2 || axes.length < 2) return [];
  const has = (/** @type {string | null | undefined} */ name) =>
    axes.some((axis) => axis.name === name);
  const picked = (/** @type {'x' | 'y'} */ key, /** @type {number} */ place) => {
    const wanted = [params.get(key), plane.first[place]].find(has);
    return wanted ?? axes[place]?.name ?? '';
  };
  const chosen = { x: picked('x', 0), y: picked('y', 1) };
  const figure = el('figure');
  let drawing = drawPlane(plane, chosen, figure);
  const options = axes.map(({ name, label }) => /** @type {const} */ ([name, label]));
  const pick = (/** @type {'x' | 'y'} */ key, /** @type {string} */ label) =>
    choice(label, { options, value: chosen[key] }, (name) => {
      chosen[key] = name;
      keep(key, name);
      drawing = drawPlane(plane, chosen, figure);
    });
  const save = saveButton('SVG', 'Save the trade-off as SVG', () => saveSvg(drawing, 'trade-off'));
  const bar = el('div', { class: 'bar' }, pick('x', 'Across'), pick('y', 'Up'), save);
  return [el('h2', {}, 'Trade-off'), bar, figure];
}

/**
 * @param {Plane} plane
 * @param {{ readonly x: string, readonly y: string }} chosen
 * @param {HTMLElement} figure
 */
function drawPlane({ axes, points, faint }, { x, y }, figure) {
  const [across, up] = [x, y].map((name) => axes.findIndex((axis) => axis.name === name));
  const dots = points.flatMap((point) => {
    const [left, high] = [point.values[across ?? 0], point.values[up ?? 0]];
    return typeof left === 'number' && typeof high === 'number'
      ? [{ ...point, x: left, y: high }]
      : [];
  });
  const [axisX, axisY] = [axes[across ?? 0] ?? NO_AXIS, axes[up ?? 0] ?? NO_AXIS];
  const drawing = scatter(dots, axisX, axisY);
  const better = `${axisX.better === 'higher' ? 'right' : 'left'} and further ${axisY.better === 'higher' ? 'up' : 'down'}`;
  const names = new Set(dots.map(wholeName));
  const labels = [...drawing.querySelectorAll('.label')];
  const areSomeUnnamed =
    labels.filter(({ textContent }) => names.has(textContent)).length < dots.length;
  const caption = [
    `Better lies to the ${better}. Joined: what nothing else beats on both.`,
    ...(areSomeUnnamed ? ['Rest the pointer on a point for all names.'] : []),
    ...(dots.every(({ isPeer }) => isPeer) ? [] : [`Faint: ${faint}.`]),
  ];
  const holder = el('div', { class: 'plot still' }, drawing);
  figure.replaceChildren(holder, el('figcaption', {}, caption.join(' ')));
  return drawing;
}

/** @type {Axis} */
const NO_AXIS = { label: '', unit: 'count' };
