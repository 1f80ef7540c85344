import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import type { Place } from './expectation.ts';

/** Keys and indexes from the top of a file down to a value. */
export type Path = readonly PropertyKey[];

/** Where the values of one file stand. */
export interface Places {
  /** The path of the file as given. */
  readonly file: string;
  /** Of the value there, or of what holds it where it is absent. */
  at(path: Path): Place;
  /** Of the key itself, for a key that should not be there. */
  atKey(path: Path): Place;
  /** Of a piece of the parsed file. */
  ofNode(node: unknown): Place;
  /** What is wrong with the value there, ready to be thrown. */
  problem(path: Path, expected: string, got: string): HarnessError;
}

/** One thing that is wrong with a file. */
export interface Problem {
  readonly file: string;
  readonly at: Place;
  /** A whole sentence. */
  readonly message: string;
}

const START: Place = { line: 1, column: 1 };

/** The places of a parsed file. */
export function createPlaces(file: string, document: Document, lines: LineCounter): Places {
  const ofNode = (node: unknown): Place => placeOfNode(node, lines);
  const at = (path: Path) => ofNode(nodeAt(document, path));
  return {
    file,
    at,
    atKey: (path) => ofNode(keyAt(document, path)),
    ofNode,
    problem: (path, expected, got) => {
      const message = `Expected ${describePath(path)} to be ${expected}, got ${got}.`;
      return badScenario([{ file, at: at(path), message }]);
    },
  };
}

/** The error that tells what is wrong with a file, one problem a line. */
export function badScenario(problems: readonly Problem[], cause?: unknown): HarnessError {
  const lines = problems.map(({ file, at, message }) => `${locate(file, at)}: ${message}`);
  return new HarnessError('BAD_SCENARIO', lines.join('\n'), { cause });
}

/** A path as people write it: `session.script[2].step`. */
export function describePath(path: Path): string {
  if (path.length === 0) return 'the file';
  const words = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return quotedLong(words.join('').slice(1)).slice(1, -1);
}

/** Whether a key is `<<`, in quotes of which it is a name like any other. */
export function isMergeKey(node: unknown): boolean {
  return isScalar(node) && typeof node.value === 'symbol';
}

/** A place as editors and terminals know it: `file:line:column`. */
function locate(file: string, { line, column }: Place): string {
  return `${quotedLong(file).slice(1, -1)}:${line}:${column}`;
}

function placeOfNode(node: unknown, lines: LineCounter): Place {
  const offset = (node as Node | undefined)?.range?.[0];
  if (offset === undefined) return START;
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** The node at a path, or the last one on the way to it; what an alias stands for is where its anchor is. */
function nodeAt(document: Document, path: Path): unknown {
  let node: unknown = document.contents;
  for (const key of path) {
    const child = childOf(resolve(node, document), key, document);
    if (child === undefined || child === null) break;
    node = child;
  }
  return node;
}

function keyAt(document: Document, path: Path): unknown {
  const holder = resolve(nodeAt(document, path.slice(0, -1)), document);
  const pair = isMap(holder) ? pairOf(holder, path.at(-1), document) : undefined;
  return pair?.key ?? holder;
}

function childOf(node: unknown, key: PropertyKey, document: Document): unknown {
  if (isSeq(node)) return typeof key === 'number' ? node.items[key] : undefined;
  return isMap(node) ? pairOf(node, key, document)?.value : undefined;
}

/** The pair with a key, one of its own before one that `<<` brings in. */
function pairOf(map: YAMLMap, key: PropertyKey | undefined, document: Document): Pair | undefined {
  const own = map.items.find((item) => isKey(item.key, key));
  if (own !== undefined) return own;
  const merged = map.items.filter((item) => isMergeKey(item.key)).map(({ value }) => value);
  const sources = merged.flatMap((value) => (isSeq(value) ? value.items : [value]));
  for (const source of sources.map((one) => resolve(one, document))) {
    const pair = isMap(source) ? pairOf(source, key, document) : undefined;
    if (pair !== undefined) return pair;
  }
  return undefined;
}

function isKey(node: unknown, key: PropertyKey | undefined): boolean {
  return isScalar(node) && String(node.value) === String(key);
}

function resolve(node: unknown, document: Document): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}
