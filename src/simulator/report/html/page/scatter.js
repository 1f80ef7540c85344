import { columnMarks, rowMarks } from './axis-marks.js';
import { rangeOf, shareOf, ticksWithin } from './axis-range.js';
import { svg } from './elements.js';
import { labelNames } from './label-names.js';
import { labelPlacer } from './label-places.js';
import { count, inUnit } from './numbers.js';
import { shown } from './shown.js';

/** @import { PagePlane } from '../page-data.ts' */

/** @typedef {Pick<PagePlane['axes'][number], 'label' | 'unit' | 'better'>} Axis */
/** @typedef {readonly [x: number, y: number]} Spot */
/** @typedef {Dot & { readonly y: number }} PlacedDot */

/**
 * @typedef {object} Dot
 * @property {string} name
 * @property {readonly string[]} parts What of the name may tell it from others.
 * @property {string} note What is said behind the name, however long that is.
 * @property {string} color
 * @property {boolean} isPeer Whether it can be held against others.
 * @property {boolean} isHollow Whether nobody can choose it.
 * @property {boolean} isNamed Whether its name is to be read before others'.
 * @property {number} x
 * @property {number | null} y Where it is unknown, a line stands for the point.
 */

const HEIGHT = 344;
const MARGIN = { left: 62, right: 20, top: 30, bottom: 40 };
const COLUMNS = 6;
const ROWS = 5;
/** With more of them, those that something beats have no name. */
const MOST_NAMES = 12;
const PIXELS_PER_LETTER = 16;
const RANKS = { named: 0, front: 1, beaten: 2 };

/**
 * @typedef {object} ScatterFrame
 * @property {number} width
 * @property {(dot: PlacedDot) => Spot} spotOf
 * @property {(value: number) => number} x
 * @property {(value: number) => number} y
 */

/**
 * Points by two numbers; peers that no other beats on both are joined.
 * @param {readonly Dot[]} all
 * @param {readonly [across: Axis, up: Axis]} axes
 * @param {number} width
 */
export function scatter(all, [across, up], width) {
  const dots = all.filter(isPlaced);
  const [rangeX, rangeY] = [rangeOf(all.map(({ x }) => x)), rangeOf(dots.map(({ y }) => y))];
  const frame = frameOf(rangeX, rangeY, width);
  const front = frontOf(dots, across, up);
  const path = front.map((dot) => frame.spotOf(dot).join(' ')).join('L');
  const names = front.map(wholeName).join(', ');
  const look = {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: 'img',
    'aria-label': `Points of ${across.label} against ${up.label}. On the front: ${names}.`,
    style: `max-width:${width}px`,
  };
  const sides = {
    left: MARGIN.left,
    right: width - MARGIN.right,
    below: HEIGHT - MARGIN.bottom + 16,
  };
  const name = { x: sides.right, y: HEIGHT - 6, 'text-anchor': 'end' };
  return svg(
    'svg',
    look,
    ...columnMarks({ ...frame, ...sides }, ticksWithin(rangeX, COLUMNS, across.unit)),
    ...rowMarks({ ...frame, ...sides }, ticksWithin(rangeY, ROWS, up.unit)),
    svg('path', { class: 'front', d: path === '' ? '' : `M${path}` }),
    ...all.filter((dot) => !isPlaced(dot)).flatMap((dot) => drawLine(frame, dot, across)),
    ...drawDots(frame, { dots, front }, [across, up]),
    svg('text', name, `${axisName(across, rangeX)} →`),
    svg('text', { x: 4, y: 11 }, `↑ ${axisName(up, rangeY)}`),
  );
}

/**
 * @param {Dot} dot
 * @returns {dot is PlacedDot}
 */
function isPlaced(dot) {
  return dot.y !== null;
}

/**
 * An axis that does not begin at 0 says so.
 * @param {Axis} axis
 * @param {Spot} range
 */
function axisName({ label }, [from]) {
  return from > 0 ? `${label} (does not begin at 0)` : label;
}

/**
 * A point of which only one number is known.
 * @param {ScatterFrame} frame
 * @param {Dot} dot
 * @param {Axis} across
 */
function drawLine({ x, width }, dot, across) {
  const [at, top, bottom] = [x(dot.x), MARGIN.top, HEIGHT - MARGIN.bottom];
  const look = { x1: at, x2: at, y1: top, y2: bottom, style: `stroke:${dot.color}` };
  const words = `${wholeName(dot)}: ${inUnit(dot.x, across.unit)}`;
  const isRight = at > width / 2;
  const place = {
    x: at + (isRight ? -6 : 6),
    y: top + 8,
    'text-anchor': isRight ? 'end' : 'start',
  };
  return [
    svg('line', { class: 'unknown', ...look }, svg('title', {}, words)),
    svg('text', { class: 'label', ...place }, wholeName(dot)),
  ];
}

