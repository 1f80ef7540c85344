import type { BilledPrices, RunEvent } from '../../../src/simulator/events.ts';
import { measuredBasis } from '../../support/sample-report.ts';

/** An event of one type. */
type Of<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

/** Reads cost a tenth of fresh input, writes a quarter more, output twice as much. */
export const PRICES: BilledPrices = {
  inputPicoUsd: 1_000,
  outputPicoUsd: 2_000,
  cacheReadPicoUsd: 100,
  cacheWritePicoUsd: 1_250,
};

/** The start of a run without any known price. */
export const unpricedStart: Of<'run-start'> = {
  type: 'run-start',
  session: 'lab',
  format: 'lab',
  isPartial: false,
  policy: 'opencode-1.2.16',
  model: 'lab/model',
  summarizer: 'lab',
  seed: 1,
  limits: { contextTokens: 200_000 },
  basis: measuredBasis,
  recordedCompactions: 4,
  recordedMicrocompactions: 0,
};

/** The start of a run with those prices. */
export const start = (prices = PRICES): Of<'run-start'> => ({ ...unpricedStart, prices });

/** A switch to a model with those prices. */
export const changedTo = (prices: BilledPrices): Of<'model-changed'> => ({
  type: 'model-changed',
  step: 1,
  model: 'lab/other',
  limits: { contextTokens: 200_000 },
  prices,
});

/** A step of 100 tokens, of which all are fresh and cost 100 nano-dollars. */
export function step(overrides: Partial<Of<'step-end'>> = {}): Of<'step-end'> {
  return {
    type: 'step-end',
    step: 1,
    turn: 1,
    messageId: 's1',
    contextTokens: 100,
    outputTokens: 10,
    viewMessages: 1,
    opensTurn: false,
    lostTokens: 0,
    isCold: false,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    freshTokens: 100,
    costNanoUsd: 100,
    latencyMs: 7,
    ...overrides,
  };
}

/** That many steps, numbered from 1. */
export const steps = (count: number): readonly Of<'step-end'>[] =>
  Array.from({ length: count }, (_, index) => step({ step: index + 1 }));

/** The same event without its cost. */
export function unpriced<Event extends Of<'step-end'> | Of<'summary-end'>>(event: Event): Event {
  const { costNanoUsd: _, ...rest } = event;
  return rest as Event;
}

/** A summary that was answered, for 50,000 nano-dollars. */
export function summary(overrides: Partial<Of<'summary-end'>> = {}): Of<'summary-end'> {
  return {
    type: 'summary-end',
    state: 'answered',
    inputTokens: 40_000,
    outputTokens: 5_000,
    headMessages: 3,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    freshTokens: 40_000,
    costNanoUsd: 50_000,
    latencyMs: 11,
    ...overrides,
  };
}

/** A summary that failed, for nothing. */
export const failedSummary: Of<'summary-end'> = unpriced(
  summary({ state: 'failed', inputTokens: 0, outputTokens: 0, freshTokens: 0, latencyMs: 0 }),
);

/** A pivot from 100,000 tokens to 10,000. */
export function pivot(overrides: Partial<Of<'pivot'>> = {}): Of<'pivot'> {
  return {
    type: 'pivot',
    messageId: 'm1',
    auto: true,
    contextBeforeTokens: 100_000,
    contextAfterTokens: 10_000,
    isReplay: false,
    ...overrides,
  };
}

/** A prune that takes 20,000 tokens out, before 10,000 that stay. */
export function prune(overrides: Partial<Of<'prune-end'>> = {}): Of<'prune-end'> {
  return {
    type: 'prune-end',
    state: 'fired',
    partIds: ['p1'],
    estimatedTokens: 21_000,
    prunedTokens: 20_000,
    survivingTokens: 10_000,
    ...overrides,
  };
}

/** The end of a run. */
export const end: Of<'run-end'> = { type: 'run-end', state: 'completed', finalContextTokens: 77 };
