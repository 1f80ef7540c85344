import { isTexts } from '../../lib/json.ts';
import type { Session } from '../session.ts';
import { findSteering, findSteeringInList, type Span, STEERED_KEYS } from '../shell.ts';
import { fileToolNameIn } from '../tool-calls.ts';
import * as allowed from './allowed.ts';
import { createCipher, type KeyedHash, redactMime, shiftDigits } from './cipher.ts';
import { type Vocabulary, drawn, segmentsOf } from './vocabulary.ts';
import { createRandom } from '../../env.ts';
import { copyOf } from '../../lib/text.ts';
import { UNIT } from './characters.ts';

/**
 * Where a text stands. A system prompt may be public, so none of its common words has the filler that it has elsewhere; of a
 * recorder's template only its identifiers and paths have, because it may hold content.
 */
type Standing = 'system' | 'template' | 'content';

/** Replacements for the words of texts, under one key. */
interface Fillers {
  /** Keeps the words of a text out of all filler from now on, so that none seems to be left. */
  avoid(text: string): void;
  /** The text with other words and numbers, but for its spared places. */
  replace(text: string, options?: ReplaceOptions): string;
}

interface ReplaceOptions {
  readonly standing?: Standing | undefined;
  /** Places that stay unchanged, in order. */
  readonly spared?: readonly Span[] | undefined;
}

interface FillersOptions {
  readonly vocabulary: Vocabulary;
  readonly hash: KeyedHash;
  /** Words that may stay somewhere, and are no filler. */
  readonly reserved: readonly string[];
}

interface Unit {
  readonly unit: string;
  readonly start: number;
  /** Characters between it and its neighbours. */
  readonly before: string;
  readonly after: string;
  /** The two before it, and the next one. */
  readonly behind: readonly string[];
  readonly next: string | undefined;
}

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

const CONTRACTION = /^(?:s|t|re|ve|m|ll|d)$/i;

const SHORT_NUMBER = /^[0-9]{1,4}$/;

