import type { Span } from '../calls/span.ts';
import { isField } from './allowed.ts';
import { SparedText } from './spared-text.ts';

/** Where a value stands in a session. */
export interface Place {
  /** The innermost field of a session that holds it. */
  readonly field: string;
  /** Below the input of a tool, or below a field that no session has: nothing there is known. */
  readonly isData: boolean;
  /** The innermost name above it, in data. */
  readonly name?: string;
  /** Places in the text that stay as they are; absent where there are none. */
  readonly spared?: readonly Span[];
}

/** What becomes of the leaves and the keys of a session. */
export interface Visitor {
  text(text: string, place: Place): string;
  number(value: number, place: Place): number;
  /** Of a key that is no field of a session, or stands in data. */
  key(key: string, place: Place): string;
}

interface Task {
  readonly source: object;
  readonly target: object;
  readonly place: Place;
}

const OUTSIDE: Place = { field: '', isData: false };
const ENTRY: Place = { field: 'entry', isData: false };
/** Fields whose keys come from elsewhere, though what lies below them is known. */
const KEYED_FIELDS: ReadonlySet<string> = new Set(['dropped', 'repaired', 'recordedCosts']);
/** What tools are given, which may have any shape. */
const DATA_FIELD = 'input';

/** A copy of a value with every leaf and every key visited. It needs no stack, however deep the value is. */
export function copyVisited<Value extends object>(value: Value, visitor: Visitor): Value {
  const waiting: Task[] = [];
  const copyOf = (source: unknown, place: Place): unknown => {
    if (typeof source === 'string') return visitor.text(source, place);
    if (typeof source === 'number') return place.isData ? visitor.number(source, place) : source;
    if (typeof source === 'boolean' || source === null) return source;
    // What JSON does not know cannot be judged.
    if (typeof source !== 'object') return undefined;
    if (source instanceof SparedText) {
      return visitor.text(source.text, { ...place, spared: source.spared });
    }
    const target = emptyLike(source);
    waiting.push({ source, target, place });
    return target;
  };
  const copy = copyOf(value, OUTSIDE);
  for (let task = waiting.pop(); task !== undefined; task = waiting.pop()) {
    fillTarget(task, visitor, copyOf);
  }
  // Every field has the kind of value that it had.
  return copy as Value;
}

function emptyLike(source: object): object {
  if (Array.isArray(source)) return [];
  return source instanceof Map ? new Map() : {};
}

function fillTarget(
  { source, target, place }: Task,
  visitor: Visitor,
  copyOf: (source: unknown, place: Place) => unknown,
): void {
  if (Array.isArray(source) && Array.isArray(target)) {
    for (const child of source) target.push(copyOf(child, place));
    return;
  }
  const entries = source instanceof Map ? [...source] : Object.entries(source);
  for (const [key, child] of entries) {
    const name = String(key);
    const [newKey, below] = visitKey(name, place, visitor);
    const copied = copyOf(child, below);
    if (target instanceof Map) target.set(newKey, copied);
    else setOwn(target as Record<string, unknown>, newKey, copied);
  }
}

function visitKey(key: string, place: Place, visitor: Visitor): readonly [string, Place] {
  if (place.isData) return [visitor.key(key, place), { ...place, name: key }];
  if (KEYED_FIELDS.has(place.field)) return [visitor.key(key, place), ENTRY];
  if (!isField(key)) {
    return [visitor.key(key, place), { field: place.field, isData: true, name: key }];
  }
  return [key, { field: key, isData: isInput(key, place) }];
}

/** The `input` of a usage is a number, that of a tool lies in its state. */
function isInput(key: string, { field }: Place): boolean {
  return key === DATA_FIELD && field === 'state';
}

/** A plain assignment to `__proto__` would not make a field. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') {
    target[key] = value;
    return;
  }
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
