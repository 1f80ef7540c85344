import { OPEN_WORK } from './cues.ts';
import type { Head, Passage } from './head.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import { toShortLine } from './plain-text.ts';
import { type Run, runKey } from './runs.ts';
import { findSentences } from './sentences.ts';
import { readTodos, type Todo } from './todos.ts';

const ANSWER_CHARS = 320;
const OPEN_CHARS = 240;
const DOING = 'In progress: ';
const OPEN = 'Open: ';
/** Begins an item that tells of a command; a later run of the same command replaces it. */
const RAN = /^Ran `[^`]*`/;

/** What was done, what is under way and what is left. */
export function findProgress(
  head: Head,
  runs: readonly Run[],
  previous: readonly string[],
): readonly Item[] {
  const todos = readTodos(head.calls);
  return [
    ...keepEarlier(previous, head, todos.length > 0),
    ...head.answers.filter(isLastOfTurn).map((answer) => toReport(answer, head)),
    ...runs.map(toRanItem),
    ...todos.map(toTodoItem),
    ...findOpenWork(head),
    ...findCurrentRequest(head),
  ];
}

/** A newer to-do list replaces what was open, and a newer request what was under way. */
function keepEarlier(previous: readonly string[], head: Head, hasTodos: boolean): readonly Item[] {
  const isSuperseded = head.requests.length > 0 || head.isAnswered;
  return previous
    .filter((text) => !(hasTodos && text.startsWith(OPEN)))
    .filter((text) => !((isSuperseded || hasTodos) && text.startsWith(DOING)))
    .map((text) => ({ text, weight: WEIGHTS.useful, at: BEFORE_HEAD, ...ranKey(text) }));
}

function isLastOfTurn({ turn }: Passage, index: number, answers: readonly Passage[]): boolean {
  return answers[index + 1]?.turn !== turn;
}

function toReport({ text, at, turn }: Passage, head: Head): Item {
  const isUnderWay = turn === head.requests.length && !head.isAnswered;
  const label = isUnderWay ? DOING : 'Done: ';
  return { ...labelled(label, toShortLine(text, ANSWER_CHARS)), weight: WEIGHTS.important, at };
}

function toRanItem({ subject, at, isOk, troubles, lastLine }: Run): Item {
  const outcome = isOk ? 'ok' : 'failed';
  const detail = isOk ? lastLine : (troubles.at(-1) ?? '');
  const text = `Ran ${subject}: ${outcome}${detail === '' ? '' : ` (${detail})`}`;
  return { text, weight: WEIGHTS.useful, at, ...ranKey(text) };
}

function toTodoItem({ text, label, at }: Todo): Item {
  const isLeft = label === 'Open' || label === 'In progress';
  return { text: `${label}: ${text}`, weight: isLeft ? WEIGHTS.vital : WEIGHTS.useful, at };
}

/** What the newest turn says is left; what older turns said has been overtaken. */
function findOpenWork(head: Head): readonly Item[] {
  const answers = head.answers.filter(({ turn }) => turn === head.requests.length);
  return findSentences(answers, OPEN_WORK).map(({ text, at }) => ({
    ...labelled(OPEN, toShortLine(text, OPEN_CHARS)),
    weight: WEIGHTS.important,
    at,
  }));
}

function findCurrentRequest(head: Head): readonly Item[] {
  const request = head.requests.at(-1);
  if (request === undefined || head.isAnswered) return [];
  const text = toShortLine(request.text, OPEN_CHARS);
  return [{ ...labelled(DOING, text), weight: WEIGHTS.vital, at: request.at }];
}

/** A text that was clipped to nothing stays nothing. */
function labelled(label: string, text: string): { readonly text: string } {
  return { text: text === '' ? '' : label + text };
}

function ranKey(text: string): { readonly key?: string } {
  const key = RAN.exec(text)?.[0];
  return key === undefined ? {} : { key: runKey(key) };
}
