import type { Message, Part } from '../../../engine/index.ts';
import { splitSentences } from '../../lib/lines.ts';
import { anyWords } from '../../lib/text.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { saidTexts, type Touches } from './calls.ts';
import {
  isOutput,
  type References,
  type Side,
  sideOf,
  type Standing,
  type StandingItem,
} from './reference.ts';

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

interface Passage {
  readonly text: string;
  readonly at: number;
}

const STRICT_RULE = cue(
  [
    'must|never|always|do not|shall|required?|forbidden|under no circumstances|at all costs',
    "(?<!\\b(?:i|we|they) )don['’]t|must ?n['’]t",
    'niemals|auf keinen fall|(?:darf|dürfen|soll|sollen) nicht|muss|müssen|verboten',
  ],
  [
    '(?<!\\p{L})(?:никогда|нельзя|запрещ|обязательно|ни в коем случае)',
    '必须|必須|务必|務必|不要|不能|不得|不可|不许|不准|禁止|切勿|绝不|決不|一定要|永远|永遠|始终|总是|請勿|请勿',
    '(?:^|[\\s，。；、,;])别(?!的|人)',
    '必ず|絶対|常に|厳禁|べからず|ては(?:いけ|なら|だめ)|なければ(?:なら|いけ)|ないで(?:くだ|下さ|ほし|。|$)',
  ],
);

const START = '(?<=^|[.!?:;\\n] |[-*•] |[.!?:;\\n] please |^please )';
const TOLD_OF = '(?:it|that|this|there|he|she|they|we|i|something|someone|somebody)';
/** A past that ends in -ed; some words that tell what to do end so, too. */
const PAST =
  '(?:(?!\\w*(?:eed|embed|shed|wed)(?!\\w))\\w+ed|been|had|was|were|did|done|said|saw|seen|got|gotten|ran|came|went|made|knew|known|wrote|written|told|took|taken|found|heard|sent|built|gave|given|broke|broken|thought|worked|used to|happened)';
const DOES = '(?!\\w*[su]s(?!\\w))\\w+s';

/** Sentences with words of rules that give none: reports, guesses and questions. */
const TOLD = new RegExp(
  cue(
    [
      `(?:never|always) (?:ever |really |actually |quite |once )?(?:${PAST}|${DOES}|mind)`,
      '(?:i|they) (?:have |had |am |are |was |were )?(?:never|always)',
      `${TOLD_OF} must(?: not)? (?:be (?:an?|the|some\\w*|because|due|in|coming|from|caused|related|just|another)|have ${PAST})`,
      'must (?:(?:not )?have been|be (?:joking|kidding|mistaken|confused|dreaming))',
      "(?:i|we|they|these|those|(?!(?:always|yes|is|us|this|thus)(?!\\w))\\w+s) (?:do not|don['’]t)(?! want)",
      '(?:will|would|may|might|could|does|did) (?:not )?require',
    ],
    [
      `${START}(?:why|what|when|who|how|where|which|is|are|am|do(?! not)|does|did|must|can|could|should|shall|will|would|has|have|don['’]t (?:we|you|they))(?![\\w-])[^.!?\\n]{0,300}\\?`,
    ],
  ).source,
  'giu',
);

const ORDERS = cue([
  `${START}no (?:new|further|more|additional|extra|external|breaking|other|network|third-party|direct|manual|global)(?! [^.;\\n]{0,300}(?<![\\w-])(?:is|are|was|were|has|have|had|found|needed|necessary|seen)(?![\\w-]))`,
  `${START}only (?:edit|change|touch|modify|use|commit|push|run|write|add|install|read|look|work|deploy|call|import|fix)`,
  `${START}(?:keep|leave) [^.!?\\n]{1,300} (?:unchanged|intact|untouched|alone|stable|compatible|as is|as (?:it|they) (?:is|are))`,
  `${START}use [^.!?\\n]{1,300}(?:, (?:and )?not|,? instead of|,? rather than)`,
  `${START}(?:avoid|make sure|ensure)`,
  "not (?:allowed|permitted)|off[- ]limits|prohibited|(?:i|we) (?:do not|don['’]t) want",
]);

/** Lines with a cue that are looked at: far more than a summary holds, few enough to be quick. */
const FIRST_LINES = 500;
const LAST_LINES = 1_500;

const FENCE = /^\s*(?:```|~~~)/;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const LIST_OPENING = /[:：]\s*$/;
const LONGEST_OPENING = 200;

/** The test that tells the rules of a user from other text. */
export const USER_RULE = {
  test: (text: string) => {
    const rest = text.replaceAll(TOLD, ' ');
    return STRICT_RULE.test(rest) || ORDERS.test(rest);
  },
};

const CARRIED_SHARE = 0.8;
const ROW_WORDS = 3;
const BETWEEN_PATHS = /[\s"'`“”‘’„()<>|,;[\]{}*，。、；：！？「」『』（）《》【】…]+/;
const BEHIND_PATH = /(?:[:#]L?\d+(?:[-–]L?\d+)?)*[.:]*$|-\d+-+$/;
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

/** The sentences of passages in which a cue occurs, in order. */
export function findSentences(
  passages: readonly Passage[],
  cue: Pick<RegExp, 'test'>,
): readonly Passage[] {
  const lines = passages.flatMap((passage) =>
    proseLines(passage.text)
      .filter((line) => cue.test(line))
      .map((text) => ({ ...passage, text })),
  );
  const isLong = lines.length > FIRST_LINES + LAST_LINES;
  const read = isLong ? [...lines.slice(0, FIRST_LINES), ...lines.slice(-LAST_LINES)] : lines;
  return read.flatMap((line) =>
    splitSentences(line.text)
      .filter((sentence) => cue.test(sentence))
      .map((text) => ({ ...line, text })),
  );
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
        paths.get(word) ??
        (isPathLike(word)
          ? paths.get(nameOf(word.replace(/^@/, '').replace(BEHIND_PATH, '')))
          : undefined);
      if (path !== undefined) found.add(path);
    }
    return [...found];
  };
}

function rowsOf(text: string): readonly string[] {
  const words = wordsOf(text);
  const size = Math.min(ROW_WORDS, words.length);
  const starts = size === 0 ? [] : words.slice(size - 1);
  return starts.map((_, at) => words.slice(at, at + size).join(' '));
}

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

function cue(english: readonly string[], others: readonly string[] = []): RegExp {
  return new RegExp(anyWords(english, others), 'iu');
}

/** Without fenced code; each entry of a list follows its introduction: `Do not touch: src/old.ts`. */
function proseLines(text: string): readonly string[] {
  let opening = '';
  return withoutCode(text.split(/[\r\n]+/)).flatMap((line) => {
    const isEntry = LIST_MARK.test(line);
    if (isEntry) return [opening + line.replace(LIST_MARK, '')];
    if (line.trim() === '') return [];
    const isOpening = LIST_OPENING.test(line);
    opening = isOpening && line.length <= LONGEST_OPENING ? `${line.trim()} ` : '';
    return isOpening ? [] : [line];
  });
}

function withoutCode(lines: readonly string[]): readonly string[] {
  const fences = lines.filter((line) => FENCE.test(line)).length;
  const closedFences = fences - (fences % 2);
  let seenFences = 0;
  return lines.filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) seenFences += 1;
    return !isFence && (seenFences >= closedFences || seenFences % 2 === 0);
  });
}
