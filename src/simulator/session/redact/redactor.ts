import type { Message, Part } from '../../../engine/index.ts';
import { isTexts } from '../../lib/json.ts';
import type { Tokenizer } from '../../tokens/tokenizer.ts';
import type { Session } from '../session.ts';
import { findSteering, findSteeringInList, type Span, STEERED_KEYS } from '../shell.ts';
import { fileToolNameIn } from '../tool-calls.ts';
import {
  allowedTexts,
  isAllowedArgument,
  isAllowedNumber,
  isAllowedValue,
  isField,
  isReason,
  replaceQuoted,
} from './allowed.ts';
import { createClasses } from './character-class.ts';
import {
  createIdCipher,
  createNumberCipher,
  createPayloadRedaction,
  type KeyedHash,
  redactAddress,
  redactMime,
  shiftDigits,
} from './cipher.ts';
import { type Codebook, createCodebook } from './codebook.ts';
import { createGatherer, createSparing, type TextForm, type TextOptions } from './gather.ts';
import { createTreatments, type Standing, type Treatment, type TreatmentsIn } from './treatment.ts';
import { replaceUnits, unitsOf } from './units.ts';

/** Options of a redactor. */
interface RedactorOptions {
  /** Counts the tokens that filler preserves. */
  readonly tokenizer: Tokenizer;
  /** Token texts of the tokenizer, from which filler is made. */
  readonly vocabulary: readonly string[];
  /** Keyed by a secret: with it, one can test a text against its filler. */
  readonly hash: KeyedHash;
  /** Recognizes public `provider/model` names; without it every model is replaced. */
  readonly isKnownModel?: (model: string) => boolean;
}

/** Counts of replaced and of kept values. */
interface RedactionReport {
  readonly tokenizer: string;
  /** Replaced strings and numbers by field; those in tool inputs under `input`. */
  readonly replaced: Readonly<Record<string, number>>;
  /** Kept strings: listed ones, and those without letters and digits. */
  readonly kept: Readonly<Record<string, number>>;
}

/** Replaces the content of sessions by filler of the same shape. */
export interface Redactor {
  /** A redacted copy of the session. Equal lines, paths and rare words stay equal within a redactor, equal ids under one hash. */
  redact(session: Session): Session;
  /** Filler for a text that is no part of a session. */
  redactText(text: string): string;
  /** Counts over all sessions so far. */
  report(): RedactionReport;
}

/** Replacements for the content of a session. */
interface Redaction {
  text(text: string, form: TextForm, options?: TextOptions): string;
  /** For ids of sessions, messages, parts and calls. */
  id(id: string): string;
  /** For the data in a URL. */
  payload(payload: string): string;
  number(value: number): number;
  isKnownModel(model: string): boolean;
}

type Replace = (text: string, spared?: readonly Span[]) => string;

/** The parts of a redaction. */
interface RedactionTools {
  readonly codebook: Codebook;
  readonly hash: KeyedHash;
  readonly treatmentsIn: TreatmentsIn;
  readonly isKnownModel: (model: string) => boolean;
}

/** Replaced and kept values by field. */
interface RedactionCounts {
  readonly replaced: Readonly<Record<string, number>>;
  readonly kept: Readonly<Record<string, number>>;
}

/** A visitor that counts the results of another. */
interface RedactionTally {
  readonly visitor: Visitor;
  counts(): RedactionCounts;
}

/** The position of a value in a session. */
interface Place {
  /** The innermost known field. */
  readonly field: string;
  /** Set below tool inputs and unknown fields. */
  readonly isData: boolean;
  /** The innermost key, in data. */
  readonly name?: string;
  /** Places in the text that are kept; absent if there are none. */
  readonly spared?: readonly Span[];
  /** Content by default. */
  readonly standing?: Standing;
}

/** Handlers for the leaves and keys of a session. */
export interface Visitor {
  text(text: string, place: Place): string;
  number(value: number, place: Place): number;
  /** For keys that are no fields, or stand in data. */
  key(key: string, place: Place): string;
}

interface Task {
  readonly source: object;
  readonly target: object;
  readonly place: Place;
}

const REASON_FIELDS: ReadonlySet<string> = new Set(['dropped', 'repaired']);

