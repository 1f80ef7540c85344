import type { SummaryRequest } from '../../../engine/index.ts';
import type { FileOperation } from '../../session/tool-calls.ts';
import { DECISION, MILD_RULE, REASON, STRICT_RULE } from './cues.ts';
import { findSentences, type Head, type Passage, readHead, toLine, toShortLine } from './head.ts';
import { findMentions, isBareNames } from './mentions.ts';
import { findProgress, readRuns, type Run, runKey } from './progress.ts';
import { findStatements, readLines, type Statements } from './statements.ts';
import {
  BEFORE_HEAD,
  type BySection,
  bySection,
  dropRepeated,
  findHeading,
  type Item,
  NOTHING,
  OMITTED,
  SECTION_NAMES,
  UNKNOWN_HEADING,
  WEIGHTS,
} from './template.ts';
import { type DatedTouch, isChange, readTouches } from './touches.ts';

/** Touches of files that have a line of their own under any but the smallest cap. */
const LISTED_TOUCHES = 40;

/** Room for the request that began the session. */
const FIRST_REQUEST_CHARS = 600;
/** Room for each later request. */
const REQUEST_CHARS = 300;
/** A request that only lets the model go on. */
const NOD =
  /^(?:ok(?:ay)?|yes|yep|sure|thanks?(?: you)?|good|great|perfect|go on|go ahead|continue|proceed|好的?|继续|可以|是的|谢谢|はい|続けて(?:ください)?|ありがとう(?:ございます)?)[\s.!。！]*$/iu;

const RULE_CHARS = 400;
/** Rules of programs that are looked at; they are as good as endless. */
const MOST_NOTED_RULES = 40;
const RULE = new RegExp(`${STRICT_RULE.source}|${MILD_RULE.source}`, 'iu');

const FINDING_CHARS = 320;
const FINDING = new RegExp(`${DECISION.source}|${REASON.source}`, 'iu');

const LISTED = /^(.+) \((created|edited|deleted|read|searched)\)$/;
const OPERATIONS: readonly FileOperation[] = ['created', 'edited', 'deleted', 'read', 'searched'];

const HEADING = /^#{1,6}\s+(.*)$/;
/** Longest text of an earlier summary that is read; every summarizer's cap lies far below. */
const READ_CHARS = 200_000;

/** Everything of a head that a summary may hold, and what an earlier summary held, oldest first. */
export function readSections(request: SummaryRequest): BySection<readonly Item[]> {
  const head = readHead(request);
  const previous = readPreviousSummary(head.previous);
  const runs = readRuns(head);
  const touches = readTouches(request.messages, head.calls);
  const { names, commands } = findMentions(request.messages, {
    previous: SECTION_NAMES.flatMap((name) => previous[name]),
    isListed: listedElsewhere(touches),
  });
  const troubles = new Set(runs.flatMap((run) => run.troubles));
  const lines = readLines(request.messages).filter(({ text }) => !troubles.has(text));
  const earlier = SECTION_NAMES.flatMap((name) => (name === 'names' ? [] : previous[name]));
  const { found: statements, weighCarried, penaltyOf } = findStatements(lines, earlier);
  const carried = bySection((name) => previous[name].map(weighCarried));
  const found = {
    goal: findGoals(head, previous.goal),
    instructions: findInstructions(head, carried.instructions, penaltyOf),
    discoveries: findDiscoveries(head, runs, carried.discoveries),
    accomplished: findProgress(head, { runs, touches, oftenRan: commands }, carried.accomplished),
    files: findFiles(touches, previous.files),
    names,
  };
  return bySection((name) => dropRepeated([...found[name], ...statements[name]]));
}

/** The bullets of an earlier summary by section; those under an unknown heading are discoveries. */
export function readPreviousSummary(summary: string): BySection<readonly string[]> {
  const lines = bySection<string[]>(() => []);
  let current = UNKNOWN_HEADING;
  for (const raw of summary.slice(0, READ_CHARS).split(/\r\n?|\n/)) {
    const title = HEADING.exec(raw)?.[1];
    if (title !== undefined) {
      current = findHeading(title) ?? UNKNOWN_HEADING;
      continue;
    }
    const line = toLine(raw);
    if (isBareNames(line)) lines.names.push(line);
    else if (isContent(line)) lines[current.section].push((current.prefix ?? '') + line);
  }
  return lines;
}

/** Creates a test if a file has a line of its own. */
function listedElsewhere(touches: readonly DatedTouch[]): (text: string) => boolean {
  const paths = new Set(touches.slice(-LISTED_TOUCHES).map(({ path }) => path));
  return (text) => paths.has(text);
}

/** The user's goals: the first request, and the newer ones. */
function findGoals(head: Head, previous: readonly string[]): readonly Item[] {
  const earlier = previous.map((text) => ({ text, weight: WEIGHTS.useful, at: BEFORE_HEAD }));
  const requests = head.requests.filter(({ text }) => !NOD.test(text.trim()));
  const newest = requests.at(-1);
  const later = requests.map((request) => toGoal(request, newest));
  const [first, ...others] = [...earlier, ...later];
  return first === undefined
    ? []
    : [{ ...lengthen(first, head), weight: WEIGHTS.essential }, ...others];
}

function toGoal(request: Passage, newest: Passage | undefined): Item {
  const { text, at } = request;
  const weight = request === newest ? WEIGHTS.vital : WEIGHTS.useful;
  return { text: toShortLine(text, REQUEST_CHARS), weight, at };
}

