import { countEach } from '../../lib/collections.ts';
import { remembered } from '../../lib/text.ts';
import { DECISION } from './cues.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import type { Line } from './lines.ts';
import { findNames } from './names.ts';
import { toShortLine } from './plain-text.ts';
import {
  CORRECTION,
  HEARSAY,
  TASK_STATE,
  TO_SUMMARIZER,
  type Topic,
  TOPICS,
} from './statement-cues.ts';
import { bySection, type BySection, type SectionName } from './template.ts';

/** A line with the names that it is about. */
interface Named {
  readonly line: Line;
  readonly names: readonly string[];
}

/** What lines of a head and of an earlier summary tell, weighed against each other. */
export interface Statements {
  /** Lines of the head that tie a name or a number to something, by the section in which they belong. */
  readonly found: BySection<readonly Item[]>;
  /** A line that the earlier summary carried, weighed as one of the head. */
  readonly weighCarried: (text: string) => Item;
  /** What a line loses for those that begin alike. */
  readonly penaltyOf: (text: string) => number;
}

/** What a line says, whoever says it. */
interface Said {
  readonly section: SectionName;
  readonly text: string;
  readonly topicWeight: number;
  readonly isHearsay: boolean;
  readonly key?: string;
}

const STATEMENT_CHARS = 300;
/** A name that that many lines have tells nothing of one of them. */
const COMMON = 8;
/** More lines than that which begin alike are rows of a list, or a habit of speech. */
const ALIKE = 4;
/** What a line loses for each doubling of those that begin alike, and at most. */
const ALIKE_WEIGHT = 0.5;
const MOST_ALIKE_WEIGHT = 2;
const OPENING_CHARS = 80;
const OPENING_WORDS = 2;
/** Characters of an opening without blanks between its words. */
const SHORT_OPENING_CHARS = 5;
const NAME_LIKE = /[\w./-]*(?:[A-Z\d_./][\w./-]*){2,}/g;
/** Code, and rows of logs and listings. */
const NOT_PROSE =
  /[{}[(;,\\]$|^[}\])<>|@"'`]|=>|^(?:const|let|var|return|import|export|if|for|while|throw|await|type|def|class|fn)\s|^\d[\d:.,/T-]*\s|^-[rwx-]+\s|\w\(\w|^\w+\.\w+\(/;
/** Words between which names stand in what somebody wrote. */
const PROSE =
  /(?<![\w./-])(?:the|an?|of|for|with|is|was|are|to|in|on|each|that|has|will|be|as|by|from|we|i|it|not|never|der|die|das|ist|und|wird|bei|mit|auf|zu|wir)(?![\w/-])|[\u0400-\u04ff]{2}|[\u3040-\u9fff]{2}/iu;
const SOURCE_WEIGHTS = { user: 0.5, assistant: 0.3, tool: 0 } as const;
const HEARSAY_WEIGHT = 1.5;
/** What was chosen once is worth more than what may be. */
const CARRIED_WEIGHT = 0.6;

const isNamingProse = remembered((text) => PROSE.test(text) && findNames(text).length > 0);

/** Remembered, for summaries carry lines on and on. */
const readSaid = remembered((text): Said => {
  const topic = TOPICS.find(({ pattern }) => pattern.test(text));
  const key = keyOf(text, topic);
  return {
    section: topic?.section ?? 'discoveries',
    text: toShortLine(text, STATEMENT_CHARS),
    topicWeight: topic?.weight ?? 0,
    isHearsay: HEARSAY.test(text),
    ...(key !== undefined && { key }),
  };
});

/** What a line is by its words alone. Remembered, for a session is summarised again and again. */
const kindOf = remembered((text) => ({
  isTold: PROSE.test(text),
  isOutput: NOT_PROSE.test(text) || TO_SUMMARIZER.test(text),
}));

const namesIn = remembered((line): readonly string[] => [
  ...new Set(findNames(line).map(({ text }) => text)),
]);

/** How a line begins, whatever names stand there. */
const openingOf = remembered((text): string => {
  const words = text.slice(0, OPENING_CHARS).replace(NAME_LIKE, '*').split(/\s+/);
  const opening = words.slice(0, OPENING_WORDS).join(' ');
  return /[\u3040-\u9fff]/.test(opening) ? opening.slice(0, SHORT_OPENING_CHARS) : opening;
});

/** What the lines of a head tell, and what the lines of an earlier summary are worth beside them. */
export function findStatements(lines: readonly Line[], previous: readonly string[]): Statements {
  const named = lines.filter(isProse).flatMap(toNamed);
  const counts = countEach(named.flatMap(({ names }) => names));
  const openings = countEach(
    [...previous, ...named.map(({ line }) => line.text)].map((text) => openingOf(text)),
  );
  const penaltyOf = (text: string) => penaltyOfAlike(openings.get(openingOf(text)) ?? 1);
  const found = bySection<Item[]>(() => []);
  for (const { line, names } of named) {
    const rarest = Math.min(...names.map((name) => counts.get(name) ?? 1));
    if (rarest > COMMON) continue;
    const { section, item } = toStatement(line);
    found[section].push({ ...item, weight: item.weight + 1 / (1 + rarest) - penaltyOf(line.text) });
  }
  return { found, penaltyOf, weighCarried: (text) => weighCarried(text, penaltyOf(text)) };
}

function weighCarried(text: string, penalty: number): Item {
  if (!isNamingProse(text)) {
    const weight = DECISION.test(text) ? WEIGHTS.important : WEIGHTS.useful;
    return { text, weight, at: BEFORE_HEAD };
  }
  const { item } = toStatement({ text, source: 'tool', at: BEFORE_HEAD });
  return { ...item, text, weight: item.weight + CARRIED_WEIGHT - penalty };
}

function toStatement({ text, source, at }: Line): { section: SectionName; item: Item } {
  const { section, topicWeight, isHearsay, ...said } = readSaid(text);
  const weight =
    WEIGHTS.useful + topicWeight + SOURCE_WEIGHTS[source] - (isHearsay ? HEARSAY_WEIGHT : 0);
  return { section, item: { weight, at, ...said } };
}

/** What a line and the one that replaces it have in common: all but the value, or for a task all but its state. */
function keyOf(text: string, topic: Topic | undefined): string | undefined {
  const plain = text.replace(CORRECTION, '');
  if (topic?.pattern === TASK_STATE) return `task ${codesOf(plain)}`;
  if (topic?.isReplaced !== true) return undefined;
  return plain.replace(/[\w./-]*\d[\w./-]*/g, '*').toLowerCase();
}

function codesOf(text: string): string {
  return (
    findNames(text)
      .map(({ text: name }) => name)
      .join(' ') || text
  );
}

function isProse({ text, source }: Line): boolean {
  const { isTold, isOutput } = kindOf(text);
  return isTold && !(source === 'tool' && isOutput);
}

function toNamed(line: Line): readonly Named[] {
  const names = namesIn(line.text);
  return names.length === 0 ? [] : [{ line, names }];
}

function penaltyOfAlike(alike: number): number {
  const doublings = Math.max(0, Math.log2(alike / ALIKE));
  return Math.min(MOST_ALIKE_WEIGHT, ALIKE_WEIGHT * doublings);
}
