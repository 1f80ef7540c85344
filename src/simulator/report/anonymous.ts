/** Copies of documents without paths, names of sessions and of tools. */

import { keepIn } from '../lib/collections.ts';
import { isObject } from '../lib/json.ts';
import { parseSessionName } from '../session/session.ts';

/** The same name has the same label in all documents. */
export type Anonymiser = ReturnType<typeof createAnonymiser>;

type Labels = Readonly<Record<'sessions' | 'files' | 'tools', Map<string, string>>>;

const SESSION_KEYS = ['session', 'family', 'scenario', 'tuning', 'heldOut'];
/** Values that quote a session. */
const TEXTS = ['texts', 'story', 'stories'];
const SENTENCES = ['reason', 'skipped', 'message'];
const TOOL = /^tool (.+)$/s;
/** An absolute path, one that begins with a place, or one of several parts that ends like a file. */
const PATH =
  /(?<!\w)(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\s'":,;()]+|[\w.-]+(?:[/\\][\w.-]+)*[/\\][\w.-]+\.[a-z]{1,6}(?!\w)/;
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

export function createAnonymiser() {
  const labels: Labels = { sessions: new Map(), files: new Map(), tools: new Map() };
  const copies = new WeakMap<object, object>();
  const copyOf = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (SENTENCES.includes(key)) return withoutPaths(value, labels);
      return labelIn(value, key, labels) ?? value;
    }
    if (typeof value !== 'object' || value === null) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const made = copyObject(value, key, copyOf);
    copies.set(value, made);
    return made;
  };
  return {
    /** Objects that were the same still are. */
    copy: <Document>(document: Document): Document => {
      learn(document, '', labels);
      return copyOf(document, '') as typeof document;
    },
    /** Of a file that is no input. */
    label: (file: string) => labelOf(labels.files, file, 'file'),
  };
}

function copyObject(value: object, key: string, copyOf: (value: unknown, key: string) => unknown) {
  if (Array.isArray(value)) return value.map((item) => copyOf(item, key));
  if (value instanceof Map)
    return new Map([...value].map(([name, item]) => [copyOf(name, key), copyOf(item, key)]));
  const entries = Object.entries(value).filter(([name]) => !TEXTS.includes(name));
  return Object.fromEntries(entries.map(([name, item]) => [name, copyOf(item, name)]));
}

/** Names come first, for a sentence may quote one that is named behind it. */
function learn(value: unknown, key: string, labels: Labels) {
  if (typeof value === 'string') labelIn(value, key, labels);
  else if (Array.isArray(value)) for (const item of value) learn(item, key, labels);
  else if (value instanceof Map) for (const [name] of value) learn(name, key, labels);
  else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) learn(item, name, labels);
  }
}

/** Undefined where the key names nothing. */
function labelIn(value: string, key: string, labels: Labels) {
  if (SESSION_KEYS.includes(key)) {
    // Sessions of one file have one label and their place.
    const { path, index } = parseSessionName(value);
    const label = labelOf(labels.sessions, path, 'session');
    return index === undefined ? label : `${label}#${index}`;
  }
  if (key === 'file') return labels.sessions.get(value) ?? labelOf(labels.files, value, 'file');
  const [, tool] = (key === 'kinds' && TOOL.exec(value)) || [];
  return tool === undefined ? undefined : `tool ${labelOf(labels.tools, tool, 'tool')}`;
}

function labelOf(labels: Map<string, string>, name: string, kind: string) {
  return keepIn(labels, name, () => `${kind}-${labels.size + 1}`);
}

function withoutPaths(sentence: string, { sessions, files }: Labels) {
  const known = new Map([...files, ...sessions]);
  const names = [...known.keys()].toSorted((one, other) => other.length - one.length);
  const sources = names.map((name) => name.replaceAll(SPECIAL, String.raw`\$&`));
  const pattern = new RegExp([...sources, PATH.source].join('|'), 'g');
  return sentence.replaceAll(pattern, (found) => known.get(found) ?? 'path');
}
