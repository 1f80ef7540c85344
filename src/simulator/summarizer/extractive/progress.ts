import { OPEN_WORK } from './cues.ts';
import type { Head, Passage } from './head.ts';
import { BEFORE_HEAD, type Item, keyOf, WEIGHTS } from './item.ts';
import { toShortLine } from './plain-text.ts';
import type { OftenRan } from './mentions.ts';
import { type Run, runKey } from './runs.ts';
import { findSentences } from './sentences.ts';
import { readTodos, type Todo } from './todos.ts';
import { type DatedTouch, isChange } from './touches.ts';

/** What the calls of a head show to have been done. */
export interface Evidence {
  readonly runs: readonly Run[];
  readonly touches: readonly DatedTouch[];
  readonly oftenRan: readonly OftenRan[];
}

const ANSWER_CHARS = 320;
const OPEN_CHARS = 240;
/** Changed files that are named; the section of files has all of them. */
const NAMED_CHANGES = 5;
const DONE = 'Done: ';
const DOING = 'In progress: ';
const OPEN = 'Open: ';
const CHANGED = 'Changed: ';
const LABEL = /^(?:Done|In progress|Open|Cancelled): /;
const OFTEN_RAN = 'Ran more than once: ';
/** Begins an item that tells of a command; a later run of the same command replaces it. */
const RAN = /^Ran `[^`]*`/;

/** What was done, what is under way and what is left. */
export function findProgress(
  head: Head,
  { runs, touches, oftenRan }: Evidence,
  previous: readonly Item[],
): readonly Item[] {
  const todos = readTodos(head.calls);
  return [
    ...keepEarlier(previous, head, { hasTodos: todos.length > 0 }),
    ...head.answers.filter(isLastOfTurn).map((answer) => toReport(answer, head)),
    ...findChanges(touches),
    ...findRuns(runs, oftenRan),
    ...todos.map(toTodoItem),
    ...findOpenWork(head),
    ...findCurrentRequest(head),
  ];
}

/** A newer to-do list replaces what was open, and a newer request what was under way. */
function keepEarlier(
  previous: readonly Item[],
  head: Head,
  { hasTodos }: { readonly hasTodos: boolean },
): readonly Item[] {
  const isSuperseded = head.requests.length > 0 || head.isAnswered;
  return previous
    .filter(({ text }) => !(hasTodos && text.startsWith(OPEN)))
    .filter(({ text }) => !((isSuperseded || hasTodos) && text.startsWith(DOING)))
    .map(({ text, weight, key }) => {
      const isLeft = text.startsWith(OPEN) || text.startsWith(DOING);
      const item = toItem(text, isLeft ? WEIGHTS.important : WEIGHTS.useful, BEFORE_HEAD);
      return { ...item, ...(key !== undefined && { key }), weight: Math.max(item.weight, weight) };
    });
}

function isLastOfTurn({ turn }: Passage, index: number, answers: readonly Passage[]): boolean {
  return answers[index + 1]?.turn !== turn;
}

function toReport({ text, at, turn }: Passage, head: Head): Item {
  const isUnderWay = turn === head.requests.length && !head.isAnswered;
  const report = labelled(isUnderWay ? DOING : DONE, toShortLine(text, ANSWER_CHARS));
  return toItem(report, WEIGHTS.important, at);
}

/** The newest of the changed files, in one item. */
function findChanges(touches: readonly DatedTouch[]): readonly Item[] {
  const changes = touches.filter(isChange).toReversed();
  const paths = [...new Set(changes.map(({ path }) => path))];
  const more = paths.length > NAMED_CHANGES ? ` and ${paths.length - NAMED_CHANGES} more` : '';
  const text = CHANGED + paths.slice(0, NAMED_CHANGES).join(', ') + more;
  return changes.slice(0, 1).map(({ at }) => toItem(text, WEIGHTS.useful, at));
}

/** The newest run of each command. One that was run more than once is kept longer, with how it went or without. */
function findRuns(runs: readonly Run[], oftenRan: readonly OftenRan[]): readonly Item[] {
  const weights = new Map(oftenRan.map(({ command, weight }) => [`\`${command}\``, weight]));
  const newest = new Map(runs.map((run) => [runKey(run.subject), run.subject]));
  const subjects = new Set(newest.values());
  return [
    ...runs
      .filter(({ isCommand }) => isCommand)
      .map((run) => toRanItem(run, weights.get(run.subject) ?? WEIGHTS.useful)),
    ...oftenRan
      .filter(({ command }) => !subjects.has(`\`${command}\``))
      .map(({ command, weight, at }) => toItem(`${OFTEN_RAN}\`${command}\``, weight, at)),
  ];
}

function toRanItem({ subject, at, isOk, troubles, lastLine }: Run, weight: number): Item {
  const outcome = isOk ? 'ok' : 'failed';
  const detail = isOk ? lastLine : (troubles.at(-1) ?? '');
  const text = `Ran ${subject}: ${outcome}${detail === '' ? '' : ` (${detail})`}`;
  return toItem(text, weight, at);
}

function toTodoItem({ text, label, at }: Todo): Item {
  const isLeft = label === 'Open' || label === 'In progress';
  return toItem(`${label}: ${text}`, isLeft ? WEIGHTS.vital : WEIGHTS.useful, at);
}

/** What the newest turn says is left; what older turns said has been overtaken. */
function findOpenWork(head: Head): readonly Item[] {
  const answers = head.answers.filter(({ turn }) => turn === head.requests.length);
  return findSentences(answers, OPEN_WORK).map(({ text, at }) =>
    toItem(labelled(OPEN, toShortLine(text, OPEN_CHARS)), WEIGHTS.important, at),
  );
}

function findCurrentRequest(head: Head): readonly Item[] {
  const request = head.requests.at(-1);
  if (request === undefined || head.isAnswered) return [];
  const text = labelled(DOING, toShortLine(request.text, OPEN_CHARS));
  return [toItem(text, WEIGHTS.vital, request.at)];
}

/** A text that was clipped to nothing stays nothing. */
function labelled(label: string, text: string): string {
  return text === '' ? '' : label + text;
}

function toItem(text: string, weight: number, at: number): Item {
  return { text, weight, at, key: progressKey(text) };
}

/** The newest state of a piece of work holds, and the newest run of a command. */
function progressKey(text: string): string {
  if (text.startsWith(CHANGED)) return CHANGED;
  const ran = RAN.exec(text)?.[0];
  return ran === undefined ? keyOf(text.replace(LABEL, '')) : runKey(ran);
}