/** Gives the first request more room than the others if it is in the head itself. */
function lengthen(first: Item, head: Head): Item {
  const request = head.requests.find(({ at }) => at === first.at);
  return request === undefined
    ? first
    : { ...first, text: toShortLine(request.text, FIRST_REQUEST_CHARS) };
}

/** Rules, limits and wishes of the user, in their own words. */
function findInstructions(
  head: Head,
  previous: readonly Item[],
  penaltyOf: Statements['penaltyOf'],
): readonly Item[] {
  const earlier = previous.map((carried) => {
    const item = toInstruction(carried.text, BEFORE_HEAD);
    return { ...carried, ...item, weight: Math.max(item.weight, carried.weight) };
  });
  const later = findSentences(head.requests, RULE).map(({ text, at }) => toInstruction(text, at));
  return [...findNotedRules(head), ...[...earlier, ...later].map(lighten)];

  /** A milder rule that is said again and again of something else is a habit of speech. */
  function lighten(item: Item): Item {
    return item.weight >= WEIGHTS.vital
      ? item
      : { ...item, weight: item.weight - penaltyOf(item.text) };
  }
}

function toInstruction(sentence: string, at: number): Item {
  const weight = STRICT_RULE.test(sentence) ? WEIGHTS.vital : WEIGHTS.important;
  return { text: toShortLine(sentence, RULE_CHARS), weight, at };
}

/** Strict rules that programs hand on; they yield to those of the user. */
function findNotedRules({ notes }: Head): readonly Item[] {
  return findSentences(notes, STRICT_RULE)
    .slice(0, MOST_NOTED_RULES)
    .map(({ text, at }) => ({
      text: toShortLine(text, RULE_CHARS),
      weight: WEIGHTS.important,
      at,
    }));
}

/** Decisions with their reasons, findings, and failures. */
function findDiscoveries(
  head: Head,
  runs: readonly Run[],
  previous: readonly Item[],
): readonly Item[] {
  return [...previous, ...findDecisions(head), ...findFailures(runs)];
}

function findDecisions(head: Head): readonly Item[] {
  return findSentences(head.answers, FINDING).map(({ text, at }) => ({
    text: toShortLine(text, FINDING_CHARS),
    weight: DECISION.test(text) ? WEIGHTS.important : WEIGHTS.useful,
    at,
  }));
}

/** A failure with what caused it. It weighs less if its command went well later, or if no command failed. */
function findFailures(runs: readonly Run[]): readonly Item[] {
  const lastRun = new Map(runs.map((run) => [runKey(run.subject), run]));
  const weightOf = ({ subject, isCommand }: Run) => {
    if (!isCommand) return WEIGHTS.useful;
    return lastRun.get(runKey(subject))?.isOk === true ? WEIGHTS.spare : WEIGHTS.important;
  };
  return runs
    .filter(({ troubles }) => troubles.length > 0)
    .map((run) => ({
      text: `${run.subject} failed: ${run.troubles.join(' | ')}`,
      weight: weightOf(run),
      at: run.at,
    }));
}

/** Files and folders that were read, changed, created or searched, each with the one thing to know of it. */
function findFiles(touches: readonly DatedTouch[], previous: readonly string[]): readonly Item[] {
  const earlier = previous.map(readListed);
  const listed = earlier.filter((entry) => typeof entry !== 'string');
  const merged = mergeTouches([...listed, ...touches]);
  return [
    ...earlier
      .filter((entry) => typeof entry === 'string')
      .map((text) => ({ text, weight: WEIGHTS.useful, at: BEFORE_HEAD })),
    ...merged.toSorted((a, b) => importanceOf(b) - importanceOf(a)).map(toFileItem),
  ];
}

/** An entry of an earlier summary: a file with its operation, or a line in words of its own. */
function readListed(line: string): DatedTouch | string {
  const [, path, name] = LISTED.exec(line) ?? [];
  const operation = OPERATIONS.find((known) => known === name);
  return path === undefined || operation === undefined
    ? line
    : { path, operation, at: BEFORE_HEAD };
}

function mergeTouches(touches: readonly DatedTouch[]): readonly DatedTouch[] {
  const byPath = new Map<string, DatedTouch>();
  for (const touch of touches) {
    const operation = mergeOperation(byPath.get(touch.path)?.operation, touch.operation);
    byPath.set(touch.path, { ...touch, operation });
  }
  return [...byPath.values()];
}

/** A change outweighs a look; writing a file that was there is an edit; a file made here stays so. */
function mergeOperation(before: FileOperation | undefined, now: FileOperation): FileOperation {
  if (before === undefined || before === 'searched') return now;
  if (now === 'deleted') return now;
  if (now === 'read' || now === 'searched') return before;
  return before === 'created' || before === 'deleted' ? 'created' : 'edited';
}

function importanceOf(touch: DatedTouch): number {
  if (touch.operation === 'searched') return WEIGHTS.spare;
  return isChange(touch) ? WEIGHTS.important : WEIGHTS.useful;
}

function toFileItem(touch: DatedTouch): Item {
  const { path, operation, at } = touch;
  return { text: `${path} (${operation})`, weight: importanceOf(touch), at, key: path };
}

function isContent(line: string): boolean {
  return line !== '' && line !== NOTHING && line !== OMITTED && /[\p{L}\p{N}]/u.test(line);
}
