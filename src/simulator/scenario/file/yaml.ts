/** Reads YAML that people write: one document of plain keys. */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type * as z from 'zod';
import { sum } from '../../lib/collections.ts';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import { isObject } from '../../lib/json.ts';
import { cutText, describeNearest, LISTED_NAMES, quoted, quotedLong } from '../../lib/names.ts';
import type { Place } from './amounts.ts';

type YamlResult =
  | { readonly state: 'read'; readonly value: unknown; readonly places: Places }
  | { readonly state: 'broken'; readonly problems: readonly Problem[]; readonly cause: unknown };

/** Keys from the top of a file down to a value. */
export type Path = readonly PropertyKey[];

export type Places = ReturnType<typeof createPlaces>;

export interface Spot {
  readonly at: Place;
  readonly of: (...path: Path) => Spot;
  problem(expected: string, got: string): HarnessError;
}

export interface Problem {
  readonly file: string;
  readonly at: Place;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** Uses of anchors, with everything that they hold. */
const MAX_ALIASES = 100;
export const SHOWN_PROBLEMS = 5;
const MOST_CHARACTERS = 200;
const BAD_KEY = 'Expected a key to be text, got a list, a map or an alias.';
const BAD_MERGE = "Expected '<<' to be a map, an alias of one before it, or a list of these.";
const START: Place = { line: 1, column: 1 };

/** The value of a text; `file` is its name in problems. */
export function readYaml(file: string, text: string): YamlResult {
  const lines = new LineCounter();
  const how = { lineCounter: lines, logLevel: 'error', prettyErrors: false, merge: true } as const;
  const document = tryTo(() => parseDocument(text, how));
  if (document instanceof Error) return broken(file, document, 'Expected YAML');
  const places = createPlaces(file, document, lines);
  const problems = [...syntaxProblems(document, places), ...keyProblems(document, places)];
  if (problems.length > 0) {
    const shown = problems.slice(0, SHOWN_PROBLEMS);
    return { state: 'broken', problems: shown, cause: document.errors[0] };
  }
  const value = tryTo((): unknown => document.toJS({ maxAliasCount: MAX_ALIASES }));
  if (!(value instanceof Error)) return { state: 'read', value, places };
  return broken(file, value, `Expected anchors before their uses, at most ${MAX_ALIASES} of these`);
}

export function createPlaces(file: string, document: Document, lines: LineCounter) {
  const ofNode = (node: unknown): Place => {
    const offset = (node as Node | undefined)?.range?.[0];
    if (offset === undefined) return START;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const at = (path: Path) => ofNode(nodeAt(document, path));
  const spot = (path: Path): Spot => ({
    get at() {
      return at(path);
    },
    of: (...keys) => spot([...path, ...keys]),
    problem: (expected, got) => {
      const message = `Expected ${describePath(path)} to be ${expected}, got ${got}.`;
      return badScenario([{ file, at: at(path), message }]);
    },
  });
  /** Of a key that should not be there. */
  const atKey = (path: Path) => ofNode(keyAt(document, path));
  return { file, at, atKey, ofNode, spot };
}

export function badScenario(problems: readonly Problem[], cause?: unknown): HarnessError {
  const lines = problems.map(
    ({ file, at: { line, column }, message }) =>
      `${quotedLong(file).slice(1, -1)}:${line}:${column}: ${message}`,
  );
  return new HarnessError('BAD_SCENARIO', lines.join('\n'), { cause });
}

export function describeIssue(issue: Issue, places: Places): Omit<Problem, 'file'> {
  const deepest = toDiscriminator(deepen(issue));
  if (deepest.code === 'unrecognized_keys') return describeKeys(deepest, places);
  const { path, input } = deepest;
  const [expected = '', ...hint] = deepest.message.split(/(?=; nearest: )/);
  const got = `${describeValue(input)}${hint.join('')}`;
  return {
    at: places.at(path),
    message: `Expected ${describePath(path)} to be ${expected}, got ${got}.`,
  };
}

/** A value in a few words. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (isObject(value)) {
    const keys = Object.keys(value);
    if (keys.length === 0) return 'an empty map';
    const shown = keys.slice(0, LISTED_NAMES).map((key) => quoted(key));
    return `a map with ${shown.join(', ')}${keys.length > LISTED_NAMES ? ' and more' : ''}`;
  }
  if (typeof value === 'string') return quoted(value);
  // Only programs have these.
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return 'nothing';
}

function tryTo<Value>(read: () => Value) {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function broken(file: string, cause: Error, expected: string): YamlResult {
  const message = `${expected}, got ${quoted(messageOf(cause))}.`;
  return { state: 'broken', problems: [{ file, at: START, message }], cause };
}

function syntaxProblems({ errors, warnings }: Document, places: Places) {
  return [...errors, ...warnings].map(({ code, message: words, pos }) => {
    // The parser repeats a whole line, which may be all of a file.
    const told = `Expected YAML: ${cutText(words, MOST_CHARACTERS).replace(/\.?$/, '.')}`;
    const isSeveral = code === 'MULTIPLE_DOCS';
    const message = isSeveral ? 'Expected one YAML document per file, got another.' : told;
    return { file: places.file, at: places.ofNode({ range: pos }), message };
  });
}

function keyProblems(document: Document, places: Places) {
  const problems: Problem[] = [];
  visit(document, {
    Pair(_, pair) {
      const { key } = pair;
      const isBad = !isScalar(key) || (isMergeKey(key) && !isMergeable(pair, document));
      const message = isScalar(key) ? BAD_MERGE : BAD_KEY;
      if (isBad) problems.push({ file: places.file, at: places.ofNode(key), message });
    },
  });
  return problems;
}

/** True for an unquoted `<<`; in quotes it is an ordinary key. */
function isMergeKey(node: unknown) {
  return isScalar(node) && typeof node.value === 'symbol';
}

function isMergeable({ value }: Pair, document: Document) {
  const sources = isSeq(value) ? value.items : [value];
  return sources.every((source) => isMap(isAlias(source) ? source.resolve(document) : source));
}

/** The node at a path, or the last one on the way to it. */
function nodeAt(document: Document, path: Path) {
  let node: unknown = document.contents;
  for (const key of path) {
    const child = childOf(resolve(node, document), key, document);
    if (child === undefined || child === null) break;
    node = child;
  }
  return node;
}

function childOf(node: unknown, key: PropertyKey, document: Document) {
  if (isSeq(node)) return typeof key === 'number' ? node.items[key] : undefined;
  return isMap(node) ? pairOf(node, key, document)?.value : undefined;
}

function pairOf(map: YAMLMap, key: PropertyKey | undefined, document: Document): Pair | undefined {
  const own = map.items.find(
    (item) => isScalar(item.key) && String(item.key.value) === String(key),
  );
  if (own !== undefined) return own;
  const merged = map.items.filter((item) => isMergeKey(item.key)).map(({ value }) => value);
  const sources = merged.flatMap((value) => (isSeq(value) ? value.items : [value]));
  for (const source of sources.map((one) => resolve(one, document))) {
    const pair = isMap(source) ? pairOf(source, key, document) : undefined;
    if (pair !== undefined) return pair;
  }
  return undefined;
}

function resolve(node: unknown, document: Document) {
  return isAlias(node) ? node.resolve(document) : node;
}

function keyAt(document: Document, path: Path) {
  const holder = resolve(nodeAt(document, path.slice(0, -1)), document);
  const pair = isMap(holder) ? pairOf(holder, path.at(-1), document) : undefined;
  return pair?.key ?? holder;
}

/** A path as people write it: `session.script[2].step`. */
function describePath(path: Path) {
  if (path.length === 0) return 'the file';
  const words = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return quotedLong(words.join('').slice(1)).slice(1, -1);
}

function toDiscriminator(issue: Issue) {
  if (!('discriminator' in issue) || typeof issue.discriminator !== 'string') return issue;
  const input = Object.entries(issue.input ?? {}).find(([key]) => key === issue.discriminator)?.[1];
  return { ...issue, input };
}

/** The issue of the one kind that the value must have been meant for, if that is clear. */
function deepen(issue: Issue) {
  if (issue.code !== 'invalid_union') return issue;
  const ranked = issue.errors
    .map((issues) => ({ issues, distance: sum(issues.map(distanceOf)) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best, second] = ranked;
  const inner = best?.issues.find(({ code }) => code === 'unrecognized_keys') ?? best?.issues[0];
  if (best === undefined || inner === undefined || !Number.isFinite(best.distance)) return issue;
  if (second !== undefined && second.distance === best.distance) return issue;
  return deepen({ ...inner, path: [...issue.path, ...inner.path] });
}

/** Keys between a value and a kind; infinite for none of its maps. */
function distanceOf(issue: Issue) {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) return issue.keys.length;
  if (issue.path.length === 0) return Number.POSITIVE_INFINITY;
  return issue.path.length === 1 && issue.input === undefined ? 1 : 0;
}

function describeKeys(issue: z.core.$ZodIssueUnrecognizedKeys, places: Places) {
  const known = issue.message.split(' ');
  const [key = ''] = issue.keys;
  const hint = describeNearest(key, known, { lists: true });
  return {
    at: places.atKey([...issue.path, key]),
    message: `Unknown key ${quoted(key)} in ${describePath(issue.path)}${hint}.`,
  };
}
