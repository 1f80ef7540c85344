import type { ExportedPart, ExportedTokens } from './export.ts';
import { countPart, type PartTokens } from './tokens.ts';

/** Keeps the usage that a provider would have reported, message by message. */
export interface Ledger {
  /** Counts a prompt into the context. */
  addPrompt(parts: readonly ExportedPart[]): void;
  /** Counts a step into the context; gives the usage of its request. */
  addStep(parts: readonly ExportedPart[]): ExportedTokens;
}

/** System prompt and tool definitions. */
export const OVERHEAD_TOKENS = 9_000;

/** What a message costs beside its parts. */
export const MESSAGE_TOKENS = 4;

/** A ledger of an empty session. */
export function createLedger(): Ledger {
  let context = OVERHEAD_TOKENS;
  let cached = 0;
  return {
    addPrompt(parts) {
      context += MESSAGE_TOKENS + sumOf(countParts(parts, 'user'));
    },
    addStep(parts) {
      const counts = countParts(parts, 'assistant');
      const tokens = usageOf({ context, cached }, counts);
      cached = context;
      context += MESSAGE_TOKENS + sumOf(counts);
      return tokens;
    },
  };
}

function countParts(parts: readonly ExportedPart[], role: 'user' | 'assistant'): PartTokens {
  const counts = parts.map((part) => countPart(part, role));
  return {
    given: sumBy(counts, 'given'),
    written: sumBy(counts, 'written'),
    reasoned: sumBy(counts, 'reasoned'),
  };
}

function sumBy(counts: readonly PartTokens[], kind: keyof PartTokens): number {
  return counts.reduce((sum, count) => sum + count[kind], 0);
}

function sumOf(counts: PartTokens): number {
  return counts.given + counts.written + counts.reasoned;
}

function usageOf(
  request: { readonly context: number; readonly cached: number },
  counts: PartTokens,
): ExportedTokens {
  const { written: output, reasoned: reasoning } = counts;
  return {
    total: request.context + output + reasoning,
    input: request.context - request.cached,
    output,
    reasoning,
    cache: { read: request.cached, write: 0 },
  };
}
