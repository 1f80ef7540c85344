import type { Message, Part } from '../../../engine/index.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { saidTexts } from './calls.ts';
import {
  isOutput,
  type References,
  type Side,
  sideOf,
  type Standing,
  type StandingItem,
} from './reference.ts';
import type { Touches } from './touches.ts';
import { findSentences, USER_RULE } from './user-rules.ts';

interface StandingInput extends Pick<References, 'partNumbers'> {
  readonly messages: readonly Message[];
  readonly facts: readonly PlantedFact[];
  readonly touches: Touches;
}

interface Constraint {
  readonly text: string;
  readonly side: Side;
  readonly isInOutputs?: boolean;
}

/** Part of a constraint's rows of words that a text must have to carry it. */
const CARRIED_SHARE = 0.8;
const ROW_WORDS = 3;
const BETWEEN_PATHS = /[\s"'`“”‘’„()<>|,;[\]{}*，。、；：！？「」『』（）《》【】…]+/;
const BEHIND_PATH = /(?:[:#]L?\d+(?:[-–]L?\d+)?)*[.:]*$|-\d+-+$/;
/** Longest word that is taken for a path with something around it, in UTF-16 units. */
const LONGEST_WORD = 300;
const NONE: readonly number[] = [];

const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}_]+/gu;

/** The constraints and files of a session, with the sides that name them. */
export function findStanding(input: StandingInput): Standing {
  const constraints = findConstraints(input);
  const paths = pathsOf(input);
  const items: readonly StandingItem[] = [
    ...constraints.map(({ text }, index) => ({
      id: `constraint-${index + 1}`,
      kind: 'constraint' as const,
      text,
    })),
    ...paths.map((text, index) => ({ id: `path-${index + 1}`, kind: 'path' as const, text })),
  ];
  const itemsIn = createItemFinder(items, input.touches);
  return { items, itemsIn, itemsOf: itemsOfSides(input, { items, itemsIn, constraints }) };
}

function itemsOfSides(
  { messages, touches, partNumbers }: StandingInput,
  found: Pick<Standing, 'items' | 'itemsIn'> & {
    readonly constraints: readonly Constraint[];
  },
): readonly (readonly number[])[] {
  const numbers = new Map(found.items.map(({ kind, text }, index) => [`${kind} ${text}`, index]));
  const itemsOf: (readonly number[])[] = [];
  for (const part of messages.flatMap((message) => message.parts)) {
    const number = partNumbers.get(part.id) ?? 0;
    const touched = touches.of(part).flatMap(({ path }) => numbers.get(`path ${path}`) ?? []);
    const named = found.items.length === 0 ? NONE : found.itemsIn(saidTexts(part).join('\n'));
    for (const of of ['said', 'output'] as const) {
      const side = sideOf(number, of);
      const own = of === 'said' ? [...touched, ...named] : NONE;
      const given = givenBy(found.constraints, part, side);
      itemsOf[side] = [...new Set([...own, ...given])];
    }
  }
  return itemsOf;
}

function givenBy(constraints: readonly Constraint[], part: Part, side: Side): readonly number[] {
  if (constraints.length === 0) return NONE;
  const output = isOutput(side) && part.type === 'tool' ? outputOf(part) : undefined;
  return constraints.flatMap((constraint, index) => {
    const isIn = constraint.isInOutputs === true && output?.includes(constraint.text) === true;
    return constraint.side === side || isIn ? [index] : [];
  });
}

/** As declared in a generated session; else the user's own sentences that sound like one. */
function findConstraints(input: StandingInput): readonly Constraint[] {
  const { messages, facts, partNumbers } = input;
  const found =
    facts.length > 0
      ? facts
          .filter(({ kind, role }) => kind === 'constraint' && role === undefined)
          .flatMap((fact) => declaredAt(input, fact))
      : messages.flatMap((message) => {
          const own = message.parts.filter((part) => part.type === 'text' && !part.synthetic);
          const text = own.flatMap(saidTexts).join('\n');
          const side = sideOf(partNumbers.get(own[0]?.id ?? '') ?? 0, 'said');
          if (message.role !== 'user' || text === '') return [];
          const sentences = findSentences([{ text, at: side }], USER_RULE);
          return sentences.map((sentence) => ({ text: sentence.text, side }));
        });
  const texts = new Set<string>();
  return found.filter(({ text, side }) => {
    const key = `${side} ${text}`;
    return rowsOf(text).length > 0 && !texts.has(key) && texts.add(key);
  });
}

function declaredAt({ messages, partNumbers }: StandingInput, { source, value }: PlantedFact) {
  const role = source === 'user' ? 'user' : 'assistant';
  const parts = messages.flatMap((message) => (message.role === role ? message.parts : []));
  const part = parts.find((each) => {
    if (source === 'tool') return each.type === 'tool' && outputOf(each)?.includes(value) === true;
    return each.type === 'text' && each.text.includes(value);
  });
  if (part === undefined) return [];
  const side = sideOf(partNumbers.get(part.id) ?? 0, source === 'tool' ? 'output' : 'said');
  return [{ text: value, side, isInOutputs: source === 'tool' }];
}

function pathsOf({ messages, touches }: StandingInput): readonly string[] {
  const touched = messages.flatMap(({ parts }) => parts.flatMap(touches.of));
  const used = touched.filter(({ operation }) => operation !== 'searched');
  return [...new Set(used.map(({ path }) => path))];
}

function createItemFinder(
  items: readonly StandingItem[],
  { nameOf }: Touches,
): (text: string) => readonly number[] {
  const paths = new Map<string, number>();
  const constraints: { readonly index: number; readonly rows: readonly string[] }[] = [];
  for (const [index, { kind, text }] of items.entries()) {
    if (kind === 'path') paths.set(text, index);
    else constraints.push({ index, rows: rowsOf(text) });
  }
  const rowsIn = createRowFinder(constraints.flatMap(({ rows }) => rows));
  return (text) => {
    if (text === '') return NONE;
    const found = new Set<number>();
    const rows = rowsIn(text);
    for (const { index, rows: own } of constraints) {
      const carried = own.filter((row) => rows.has(row)).length;
      if (carried >= CARRIED_SHARE * own.length) found.add(index);
    }
    for (const word of paths.size === 0 ? [] : text.split(BETWEEN_PATHS)) {
      const path =
        paths.get(word) ?? (isPathLike(word) ? paths.get(nameOf(pathIn(word))) : undefined);
      if (path !== undefined) found.add(path);
    }
    return [...found];
  };
}

/** The rows of three words of a text; of a shorter one, all of it. */
function rowsOf(text: string): readonly string[] {
  const words = wordsOf(text);
  const size = Math.min(ROW_WORDS, words.length);
  const starts = size === 0 ? [] : words.slice(size - 1);
  return starts.map((_, at) => words.slice(at, at + size).join(' '));
}

/** Only behind the first words of rows it looks further. */
function createRowFinder(rows: readonly string[]): (text: string) => ReadonlySet<string> {
  const wanted = new Set(rows);
  const firstWords = new Set(rows.map((row) => row.split(' ', 1)[0] ?? ''));
  return (text) => {
    const found = new Set<string>();
    const words = wanted.size === 0 ? [] : wordsOf(text);
    for (const [at, first] of words.entries()) {
      if (!firstWords.has(first)) continue;
      for (let end = at + 1; end <= Math.min(at + ROW_WORDS, words.length); end += 1) {
        const row = words.slice(at, end).join(' ');
        if (wanted.has(row)) found.add(row);
      }
    }
    return found;
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function isPathLike(word: string): boolean {
  return word.length <= LONGEST_WORD && /^[@.]|[/:]|[.\d-]$/.test(word);
}

function pathIn(word: string): string {
  return word.replace(/^@/, '').replace(BEHIND_PATH, '');
}
