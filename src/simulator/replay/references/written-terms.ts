import type { Message, Part } from '../../../engine/index.ts';
import { createTermTable, type TermTable } from './term-table.ts';
import { scanTerms } from './terms.ts';
import { saidTexts } from './texts.ts';

/** The terms that the steps of a session write, by number; no others need to be remembered. */
export interface WrittenTerms {
  /** Those of a part, each once, in their order. */
  saidIn(part: Part): readonly number[];
  /** Those that a text holds, in their order. */
  scan(text: string, sink: (term: number) => void): void;
}

const NONE: readonly number[] = [];

/** Looks for terms in what the steps of a session write. */
export function findWritten(messages: readonly Message[]): WrittenTerms {
  const table = createTermTable();
  const byPart = new Map<Part, readonly number[]>();
  for (const { role, parts } of messages) {
    if (role === 'assistant') for (const part of parts) byPart.set(part, addTerms(table, part));
  }
  return {
    saidIn: (part) => byPart.get(part) ?? NONE,
    scan: (text, sink) => {
      if (table.size === 0) return;
      scanTerms(text, (first, second) => {
        const term = table.find(first, second);
        if (term >= 0) sink(term);
      });
    },
  };
}

function addTerms(table: TermTable, part: Part): readonly number[] {
  const terms = new Set<number>();
  for (const text of saidTexts(part)) {
    scanTerms(text, (first, second) => terms.add(table.add(first, second)));
  }
  return [...terms];
}