const ID_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'parentId',
  'callId',
  'sessionId',
  'parentSessionId',
  'clearedCallIds',
  'tailStartId',
  'headEndId',
  'recordedCosts',
]);

const OUTSIDE: Place = { field: '', isData: false };
const ENTRY: Place = { field: 'entry', isData: false };
/** Fields with foreign keys and known values. */
const KEYED_FIELDS: ReadonlySet<string> = new Set(['dropped', 'repaired', 'recordedCosts']);
/** Inputs of tools, which may have any shape. */
const DATA_FIELD = 'input';

/** A text with places that are kept. */
class SparedText {
  readonly text: string;
  /** In order. */
  readonly spared: readonly Span[];

  constructor(text: string, spared: readonly Span[]) {
    this.text = text;
    this.spared = spared;
  }
}

/** Creates a redactor. Under one hash, the same sessions in the same order give the same output. */
export function createRedactor(options: RedactorOptions): Redactor {
  const { tokenizer, vocabulary, hash, isKnownModel = () => false } = options;
  const codebook = createCodebook({ vocabulary, hash, count: (text) => tokenizer.count(text) });
  const treatmentsIn = createTreatments({ isCommon: (unit) => codebook.isCommon(unit) });
  const tools = { codebook, hash, treatmentsIn, isKnownModel };
  const redaction = createRedaction(tools);
  const tally = createTally(createVisitor(redaction));
  codebook.reserve(allowedTexts().flatMap(unitsOf).filter(isWord));

  return {
    // Facts are planted in generated sessions only, and mean nothing where their values are gone.
    redact: ({ facts: _facts, folder: _folder, ...recorded }) => {
      const session = spareSteering(recorded);
      learnUnits(tools, session, redaction);
      return { ...copyVisited(session, tally.visitor), isRedacted: true };
    },
    redactText: (text) => {
      const gatherer = createGatherer(treatmentsIn);
      gatherer.add(text, 'plain');
      codebook.learn(gatherer);
      return redaction.text(text, 'plain');
    },
    report: () => ({ tokenizer: tokenizer.name, ...tally.counts() }),
  };
}

