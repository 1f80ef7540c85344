import type { Message, Part } from '../../../engine/index.ts';
import { createTermTable, type TermTable } from './term-table.ts';
import { addTerms, findTerms, type TermSink } from './terms.ts';
import { saidTexts } from './texts.ts';

/** The terms that the steps of a session write, by number; no others need to be remembered. */
export interface WrittenTerms {
  /** Those of a part, each once, in their order. */
  saidIn(part: Part): readonly number[];
  /** Those that a text holds. */
  findIn(text: string, sink: TermSink): void;
}

const NONE: readonly number[] = [];

/** Looks for terms in what the steps of a session write. */
export function findWritten(messages: readonly Message[]): WrittenTerms {
  const table = createTermTable();
  const byPart = new Map<Part, readonly number[]>();
  for (const { role, parts } of messages) {
    if (role === 'assistant') for (const part of parts) byPart.set(part, termsOf(part, table));
  }
  return {
    saidIn: (part) => byPart.get(part) ?? NONE,
    findIn: (text, sink) => {
      if (table.size > 0) findTerms(text, table, sink);
    },
  };
}

function termsOf(part: Part, table: TermTable): readonly number[] {
  const terms = new Set<number>();
  for (const text of saidTexts(part)) addTerms(text, table, (term) => terms.add(term));
  return terms.size === 0 ? NONE : [...terms];
}