/**
 * A name with all of its parts.
 * @param {Pick<Dot, 'name' | 'note'>} dot
 */
export function wholeName({ name, note }) {
  return `${shown(name)}${note}`;
}

/**
 * @param {Spot} rangeX
 * @param {Spot} rangeY
 * @param {number} width
 * @returns {ScatterFrame}
 */
function frameOf(rangeX, rangeY, width) {
  const [wide, tall] = [width - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const x = (/** @type {number} */ value) => MARGIN.left + shareOf(value, rangeX) * wide;
  const y = (/** @type {number} */ value) => HEIGHT - MARGIN.bottom - shareOf(value, rangeY) * tall;
  return { width, x, y, spotOf: (dot) => [x(dot.x), y(dot.y)] };
}

/**
 * Peers that no other beats, from the left to the right.
 * @param {readonly PlacedDot[]} dots
 * @param {Axis} across
 * @param {Axis} up
 */
function frontOf(dots, across, up) {
  const [signX, signY] = [across, up].map(({ better }) => (better === 'higher' ? -1 : 1));
  const loss = (/** @type {PlacedDot} */ dot) => [(signX ?? 1) * dot.x, (signY ?? 1) * dot.y];
  const peers = dots.filter(({ isPeer }) => isPeer);
  return peers
    .filter((dot) => !peers.some((other) => beats(loss(other), loss(dot))))
    .toSorted((a, b) => a.x - b.x || a.y - b.y);
}

/**
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 */
function beats([x = 0, y = 0], [otherX = 0, otherY = 0]) {
  return x <= otherX && y <= otherY && (x !== otherX || y !== otherY);
}

/**
 * @param {ScatterFrame} frame
 * @param {{ readonly dots: readonly PlacedDot[], readonly front: readonly PlacedDot[] }} shownDots
 * @param {readonly Axis[]} axes
 */
function drawDots(frame, { dots, front }, axes) {
  const rankOf = (/** @type {PlacedDot} */ dot) =>
    dot.isNamed ? RANKS.named : front.includes(dot) ? RANKS.front : RANKS.beaten;
  const places = placesOf(
    dots.toSorted((a, b) => rankOf(a) - rankOf(b)),
    frame.spotOf,
  );
  const room = { right: frame.width, bottom: HEIGHT - MARGIN.bottom };
  const labelAt = labelPlacer(
    room,
    places.map(({ spot }) => spot),
  );
  const labelled = places.filter(
    ({ first }) => dots.length <= MOST_NAMES || rankOf(first) < RANKS.beaten,
  );
  const names = labelNames(
    labelled.map(({ first }) => first),
    Math.floor(frame.width / PIXELS_PER_LETTER),
  );
  const labels = labelled.flatMap(({ spot, others }, index) => {
    const more = others.length === 0 ? '' : ` and ${count(others.length)} more`;
    return labelAt(spot, `${names[index]}${more}`);
  });
  const circles = places.map((place) =>
    drawDot(place, rankOf(place.first) < RANKS.beaten ? 6 : 4.5, axes),
  );
  return [...circles.toReversed(), ...labels];
}

/** @typedef {{ readonly spot: Spot, readonly first: PlacedDot, readonly others: PlacedDot[] }} DotPlace Points that are drawn on the same spot, as equal cells are. */

/**
 * @param {DotPlace} place
 * @param {number} r
 * @param {readonly Axis[]} axes
 */
function drawDot({ spot: [cx, cy], first, others }, r, [across, up]) {
  const dots = [first, ...others];
  const lines = dots.map((dot) => {
    const numbers = [inUnit(dot.x, across?.unit ?? ''), inUnit(dot.y, up?.unit ?? '')];
    return `${wholeName(dot)}: ${numbers.join(', ')}`;
  });
  const opacity = dots.some(({ isPeer, isHollow }) => isPeer || isHollow) ? 1 : 0.4;
  const style = first.isHollow ? `fill:none;stroke:${first.color}` : `fill:${first.color}`;
  const look = { cx, cy, r, opacity, style, class: first.isHollow ? 'hollow' : '' };
  return svg('circle', look, svg('title', {}, lines.join('\n')));
}

/**
 * @param {readonly PlacedDot[]} dots
 * @param {(dot: PlacedDot) => Spot} spotOf
 * @returns {readonly DotPlace[]}
 */
function placesOf(dots, spotOf) {
  /** @type {Map<string, DotPlace>} */
  const places = new Map();
  for (const dot of dots) {
    const spot = spotOf(dot);
    const key = spot.map(Math.round).join();
    const place = places.get(key);
    if (place === undefined) places.set(key, { spot, first: dot, others: [] });
    else place.others.push(dot);
  }
  return [...places.values()];
}
