/** Baselines that take the first or the last sentences of the head. */

import type { Summarizer } from '../summarizer.ts';
import { fillAnswer, type Placed } from './fill.ts';
import { headLines, sentencesOf } from './lines.ts';

/** The first sentences of the head. */
export function createLead(): Summarizer {
  return {
    name: 'lead',
    summarise: (request, tools) => fillAnswer(request, forwards(headLines(request)), tools),
  };
}

/** The last sentences of the head. */
export function createTail(): Summarizer {
  return {
    name: 'tail',
    summarise: (request, tools) => fillAnswer(request, backwards(headLines(request)), tools),
  };
}

function* forwards(lines: readonly string[]): Generator<Placed> {
  let at = 0;
  for (const line of lines) {
    for (const text of sentencesOf(line)) {
      yield { text, at };
      at += 1;
    }
  }
}

function* backwards(lines: readonly string[]): Generator<Placed> {
  let at = 0;
  for (let index = lines.length - 1; index >= 0; index--) {
    for (const text of sentencesOf(lines[index] ?? '').toReversed()) {
      yield { text, at };
      at -= 1;
    }
  }
}
