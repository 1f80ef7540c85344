import type { RunEvent } from '../../events.ts';

/** A hash that things are mixed into one after another. */
interface Mix {
  high: number;
  low: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** As what is mixed always is: whole numbers of 32 bits with a sign. */
const SEED_HIGH = 0x9e3779b9 | 0;
const SEED_LOW = 0x85ebca6b | 0;
const FACTOR_HIGH = 0x2c1b3c6d;
const FACTOR_LOW = 0x297a2d39;
const ROTATION = 15;
const BITS = 32;
const DIGITS = 8;
const HEX = 16;

/** Marks of kinds of values, so that different things do not look alike. */
const MARK = { number: 1, text: 2, true: 3, false: 4, absent: 5, list: 6, object: 7, end: 8 };

/** How numbers are taken apart. */
const WIDE = new Float64Array(1);
const HALVES = new Uint32Array(WIDE.buffer);

/**
 * Hash of what happened in a run, equal for runs of a session that differ in nothing but what they are
 * called: the start of a run says only that, and is left out. It guards against chance, not against intent.
 */
export function digestEvents(events: Iterable<RunEvent>): string {
  const mix: Mix = { high: SEED_HIGH, low: SEED_LOW };
  for (const event of events) {
    if (event.type !== 'run-start') addValue(mix, event);
  }
  return [mix.high, mix.low].map(toHex).join('');
}

/** Keys are mixed in as they come: events of one type are built in one place. */
function addValue(mix: Mix, value: unknown): void {
  if (typeof value === 'number') addNumber(mix, value);
  else if (typeof value === 'string') addText(mix, value);
  else if (typeof value === 'boolean') addWord(mix, value ? MARK.true : MARK.false);
  else if (Array.isArray(value)) addList(mix, value);
  else if (isObject(value)) addObject(mix, value);
  else addWord(mix, MARK.absent);
}

function addNumber(mix: Mix, value: number): void {
  if ((value | 0) === value) {
    addWord(mix, MARK.number);
    addWord(mix, value);
    return;
  }
  WIDE[0] = value;
  addWord(mix, MARK.number);
  addWord(mix, HALVES[0] ?? 0);
  addWord(mix, HALVES[1] ?? 0);
}

function addText(mix: Mix, text: string): void {
  addWord(mix, MARK.text);
  addWord(mix, text.length);
  for (let index = 0; index < text.length; index++) addWord(mix, text.charCodeAt(index));
}

function addList(mix: Mix, values: readonly unknown[]): void {
  addWord(mix, MARK.list);
  for (const value of values) addValue(mix, value);
  addWord(mix, MARK.end);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** What is absent may also be there without a value. Events are plain objects, with no field but their own. */
function addObject(mix: Mix, fields: Fields): void {
  addWord(mix, MARK.object);
  for (const key in fields) {
    const field = fields[key];
    if (field === undefined) continue;
    addText(mix, key);
    addValue(mix, field);
  }
  addWord(mix, MARK.end);
}

function addWord(mix: Mix, word: number): void {
  const low = Math.imul(mix.low ^ word, FACTOR_LOW);
  const high = Math.imul(mix.high ^ rotate(low), FACTOR_HIGH);
  mix.low = (rotate(low) + high) | 0;
  mix.high = (high ^ (low >>> ROTATION)) | 0;
}

function rotate(word: number): number {
  return (word << ROTATION) | (word >>> (BITS - ROTATION));
}

function toHex(word: number): string {
  return (word >>> 0).toString(HEX).padStart(DIGITS, '0');
}