/** Copies a value and visits every leaf and key, without recursion. */
export function copyVisited<Value extends object>(value: Value, visitor: Visitor): Value {
  const waiting: Task[] = [];
  const copyOf = (source: unknown, place: Place): unknown => {
    if (typeof source === 'string') return visitor.text(source, place);
    if (typeof source === 'number') return place.isData ? visitor.number(source, place) : source;
    if (typeof source === 'boolean' || source === null) return source;
    // Values that JSON does not have cannot be checked.
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

function createRedaction({
  codebook,
  hash,
  treatmentsIn,
  isKnownModel,
}: RedactionTools): Redaction {
  const classes = createClasses();
  const id = createIdCipher(hash, classes);
  const replace = (unit: string, treatment: Treatment): string => {
    if (treatment.as === 'unit') return codebook.replacementOf(unit);
    if (treatment.as === 'drawn') return codebook.draw(unit, treatment);
    return shiftDigits(unit, treatment.key, hash);
  };
  return {
    text: (text, _form, { spared = [], standing = 'content' } = {}) => {
      const isSpared = createSparing(spared);
      const treat = treatmentsIn(text, standing);
      return replaceUnits(text, (place) =>
        isSpared(place) ? place.unit : replace(place.unit, treat(place)),
      );
    },
    id,
    payload: createPayloadRedaction(hash, classes),
    number: createNumberCipher(hash, id),
    isKnownModel,
  };
}

function createTally(visitor: Visitor): RedactionTally {
  const replaced = new Map<string, number>();
  const kept = new Map<string, number>();
  const noted = <Value>(before: Value, after: Value, kind: string): Value => {
    const counts = before === after ? kept : replaced;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return after;
  };

  return {
    visitor: {
      text: (text, place) => noted(text, visitor.text(text, place), place.field),
      number: (value, place) => noted(value, visitor.number(value, place), place.field),
      key: (key, place) => noted(key, visitor.key(key, place), `name in ${place.field}`),
    },
    counts: () => ({ replaced: Object.fromEntries(replaced), kept: Object.fromEntries(kept) }),
  };
}

/** Creates a visitor that keeps listed values and passes on everything else. */
function createVisitor(redaction: Redaction): Visitor {
  const plain = (text: string): string => redaction.text(text, 'plain');
  const json: Replace = (text, spared) => redaction.text(text, 'json', { spared });
  const payload = (data: string): string => redaction.payload(data);

  return {
    text: (text, { field, isData, spared, standing }) => {
      if (isData) return json(text, spared);
      if (field === 'system') return redaction.text(text, 'plain', { standing: 'system' });
      if (standing === 'template' && field === 'text') {
        return redaction.text(text, 'plain', { standing });
      }
      if (ID_FIELDS.has(field)) return redaction.id(text);
      if (isAllowedValue(field, text)) return text;
      if (field === 'tool') return redactTool(text, plain);
      if (field === 'mime') return redactMime(text, plain);
      if (field === 'url') {
        return redactAddress(text, { text: plain, payload });
      }
      return field === 'model' && redaction.isKnownModel(text) ? text : plain(text);
    },
    number: (value, { name = '' }) =>
      isAllowedNumber(name, value) ? value : redaction.number(value),
    key: (key, place) =>
      ID_FIELDS.has(place.field) && !place.isData
        ? redaction.id(key)
        : visitKey(key, place, { plain, json }),
  };
}

/** Keeps the part of a tool's name that marks it as a file tool, and replaces the server before it. */
function redactTool(tool: string, replace: Replace): string {
  const own = fileToolNameIn(tool);
  return replace(tool.slice(0, tool.length - own.length)) + own;
}

function visitKey(
  key: string,
  { field, isData }: Place,
  { plain, json }: { readonly plain: Replace; readonly json: Replace },
): string {
  if (isData) return isAllowedArgument(key) ? key : json(key);
  if (REASON_FIELDS.has(field) && isReason(key)) return replaceQuoted(key, plain);
  return plain(key);
}

function isWord(unit: string): boolean {
  return unit.length > 1;
}

function spareSteering(session: Session): Session {
  return { ...session, messages: session.messages.map(spareInMessage) };
}

function spareInMessage(message: Message): Message {
  return { ...message, parts: message.parts.map(spareInPart) };
}

function spareInPart(part: Part): Part {
  if (part.type !== 'tool') return part;
  const { state } = part;
  return { ...part, state: { ...state, input: spareInInput(state.input) } };
}

function spareInInput(input: unknown): unknown {
  if (typeof input === 'string') return spare(input, findSteering(input));
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const steered = Object.entries(input)
    .filter(([key]) => STEERED_KEYS.includes(key))
    .map(([key, value]) => [key, spareInArgument(value, key)] as const);
  return steered.length === 0 ? input : { ...input, ...Object.fromEntries(steered) };
}

function spare(text: string, spans: readonly Span[]): string | SparedText {
  return spans.length === 0 ? text : new SparedText(text, spans);
}

function spareInArgument(value: unknown, key: string): unknown {
  if (typeof value === 'string') return spare(value, findSteering(value, key));
  if (!isTexts(value)) return value;
  const spans = findSteeringInList(value, key);
  return value.map((word, index) => spare(word, spans[index] ?? []));
}

function learnUnits(
  { codebook, treatmentsIn }: RedactionTools,
  session: Session,
  redaction: Redaction,
): void {
  const gatherer = createGatherer(treatmentsIn);
  const gathering: Redaction = {
    ...redaction,
    text: (text, form, options) => {
      gatherer.add(text, form, options);
      return text;
    },
    id: (id) => id,
    payload: (payload) => payload,
    number: (value) => value,
  };
  copyVisited(session, createVisitor(gathering));
  codebook.learn(gatherer);
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
  // A recorder's own text says so beside it.
  const isTemplate = !place.isData && 'synthetic' in source && source.synthetic === true;
  for (const [key, child] of entries) {
    const name = String(key);
    const [newKey, below] = visitKeyOfWalk(name, place, visitor);
    const copied = copyOf(child, isTemplate ? { ...below, standing: 'template' } : below);
    if (target instanceof Map) target.set(newKey, copied);
    else setOwn(target as Record<string, unknown>, newKey, copied);
  }
}

function visitKeyOfWalk(key: string, place: Place, visitor: Visitor): readonly [string, Place] {
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