/** A line or a sentence ends between two words. */
const BREAK = /\n|[.!?]["'”’)\]]*\s|[。！？]/;

/** The beginning of a path, address or version, up to a number in it. */
const RUN = /[^\s"'`<>()[\]{},;|*]*$/;

const LONGEST_RUN = 64;

const JOINT = /^[_.-]$/;

/** A separator before the next piece of a path, address or version. */
const LINKED = /^[._\-/@:+#~%&=?\\]$/;

const ALPHANUMERIC = /[\p{L}\p{N}]/u;

/** Characters that a phrase or a name may stand behind wherever it is copied. */
const FIRST_PREFIXES = ['', ' ', '/', '\t', '(', '"', '`'];

/** Shorter words occur in most texts. */
const SHORTEST_AVOIDED = 4;

const REPEATED_TIMES = 8;

const WORD_TRIES = 32;

const FILL_TRIES = 1_000;

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

/** Creates fillers; a rare word, a folder or a line of one word has the same one wherever it stands, and no other word has it. */
function createFillers(options: FillersOptions): Fillers {
  const { vocabulary, hash } = options;
  const { avoid, codeOf, draw } = createCodebook(options);
  const fillerOf = (place: Unit, text: string, standing: Standing): string => {
    const { unit, before, after, behind, next } = place;
    if (SHORT_NUMBER.test(unit))
      return shiftDigits(unit, `${standing} ${numberKey(place, text)}`, hash);
    if (!vocabulary.isCommon(unit)) return codeOf(unit);
    const isFirstInName = JOINT.test(after) && !JOINT.test(before);
    const isInName = isFirstInName || JOINT.test(before);
    const isFolder = /[/\\]$/.test(before) || /^:?[/\\]/.test(after);
    if (isFolder && !isInName && standing !== 'system') return codeOf(unit);
    const scope = standing === 'template' && isInName ? 'content' : standing;
    const previous = isFirstInName || BREAK.test(before) ? undefined : behind.at(-1);
    if (previous !== undefined && (isInName || !SHORT_NUMBER.test(previous)))
      return draw(unit, `${scope} behind ${previous}`, [' ', prefixOf(place)]);
    const following = BREAK.test(after) ? undefined : next;
    if (following === undefined && standing !== 'system') return codeOf(unit);
    return draw(unit, `${scope} before ${following}`, FIRST_PREFIXES);
  };

  return {
    avoid,
    replace: (text, { standing = 'content', spared = [] } = {}) => {
      let [replaced, done] = ['', 0];
      for (const place of placesOf(text)) {
        const { unit, start } = place;
        const end = start + unit.length;
        if (spared.some((span) => span.start <= start && end <= span.end)) continue;
        replaced += text.slice(done, start) + fillerOf(place, text, standing);
        done = end;
      }
      return replaced + text.slice(done);
    },
  };
}

/** Creates the replacements of words, wherever these stand: one for each, or one for each key. */
function createCodebook({ vocabulary, hash, reserved }: FillersOptions) {
  const { characters } = vocabulary;
  const own = reserved.flatMap(unitsOf).filter(({ length }) => length > 1);
  const avoided = new Set(own.map((unit) => unit.toLowerCase()));
  const taken = new Set<string>();
  const codes = new Map<string, string>();
  const isAvoided = (filler: string): boolean => avoided.has(filler.toLowerCase());

  const findCode = (unit: string): string => {
    const random = createRandom(hash(`unit ${unit}`));
    const repeated = repeatedCharacterOf(unit);
    if (repeated !== undefined)
      return characters.turn(repeated, random()).repeat(unit.length / repeated.length);
    for (let tries = 0; tries < WORD_TRIES + FILL_TRIES; tries++) {
      const make = tries < WORD_TRIES ? vocabulary.compose : characters.fill;
      const filler = make(unit, random);
      if (filler !== unit && !taken.has(filler) && !isAvoided(filler)) return filler;
    }
    // All of this shape are used: two words with one filler are better than one that is left.
    return Array.from(unit, (character) => characters.turn(character, random())).join('');
  };
  const codeOf = (unit: string): string => {
    const known = codes.get(unit);
    if (known !== undefined) return known;
    const filler = findCode(unit);
    taken.add(filler);
    // A copy as the key, because a piece of a text keeps the whole text in memory.
    codes.set(copyOf(unit), filler);
    return filler;
  };

  return {
    codeOf,
    draw: (unit: string, key: string, prefixes: readonly string[]): string => {
      const words = vocabulary.wordsLike(unit, prefixes);
      const random = createRandom(hash(`word ${unit} ${key}`));
      for (let tries = 0; tries < WORD_TRIES; tries++) {
        const word = drawn(words, random) ?? unit;
        if (word !== unit && !isAvoided(word)) return word;
      }
      return codeOf(unit);
    },
    avoid: (text: string): void => {
      for (const unit of unitsOf(text)) {
        for (const word of [unit, ...segmentsOf(unit)]) {
          if (word.length >= SHORTEST_AVOIDED) avoided.add(copyOf(word.toLowerCase()));
        }
      }
    },
  };
}

function unitsOf(text: string): readonly string[] {
  return text.match(UNIT) ?? [];
}

/** Words and numbers that are replaced; ends of contractions and letters of escapes reveal nothing. */
function placesOf(text: string): readonly Unit[] {
  const matches = [...text.matchAll(UNIT)];
  return matches.flatMap(({ 0: unit, index: start }, index) => {
    const [older, last] = [matches[index - 2], matches[index - 1]];
    const following = matches[index + 1];
    const before = text.slice(last === undefined ? 0 : last.index + last[0].length, start);
    const isContracted = /^['’]$/.test(before) && last !== undefined && CONTRACTION.test(unit);
    const isEscape = /^[nrt]$/.test(unit) && before.endsWith('\\');
    if (isContracted || isEscape) return [];
    const behind = [older, last].flatMap((match) => match?.[0] ?? []);
    const after = text.slice(start + unit.length, following?.index);
    return [{ unit, start, before, after, behind, next: following?.[0] }];
  });
}

function repeatedCharacterOf(text: string): string | undefined {
  const [character = ''] = text;
  const times = text.length / character.length;
  // An expression with a back reference fails on megabytes.
  return times >= REPEATED_TIMES && text === character.repeat(times) ? character : undefined;
}

/**
 * The context of a short number. Within a path, address or version it is the beginning, so that equal ones stay equal; else the two
 * words before it, so that copies stay equal to their source and counted lines do not reveal their neighbours.
 */
function numberKey({ start, after, behind }: Unit, text: string): string {
  const [run = ''] = RUN.exec(text.slice(Math.max(0, start - LONGEST_RUN), start)) ?? [];
  if (ALPHANUMERIC.test(run)) return `after ${run}`;
  if (LINKED.test(after)) return 'first';
  return behind.length === 0 ? `at ${start}` : `behind ${behind.join(' ')}`;
}

/** The character that tokenizers join with a unit; empty if there is none. */
function prefixOf({ before }: Unit): string {
  return before.length < 2 || /(?:\s|[\n\t].)$/s.test(before) ? before.slice(-1) : '';
}
