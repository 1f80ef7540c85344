import { keep } from './address.js';
import { choice, el, roomFor, saveButton } from './elements.js';
import { colorOf, groupColor, groupName } from './names.js';
import { saveSvg } from './save.js';
import { scatter, wholeName } from './scatter.js';

/** @import { PageArms, PageData, PagePlane } from '../page-data.ts' */
/** @import { Axis, Dot } from './scatter.js' */

/** @type {Plane['axes']} */
const ARM_AXES = [
  { name: 'costUsd', label: 'Cost', unit: 'usd', better: 'lower' },
  { name: 'losses', label: 'Losses', unit: 'count', better: 'lower' },
];

/** In pixels. */
const WIDEST = 960;
const NARROWEST = 280;
/** Of both sides of a figure. */
const PADDING = 20;

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
 * A picture of what choices cost against what they lose; nothing of a single one.
 * @param {PageData} report
 * @param {PageArms} arms
 */
export function armPlane(report, { rows }) {
  const { groups, groupTitles } = report;
  const points = rows.map(({ costUsd, losses, isImpossible = false, isNoPeer = false }, index) => ({
    name: groupName(report, index),
    parts:
      groupTitles.length < 2
        ? []
        : (groups[index]?.names ?? []).map((name, nth) => `${groupTitles[nth] ?? ''}=${name}`),
    note: isImpossible ? ' (impossible)' : '',
    color: groupColor(report, index),
    isPeer: !isNoPeer,
    isHollow: isImpossible,
    isNamed: false,
    values: [costUsd, losses],
  }));
  if (points.filter(({ values: [cost] }) => cost !== null).length < 2) return undefined;
  const faint = 'completed other runs, cannot be compared';
  const plane = { axes: ARM_AXES, points, first: ['costUsd', 'losses'], faint };
  return el('section', {}, ...planeFigure('Cost against losses', plane));
}

/**
 * The points that the page was given.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
export function pointPlane({ plane: given }, params) {
  if (given === undefined) return [];
  const { axes, points, faint } = given;
  const first = axes.map(({ name }) => name);
  if (points.length < 2 || axes.length < 2) return [];
  const plane = { axes, points: points.map(toPoint), first, faint };
  return planeFigure('Trade-off', plane, params);
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
    isHollow: false,
    isNamed: mark !== undefined,
    values,
  };
}

/**
 * A picture on axes that can be picked where there are others.
 * @param {string} title
 * @param {Plane} plane
 * @param {URLSearchParams} [params]
 */
function planeFigure(title, plane, params) {
  const { axes } = plane;
  const has = (/** @type {string | null | undefined} */ name) =>
    axes.some((axis) => axis.name === name);
  const picked = (/** @type {'x' | 'y'} */ key, /** @type {number} */ place) => {
    const wanted = [params?.get(key), plane.first[place]].find(has);
    return wanted ?? axes[place]?.name ?? '';
  };
  const chosen = { x: picked('x', 0), y: picked('y', 1) };
  const figure = el('figure');
  let drawing = drawPlane(plane, chosen, figure);
  const draw = () => {
    drawing = drawPlane(plane, chosen, figure);
  };
  new ResizeObserver(() => {
    if (figureWidth(figure) !== drawing.viewBox.baseVal.width) draw();
  }).observe(figure);
  const options = axes.map(({ name, label }) => /** @type {const} */ ([name, label]));
  const pick = (/** @type {'x' | 'y'} */ key, /** @type {string} */ label) =>
    choice(label, { options, value: chosen[key] }, (name) => {
      chosen[key] = name;
      keep(key, name);
      draw();
    });
  const picks = axes.length < 3 ? [] : [pick('x', 'Across'), pick('y', 'Up')];
  const save = saveButton('SVG', 'Save the trade-off as SVG', () => saveSvg(drawing, 'trade-off'));
  return [el('div', { class: 'bar' }, el('h2', {}, title), ...picks, save), figure];
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
    return typeof left === 'number' ? [{ ...point, x: left, y: high ?? null }] : [];
  });
  const [axisX, axisY] = [axes[across ?? 0] ?? NO_AXIS, axes[up ?? 0] ?? NO_AXIS];
  const drawing = scatter(dots, [axisX, axisY], figureWidth(figure));
  const better = `${axisX.better === 'higher' ? 'right' : 'left'} and further ${axisY.better === 'higher' ? 'up' : 'down'}`;
  const names = new Set(dots.map(wholeName));
  const labels = [...drawing.querySelectorAll('.label')];
  const areSomeUnnamed =
    labels.filter(({ textContent }) => names.has(textContent)).length < dots.length;
  const caption = [
    `Better lies to the ${better}. Joined: what nothing else beats on both.`,
    ...(areSomeUnnamed ? ['Rest the pointer on a point for all names.'] : []),
    ...(dots.some(({ isHollow }) => isHollow) ? ['Hollow: it exceeds the window.'] : []),
    ...(dots.some((dot) => dot.y === null) ? ['A line: only its place across is known.'] : []),
    ...(dots.every(({ isPeer, isHollow }) => isPeer || isHollow) ? [] : [`Faint: ${faint}.`]),
  ];
  const holder = el('div', { class: 'plot still' }, drawing);
  figure.replaceChildren(holder, el('figcaption', {}, caption.join(' ')));
  return drawing;
}

/**
 * How wide a picture can be; until the figure stands on the page, as wide as that has room for.
 * @param {HTMLElement} figure
 */
function figureWidth(figure) {
  return figure.clientWidth === 0
    ? roomFor(WIDEST)
    : Math.min(WIDEST, Math.max(NARROWEST, figure.clientWidth - PADDING));
}

/** @type {Axis} */
const NO_AXIS = { label: '', unit: 'count' };
