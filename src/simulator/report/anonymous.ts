/** Copies of documents without paths, ids, and names of sessions, tools, models and records; nothing else decides what is told. */

import { policies } from '../../engine/index.ts';
import { keepIn } from '../lib/collections.ts';
import { isObject } from '../lib/json.ts';
import { findRecordedModel, readCatalog, withoutRelease } from '../provider/catalog.ts';
import { isReason, replaceQuoted } from '../session/redact/allowed.ts';
import { OWN_PROVIDER, parseSessionName } from '../session/session.ts';
import { KEY_SHAPES } from '../summarizer/scrub.ts';

const KINDS = ['session', 'file', 'tool', 'model', 'record', 'message', 'part', 'text'] as const;
type Kind = (typeof KINDS)[number];

type Labels = Readonly<Record<Kind, Map<string, string>>>;

/** Kinds of names by the key that holds them. */
const NAMED: Readonly<Record<string, Kind>> = {
  session: 'session',
  family: 'session',
  scenario: 'session',
  tuning: 'session',
  heldOut: 'session',
  file: 'file',
  model: 'model',
  recordedModel: 'model',
  summaryModel: 'model',
  messageId: 'message',
  messageIds: 'message',
  partId: 'part',
  partIds: 'part',
  systemText: 'text',
};
/** The same of names that are keys themselves, by the key above. */
const NAMED_BELOW: Readonly<Record<string, Kind>> = {
  models: 'model',
  tokenizers: 'model',
  dropped: 'record',
  repaired: 'record',
};
const TEXTS = ['texts', 'story', 'stories'];
const SENTENCES = ['reason', 'skipped', 'message', 'expected', 'got'];
const TOOL = /^tool (.+)$/s;
/** Real models and cassettes, whose names begin so. */
const SUMMARIZER = /^(ai:|cassette:)(.+)$/s;
const UNKNOWN_MODEL = 'unknown/unknown';
/** An absolute path, one that begins with a place, or one of several parts that ends like a file. */
const PATH =
  /(?<!\w)(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\s'":,;()]+|[\w.-]+(?:[/\\][\w.-]+)*[/\\][\w.-]+\.[a-z]{1,6}(?!\w)/g;
/** Of a person or a host: all that has a dot in it, but for numbers and the end of a sentence. */
const ADDRESS =
  /[\w.+-]+@[\w.-]+|(?<![\w.-])(?=[\d.]*[A-Za-z])[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?(?!\w)/g;
const WORD = /^[\w:-]*$/;
const QUOTED = /(?<!\w)(?:"[^"]*"|“[^”]*”|'[^']*'|`[^`]*`)(?!\w)/g;
const OWN_WORDS = /^(?:--[a-z-]+|(?:session|file|model)-\d+(?:#\d+)?)$/;
/** Sentences of presets, and words that say from where something is known. */
const OWN_KEYS = ['describes', 'source'];
const NEVER = /(?!)/g;
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** The same name has the same label in all documents. */
export function createAnonymiser() {
  const labels = Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as Labels;
  const scrub = createScrubber(labels);
  const copies = new WeakMap<object, object>();
  const copyOf = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return labelIn(value, key, labels) ?? scrub(value, key);
    if (typeof value !== 'object' || value === null) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const made = copyObject(value, key, { copyOf, labels });
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
    label: (file: string) => labelOf(labels, 'file', file),
  };
}

function copyObject(
  value: object,
  key: string,
  { copyOf, labels }: { copyOf: (value: unknown, key: string) => unknown; labels: Labels },
) {
  if (Array.isArray(value)) return value.map((item) => copyOf(item, key));
  if (value instanceof Map)
    return new Map([...value].map(([name, item]) => [copyOf(name, key), copyOf(item, key)]));
  const entries = Object.entries(value).filter(([name]) => !TEXTS.includes(name));
  const below = NAMED_BELOW[key];
  return Object.fromEntries(
    entries.map(([name, item]) => [
      below === undefined ? name : nameOf(name, below, labels),
      copyOf(item, keyBelow(key, name)),
    ]),
  );
}

function keyBelow(key: string, name: string) {
  return key === 'scenarios' && name === 'name' ? 'scenario' : name;
}

/** Names come first, for a sentence may quote one that is named behind it. */
function learn(value: unknown, key: string, labels: Labels) {
  if (typeof value === 'string') labelIn(value, key, labels);
  else if (Array.isArray(value)) for (const item of value) learn(item, key, labels);
  else if (value instanceof Map) for (const [name] of value) learn(name, key, labels);
  else if (isObject(value)) {
    const below = NAMED_BELOW[key];
    for (const [name, item] of Object.entries(value)) {
      if (below !== undefined) nameOf(name, below, labels);
      learn(item, keyBelow(key, name), labels);
    }
  }
}

/** Undefined where the key names nothing. */
function labelIn(value: string, key: string, labels: Labels) {
  const kind = NAMED[key];
  if (kind !== undefined) return nameOf(value, kind, labels);
  const [, tool] = (key === 'kinds' && TOOL.exec(value)) || [];
  if (tool !== undefined) return `tool ${labelOf(labels, 'tool', tool)}`;
  const [, prefix, name] = (key === 'summarizer' && SUMMARIZER.exec(value)) || [];
  if (prefix === undefined || name === undefined) return undefined;
  return `${prefix}${nameOf(name, prefix === 'ai:' ? 'model' : 'file', labels)}`;
}

function nameOf(name: string, kind: Kind, labels: Labels): string {
  if (kind === 'session') {
    // Sessions of one file have one label and their place.
    const { path, index } = parseSessionName(name);
    const label = labelOf(labels, 'session', path);
    return index === undefined ? label : `${label}#${index}`;
  }
  if (kind === 'file') return labels.session.get(name) ?? labelOf(labels, 'file', name);
  if (kind === 'record' && isReason(name))
    return replaceQuoted(name, (quoted) => `"${labelOf(labels, 'record', quoted)}"`);
  if (kind !== 'model') return labelOf(labels, kind, name);
  if (isPublic(name)) return name;
  const label = labelOf(labels, 'model', withoutRelease(name));
  return name.startsWith(OWN_PROVIDER) ? `${OWN_PROVIDER}${label}` : label;
}

function labelOf(labels: Labels, kind: Kind, name: string) {
  return keepIn(labels[kind], name, () => `${kind}-${labels[kind].size + 1}`);
}

function isPublic(model: string): boolean {
  return model === UNKNOWN_MODEL || findRecordedModel(readCatalog(), model) !== undefined;
}

/** Takes names, keys and paths out of what is said; of a reason also what it quotes, and addresses. */
function createScrubber({ session, file, model, text }: Labels) {
  let known: ReadonlyMap<string, string> = new Map();
  let names = NEVER;
  let learnt = 0;
  const quotedText = (quoted: string) => {
    const inner = quoted.slice(1, -1);
    const isTold = OWN_WORDS.test(inner) || Object.hasOwn(policies, inner) || isPublic(inner);
    return isTold ? quoted : `'${keepIn(text, inner, () => `text-${text.size + 1}`)}'`;
  };
  return (said: string, key: string): string => {
    if (WORD.test(said) || OWN_KEYS.includes(key)) return said;
    const named = session.size + file.size + model.size;
    if (named > learnt) {
      learnt = named;
      known = new Map([...file, ...session, ...model]);
      const longestFirst = [...known.keys()].toSorted((one, other) => other.length - one.length);
      const sources = longestFirst.map((name) => name.replaceAll(SPECIAL, String.raw`\$&`));
      names = new RegExp(`(?<!\\w)(?:${sources.join('|')})(?!\\w)`, 'g');
    }
    const unnamed = said.replaceAll(names, (name) => known.get(name) ?? name);
    const scrubbed = Object.values(KEY_SHAPES)
      .reduce((left, shape) => left.replaceAll(shape, 'key'), unnamed)
      .replaceAll(PATH, 'path');
    if (!SENTENCES.includes(key)) return scrubbed;
    return scrubbed.replaceAll(QUOTED, quotedText).replaceAll(ADDRESS, 'name');
  };
}
