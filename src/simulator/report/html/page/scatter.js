import { columnMarks, rowMarks } from './axis-marks.js';
import { rangeOf, shareOf, ticksWithin } from './axis-range.js';
import { roomFor, svg } from './elements.js';
import { labelNames } from './label-names.js';
import { labelPlacer } from './label-places.js';
import { count, inUnit } from './numbers.js';
import { shown } from './shown.js';

/** @import { PagePlane } from '../page-data.ts' */

/** @typedef {Pick<PagePlane['axes'][number], 'label' | 'unit' | 'better'>} Axis */
/** @typedef {readonly [x: number, y: number]} Spot */

/**
 * @typedef {object} Dot
 * @property {string} name
 * @property {readonly string[]} parts What of the name may tell it from others.
 * @property {string} note What is said behind the name, however long that is.
 * @property {string} color
 * @property {boolean} isPeer Whether it can be held against others.
 * @property {boolean} isNamed Whether its name is to be read before others'.
 * @property {number} x
 * @property {number} y
 */

const WIDEST = 760;
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
 * @property {(dot: Dot) => Spot} spotOf
 * @property {(value: number) => number} x
 * @property {(value: number) => number} y
 */

/**
 * Points by two numbers; peers that no other beats on both are joined.
 * @param {readonly Dot[]} dots
 * @param {Axis} across
 * @param {Axis} up
 */
export function scatter(dots, across, up) {
  const [rangeX, rangeY] = [rangeOf(dots.map(({ x }) => x)), rangeOf(dots.map(({ y }) => y))];
  const frame = frameOf(rangeX, rangeY);
  const front = frontOf(dots, across, up);
  const path = front.map((dot) => frame.spotOf(dot).join(' ')).join('L');
  const { width } = frame;
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
    ...drawDots(frame, { dots, front }, [across, up]),
    svg('text', name, `${across.label} →`),
    svg('text', { x: 4, y: 11 }, `↑ ${up.label}`),
  );
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
 * @returns {ScatterFrame}
 */
function frameOf(rangeX, rangeY) {
  const width = roomFor(WIDEST);
  const [wide, tall] = [width - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const x = (/** @type {number} */ value) => MARGIN.left + shareOf(value, rangeX) * wide;
  const y = (/** @type {number} */ value) => HEIGHT - MARGIN.bottom - shareOf(value, rangeY) * tall;
  return { width, x, y, spotOf: (dot) => [x(dot.x), y(dot.y)] };
}

/**
 * Peers that no other beats, from the left to the right.
 * @param {readonly Dot[]} dots
 * @param {Axis} across
 * @param {Axis} up
 */
function frontOf(dots, across, up) {
  const [signX, signY] = [across, up].map(({ better }) => (better === 'higher' ? -1 : 1));
  const loss = (/** @type {Dot} */ dot) => [(signX ?? 1) * dot.x, (signY ?? 1) * dot.y];
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
 * @param {{ readonly dots: readonly Dot[], readonly front: readonly Dot[] }} shownDots
 * @param {readonly Axis[]} axes
 */
function drawDots(frame, { dots, front }, axes) {
  const rankOf = (/** @type {Dot} */ dot) =>
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

/** @typedef {{ readonly spot: Spot, readonly first: Dot, readonly others: Dot[] }} DotPlace Points that are drawn on the same spot, as equal cells are. */

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
  const opacity = dots.some(({ isPeer }) => isPeer) ? 1 : 0.4;
  const look = { cx, cy, r, opacity, style: `fill:${first.color}` };
  return svg('circle', look, svg('title', {}, lines.join('\n')));
}

/**
 * @param {readonly Dot[]} dots
 * @param {(dot: Dot) => Spot} spotOf
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
