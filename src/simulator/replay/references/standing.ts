import { isStandIn, type Message } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { outputOf } from '../../session/tool-calls.ts';
import type { Touches } from './calls.ts';
import { saidTexts, type Standing, type StandingItem } from './reference.ts';
import { findSentences, USER_RULE } from './user-rules.ts';

interface StandingInput {
  readonly messages: readonly Message[];
  readonly facts: readonly PlantedFact[];
  readonly touches: Touches;
}

/** A constraint, and the message that gives it; absent where an output declares it. */
interface Constraint {
  readonly text: string;
  readonly message?: Message | undefined;
}

interface Finding {
  readonly items: StandingItem[];
  /** Item indices by the output that declares them. */
  readonly inOutputs: Map<string, number>;
  /** Items that a message states or whose files its calls touch, by message id. */
  readonly byMessage: Map<string, number[]>;
  readonly paths: Map<string, number>;
}

/** Counts for each list of rows how many of them occur in a text. */
type RowCount = (text: string) => readonly number[];

/** A word of rows, and what follows it. */
interface Branch {
  readonly next: Map<string, Branch>;
  /** Lists that have the row which ends here, as often as they have it. */
  readonly lists: number[];
}

/** Part of a constraint's rows of words that a text must have to carry it. */
const CARRIED_SHARE = 0.8;
const BETWEEN_PATHS = /[\s"'`“”‘’„()<>|,;[\]{}*，。、；：！？「」『』（）《》【】…]+/;
/** A line and a column, or lines from one to another, as editors, web pages and searches that show lines around a hit write them. */
const BEHIND_PATH = /(?:[:#]L?\d+(?:[-–]L?\d+)?)*[.:]*$|-\d+-+$/;
/** Agents take it for a sign that a file is meant. */
const BEFORE_PATH = /^@/;
/** Longest word that is taken for a path with something around it, in UTF-16 units. */
const LONGEST_WORD = 300;
/** One of them begins what may stand before a name of a path, or ends what may stand behind it. */
const MARKS = '@./:-0123456789';
const NONE: readonly number[] = [];

/** A letter of a script without spaces, or a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}_]+/gu;
const LONGEST_ROW = 3;

/** The constraints that were given and the files that the steps read or changed, with the messages that name them. */
export function findStanding(input: StandingInput): Standing {
  const finding: Finding = {
    items: [],
    inOutputs: new Map(),
    byMessage: new Map(),
    paths: new Map(),
  };
  for (const { id } of input.messages) finding.byMessage.set(id, []);
  for (const constraint of findConstraints(input)) addConstraint(finding, constraint);
  for (const message of input.messages) addPaths(finding, message, input.touches);
  const carriedBy = createCarried(finding, input.touches);
  const byMessage = new Map(
    input.messages.map((message) => {
      const own = finding.byMessage.get(message.id) ?? NONE;
      return [message.id, [...new Set([...own, ...carriedBy(saidBy(message))])]];
    }),
  );
  // Runs with the same summaries have messages of their own, and other settings come to the same ones again.
  const byText = new Map<string, readonly number[]>();
  return {
    items: finding.items,
    itemsOf: (message) => {
      const known = byMessage.get(message.id);
      // What a prune took out of a message may have named some of them.
      if (known !== undefined && !message.parts.some(isStandIn)) return known;
      const text = saidBy(message);
      return keepIn(byText, text, () => carriedBy(text));
    },
    itemsOfOutput: (output) => declaredIn(finding, output),
    isInOutputs: finding.inOutputs.size > 0,
  };
}

/** The rows of three words of a sentence; of a shorter one, all of it. */
export function rowsOf(sentence: string): readonly string[] {
  const words = wordsOf(sentence);
  if (words.length <= LONGEST_ROW) return [words.join(' ')];
  return words
    .slice(LONGEST_ROW - 1)
    .map((_, index) => words.slice(index, index + LONGEST_ROW).join(' '));
}

/** A count of rows that looks at each word of a text once, however many lists there are. */
export function createRowCount(lists: readonly (readonly string[])[]): RowCount {
  const root = createBranch();
  for (const [list, rows] of lists.entries()) {
    for (const row of rows) branchOf(root, row.split(' ')).lists.push(list);
  }
  return (text) => {
    const counts = lists.map(() => 0);
    if (lists.length === 0) return counts;
    for (const branch of findRows(root, wordsOf(text))) {
      for (const list of branch.lists) counts[list] = (counts[list] ?? 0) + 1;
    }
    return counts;
  };
}

/** As declared in a generated session; else the user's own sentences that sound like one. */
function findConstraints({ messages, facts }: StandingInput): readonly Constraint[] {
  if (facts.length > 0) {
    return facts
      .filter(({ kind, role }) => kind === 'constraint' && role === undefined)
      .flatMap((fact) => findPlace(messages, fact));
  }
  const users = messages.filter(({ role }) => role === 'user');
  const passages = users.map((message, at) => ({ text: ownTextOf(message), at, turn: at }));
  return findSentences(passages, USER_RULE).flatMap(({ text, at }) => {
    const message = users[at];
    return message === undefined ? [] : [{ text, message }];
  });
}

/** The position of a declared constraint; undefined where it does not occur. */
function findPlace(
  messages: readonly Message[],
  { source, value }: PlantedFact,
): readonly Constraint[] {
  if (source === 'tool') return isInOutput(messages, value) ? [{ text: value }] : [];
  const message = messages.find((one) => one.role === source && textOf(one).includes(value));
  return message === undefined ? [] : [{ text: value, message }];
}

function isInOutput(messages: readonly Message[], value: string): boolean {
  return messages.some(({ parts }) =>
    parts.some((part) => part.type === 'tool' && outputOf(part)?.includes(value) === true),
  );
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? saidTexts(part) : [])).join('\n');
}

/** The text that the user typed, without synthetic parts. */
function ownTextOf({ parts }: Message): string {
  const own = parts.filter((part) => part.type === 'text' && part.synthetic !== true);
  return own.flatMap(saidTexts).join('\n');
}

function addConstraint(
  { items, inOutputs, byMessage }: Finding,
  { text, message }: Constraint,
): void {
  const known = message && byMessage.get(message.id);
  const isKnown =
    inOutputs.has(text) || known?.some((index) => items[index]?.text === text) === true;
  if (isKnown || rowsOf(text)[0] === '') return;
  if (message === undefined) inOutputs.set(text, items.length);
  else known?.push(items.length);
  items.push({ id: `constraint-${items.length + 1}`, kind: 'constraint', text });
}

function addPaths({ items, byMessage, paths }: Finding, message: Message, touches: Touches) {
  const known = byMessage.get(message.id);
  const used = message.parts
    .flatMap(touches.of)
    .filter(({ operation }) => operation !== 'searched');
  const touched = new Set(used.map(({ path }) => path));
  for (const path of touched) {
    const index = paths.get(path) ?? items.length;
    paths.set(path, index);
    if (index === items.length) items.push({ id: `path-${paths.size}`, kind: 'path', text: path });
    known?.push(index);
  }
}

/** Creates a function that finds the items in a text. */
function createCarried(
  { items, paths }: Finding,
  { nameOf }: Touches,
): (text: string) => readonly number[] {
  const constraints = items.flatMap(({ kind, text }, index) =>
    kind === 'constraint' ? [{ index, rows: rowsOf(text) }] : [],
  );
  const countRows = createRowCount(constraints.map(({ rows }) => rows));
  return (text) => {
    if (items.length === 0) return NONE;
    const counts = countRows(text);
    const carried = constraints.filter(
      ({ rows }, place) => (counts[place] ?? 0) >= CARRIED_SHARE * rows.length,
    );
    const named = new Set<number>();
    for (const word of paths.size === 0 ? [] : text.split(BETWEEN_PATHS)) {
      const path =
        paths.get(word) ?? (hasMarks(word) ? paths.get(nameOf(pathIn(word))) : undefined);
      if (path !== undefined) named.add(path);
    }
    return [...carried.map(({ index }) => index), ...named];
  };
}

/** Tests if a word may be a path with punctuation around it, or relative to another folder. */
function hasMarks(word: string): boolean {
  if (word.length > LONGEST_WORD) return false;
  if (word.includes('/')) return true;
  return MARKS.includes(word.charAt(0)) || MARKS.includes(word.charAt(word.length - 1));
}

function pathIn(word: string): string {
  return word.replace(BEFORE_PATH, '').replace(BEHIND_PATH, '');
}

/** The texts of a message, and those among the arguments of its calls. */
function saidBy({ parts }: Message): string {
  return parts.flatMap(saidTexts).join('\n');
}

function declaredIn({ inOutputs }: Finding, output: string): readonly number[] {
  if (inOutputs.size === 0) return NONE;
  return [...inOutputs].flatMap(([text, index]) => (output.includes(text) ? [index] : []));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function createBranch(): Branch {
  return { next: new Map(), lists: [] };
}

function branchOf(root: Branch, words: readonly string[]): Branch {
  let branch = root;
  for (const word of words) {
    const next = branch.next.get(word) ?? createBranch();
    branch.next.set(word, next);
    branch = next;
  }
  return branch;
}

function findRows(root: Branch, words: readonly string[]): ReadonlySet<Branch> {
  const found = new Set<Branch>();
  for (let start = 0; start < words.length; start += 1) {
    let branch = root.next.get(words[start] ?? '');
    for (let index = start + 1; branch !== undefined; index += 1) {
      if (branch.lists.length > 0) found.add(branch);
      branch = branch.next.get(words[index] ?? '');
    }
  }
  return found;
}
