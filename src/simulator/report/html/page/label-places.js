import { svg } from './elements.js';

/** The width of a label's letter, in pixels: the most on average. */
const LETTER_WIDTH = 7;
const HALF_HEIGHT = 6.5;
const DOT_RADIUS = 5;
/** From the middle of a point to its label. */
const GAP = 9;
/** From the bottom of a label to the line that it stands on. */
const DESCENT = 2.5;
/** How far up or down a label may go, in the order in which that is tried. */
const SHIFTS = [0, -13, 13, -26, 26];
/** Points further to the right than this share have their labels on the left if they can. */
const RIGHT_PART = 0.7;

/** @typedef {{ readonly left: number, readonly right: number, readonly top: number, readonly bottom: number }} Box */
/** @typedef {readonly [x: number, y: number]} Spot */

/**
 * How wide a label is at most, in pixels.
 * @param {string} words
 */
export function labelWidth(words) {
  return LETTER_WIDTH * Array.from(words).length;
}

/**
 * Puts labels beside their points, where neither another label nor a point is in the way; a label without room is left out.
 * @param {{ readonly right: number, readonly bottom: number }} room
 * @param {readonly Spot[]} spots
 */
export function labelPlacer(room, spots) {
  /** @type {Box[]} */
  const taken = spots.map(([x, y]) => ({
    left: x - DOT_RADIUS,
    right: x + DOT_RADIUS,
    top: y - DOT_RADIUS,
    bottom: y + DOT_RADIUS,
  }));
  const isFree = (/** @type {Box} */ box) =>
    isWithin(box, room) && !taken.some((other) => overlap(box, other));
  return (/** @type {Spot} */ [x, y], /** @type {string} */ words) => {
    const width = labelWidth(words);
    const sides = x > room.right * RIGHT_PART ? [-1, 1] : [1, -1];
    const boxes = SHIFTS.flatMap((shift) =>
      sides.map((side) => ({ side, ...boxBeside(x + GAP * side, width * side, y + shift) })),
    );
    const box = boxes.find(isFree);
    if (box === undefined) return [];
    taken.push(box);
    const anchor = box.side === 1 ? 'start' : 'end';
    const place = { x: x + GAP * box.side, y: box.bottom - DESCENT, 'text-anchor': anchor };
    return [svg('text', { class: 'label', ...place }, words)];
  };
}

/**
 * @param {number} start
 * @param {number} width Below zero to the left.
 * @param {number} middle
 * @returns {Box}
 */
function boxBeside(start, width, middle) {
  return {
    left: Math.min(start, start + width),
    right: Math.max(start, start + width),
    top: middle - HALF_HEIGHT,
    bottom: middle + HALF_HEIGHT,
  };
}

/**
 * @param {Box} box
 * @param {{ readonly right: number, readonly bottom: number }} room
 */
function isWithin({ left, right, top, bottom }, room) {
  return left >= 0 && right <= room.right && top >= 0 && bottom <= room.bottom;
}

/**
 * @param {Box} one
 * @param {Box} other
 */
function overlap(one, other) {
  const isBeside = one.left >= other.right || other.left >= one.right;
  return !isBeside && one.top < other.bottom && other.top < one.bottom;
}
