import { isTexts } from '../../lib/json.ts';
import type { Session } from '../session.ts';
import { findSteering, findSteeringInList, type Span, STEERED_KEYS } from '../shell.ts';
import { fileToolNameIn } from '../tool-calls.ts';
import * as allowed from './allowed.ts';
import { createCipher, type KeyedHash, redactMime } from './cipher.ts';
import { createFillers, type Standing } from './fillers.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Replaces the content of sessions by filler of the same shape. */
export interface Redactor {
  /** A redacted copy of the session. Equal lines, paths and rare words stay equal within a redactor, equal ids under one hash. */
  redact(session: Session): Session;
  /** Filler for a text that is no part of a session. */
  readonly redactText: (text: string) => string;
}

interface Place {
  /** The innermost known field. */
  readonly field: string;
  /** Set below tool inputs and unknown fields. */
  readonly isData: boolean;
  /** The innermost key, in data. */
  readonly name?: string;
  /** The key of an argument that may say what is done to files; empty for a whole input. */
  readonly steeredKey?: string | undefined;
  /** Places in the text that are kept. */
  readonly spared?: readonly Span[] | undefined;
  /** Content by default. */
  readonly standing?: Standing;
}

interface Visitor {
  text(text: string, place: Place): string;
  number(value: number, place: Place): number;
  /** For keys that are no fields, or stand in data. */
  key(key: string, place: Place): string;
}

const ID_FIELDS: ReadonlySet<string> = new Set(
  'id parentId callId sessionId parentSessionId clearedCallIds tailStartId headEndId recordedCosts'.split(
    ' ',
  ),
);
const REASON_FIELDS: ReadonlySet<string> = new Set(['dropped', 'repaired']);
/** Fields with foreign keys and known values. */
const KEYED_FIELDS: ReadonlySet<string> = new Set([...REASON_FIELDS, 'recordedCosts']);

/** Creates a redactor. Under one hash, the same sessions in the same order give the same output. */
export function createRedactor(options: {
  readonly vocabulary: Vocabulary;
  /** Keyed by a secret: with it, one can test a text against its filler. */
  readonly hash: KeyedHash;
  /** Recognizes public `provider/model` names; without it every model is replaced. */
  readonly isKnownModel?: (model: string) => boolean;
}): Redactor {
  const { vocabulary, hash, isKnownModel = () => false } = options;
  const fillers = createFillers({ vocabulary, hash, reserved: allowed.allowedTexts() });
  const cipher = createCipher(hash, vocabulary.characters);
  const plain = (text: string): string => fillers.replace(text);

  const redactText = (text: string, { field, isData, spared, standing }: Place): string => {
    if (isData) return fillers.replace(text, { spared });
    if (field === 'system') return fillers.replace(text, { standing: 'system' });
    if (field === 'text') return fillers.replace(text, { standing });
    if (ID_FIELDS.has(field)) return cipher.id(text);
    if (allowed.isAllowedValue(field, text)) return text;
    if (field === 'tool') return redactTool(text, plain);
    if (field === 'mime') return redactMime(text, plain);
    if (field === 'url') return cipher.address(text, plain);
    return field === 'model' && isKnownModel(text) ? text : plain(text);
  };
  const redactKey = (key: string, { field, isData }: Place): string => {
    if (isData) return allowed.isAllowedArgument(key) ? key : plain(key);
    if (ID_FIELDS.has(field)) return cipher.id(key);
    return REASON_FIELDS.has(field) && allowed.isReason(key)
      ? allowed.replaceQuoted(key, plain)
      : plain(key);
  };
  const redaction: Visitor = {
    text: redactText,
    number: (value, { name = '' }) =>
      allowed.isAllowedNumber(name, value) ? value : cipher.number(value),
    key: redactKey,
  };
  const avoid = (text: string): string => {
    fillers.avoid(text);
    return text;
  };
  const gathering: Visitor = { text: avoid, number: (value) => value, key: avoid };

  return {
    // Facts are planted in generated sessions only, and mean nothing where their values are gone.
    redact: ({ facts: _facts, folder: _folder, labels: _labels, ...recorded }) => {
      copyVisited(recorded, gathering);
      return { ...copyVisited(recorded, redaction), isRedacted: true };
    },
    redactText: (text) => {
      fillers.avoid(text);
      return plain(text);
    },
  };
}

function copyVisited<Value extends object>(value: Value, visitor: Visitor): Value {
  const waiting: { readonly source: object; readonly target: object; readonly place: Place }[] = [];
  const copyOf = (source: unknown, place: Place): unknown => {
    const { steeredKey } = place;
    if (typeof source === 'string') {
      const spared = steeredKey === undefined ? place.spared : findSteering(source, steeredKey);
      return visitor.text(source, { ...place, spared });
    }
    if (typeof source === 'number') return place.isData ? visitor.number(source, place) : source;
    if (typeof source === 'boolean' || source === null) return source;
    // Values that JSON does not have cannot be checked.
    if (typeof source !== 'object') return undefined;
    const target = Array.isArray(source) ? [] : source instanceof Map ? new Map() : {};
    waiting.push({ source, target, place });
    return target;
  };
  const copy = copyOf(value, { field: '', isData: false });
  for (let task = waiting.pop(); task !== undefined; task = waiting.pop()) {
    const { source, target, place } = task;
    if (Array.isArray(source) && Array.isArray(target)) {
      const { steeredKey, ...below } = place;
      const spans = steeredKey && isTexts(source) ? findSteeringInList(source, steeredKey) : [];
      for (const [index, child] of source.entries())
        target.push(copyOf(child, { ...below, spared: spans[index] }));
      continue;
    }
    // A recorder's own text says so beside it.
    const isTemplate = !place.isData && 'synthetic' in source && source.synthetic === true;
    for (const [key, child] of source instanceof Map ? source : Object.entries(source)) {
      const { copied, below } = copyKey(String(key), place, visitor);
      const value = copyOf(child, isTemplate ? { ...below, standing: 'template' } : below);
      if (target instanceof Map) target.set(copied, value);
      else setOwn(target, copied, value);
    }
  }
  // Every field has the kind of value that it had.
  return copy as Value;
}

function copyKey(key: string, place: Place, visitor: Visitor) {
  const { field, isData, steeredKey } = place;
  if (isData) {
    const isSteered = steeredKey === '' && STEERED_KEYS.includes(key);
    const below = { field, isData, name: key, steeredKey: isSteered ? key : undefined };
    return { copied: visitor.key(key, place), below };
  }
  if (KEYED_FIELDS.has(field))
    return { copied: visitor.key(key, place), below: { field: 'entry', isData } };
  if (!allowed.isField(key))
    return { copied: visitor.key(key, place), below: { field, isData: true, name: key } };
  // The `input` of a usage is a number, that of a tool lies in its state and may have any shape.
  const isInput = key === 'input' && field === 'state';
  const below = { field: key, isData: isInput, steeredKey: isInput ? '' : undefined };
  return { copied: key, below };
}

function setOwn(target: object, key: string, value: unknown): void {
  const rights = { enumerable: true, writable: true, configurable: true };
  Object.defineProperty(target, key, { value, ...rights });
}

function redactTool(tool: string, replace: (text: string) => string): string {
  const own = fileToolNameIn(tool);
  return replace(tool.slice(0, tool.length - own.length)) + own;
}
