import type { RunEvent } from '../../src/simulator/events.ts';
import { measuredBasis } from './sample-report.ts';

/** What a made-up run is like. */
export interface SampleRunOptions {
  readonly session?: string;
  readonly policy?: string;
  readonly steps?: number;
  /** Steps between two pivots. */
  readonly pivotEvery?: number;
  /** Written into ids, reasons and messages. */
  readonly mark?: string;
  /** Makes steps of different sizes, others for every number; all are alike by default. */
  readonly spread?: number;
}

const TOKENS_A_STEP = 2_000;
const USABLE = 32_000;
const PRIME = 7_919;

/** Events of a run whose context grows and is cut at every pivot, with a prune, a miss and an idle gap on its way. */
export function sampleEvents({
  session = 'sessions/one.jsonl',
  policy = 'opencode-1.2.16',
  steps = 40,
  pivotEvery = 15,
  mark = '',
  spread = 0,
}: SampleRunOptions = {}): readonly RunEvent[] {
  let context = 9_000;
  const events: RunEvent[] = [startOf(session, policy)];
  for (let step = 1; step <= steps; step++) {
    const cached = step === 1 ? 0 : context;
    context += TOKENS_A_STEP + ((spread * step * step * PRIME) % TOKENS_A_STEP);
    if (step % pivotEvery === 3 && step > pivotEvery) events.push(missAt(step, mark));
    events.push(stepOf(step, { context, cached: step % 12 === 0 ? 0 : cached }));
    if (step % pivotEvery === 0) {
      events.push(...pivotAt(context, mark));
      context = 12_000;
    } else if (step % pivotEvery === 7) events.push(pruneAt(mark));
  }
  return [
    ...events,
    {
      type: 'law-violated',
      law: 'newest-request-visible',
      message: `not shown${mark}`,
      messageIds: [`msg_9${mark}`],
      isKnown: true,
    },
    { type: 'run-end', state: 'completed', finalContextTokens: context },
  ];
}

function startOf(session: string, policy: string): RunEvent {
  return {
    type: 'run-start',
    session,
    format: 'own',
    isPartial: false,
    policy,
    model: 'anthropic/claude-sonnet-4-5',
    summarizer: 'extractive',
    seed: 1,
    limits: { contextTokens: 64_000, outputTokens: 32_000 },
    usableTokens: USABLE,
    basis: measuredBasis,
    recordedCompactions: 0,
    recordedMicrocompactions: 0,
  };
}

function stepOf(step: number, { context, cached }: { context: number; cached: number }): RunEvent {
  return {
    type: 'step-end',
    step,
    turn: 1 + Math.floor(step / 6),
    messageId: `msg_${step}`,
    contextTokens: context,
    outputTokens: 120,
    viewMessages: step,
    opensTurn: step % 6 === 0,
    lostTokens: 0,
    isCold: cached === 0 && step > 1,
    cacheReadTokens: cached,
    cacheWriteTokens: context - cached,
    freshTokens: 0,
    latencyMs: 2_000,
  };
}

function pivotAt(context: number, mark: string): readonly RunEvent[] {
  return [
    { type: 'overflow', path: 'after-step', countTokens: context, usableTokens: USABLE },
    {
      type: 'summary-end',
      state: 'answered',
      inputTokens: context,
      outputTokens: 900,
      headMessages: 14,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      freshTokens: context,
      latencyMs: 9_000,
    },
    {
      type: 'pivot',
      messageId: `pivot${mark}`,
      auto: true,
      contextBeforeTokens: context,
      contextAfterTokens: 12_000,
      isReplay: false,
    },
    { type: 'eviction', by: 'pivot', parts: 31 },
  ];
}

function pruneAt(mark: string): RunEvent {
  return {
    type: 'prune-end',
    state: 'fired',
    partIds: Array.from({ length: 6 }, (_, index) => `prt_${index}${mark}`),
    estimatedTokens: 21_000,
    prunedTokens: 20_500,
    survivingTokens: 4_000,
  };
}

function missAt(step: number, mark: string): RunEvent {
  return {
    type: 'reference',
    step,
    kind: 'given-back',
    document: step,
    messageId: 'msg_2',
    partId: `prt_lost${mark}`,
    sinceStep: 2,
    tokens: 1_234,
    isRecoverable: true,
    partIds: [`prt_lost${mark}`],
    missedBy: 'pivot',
  };
}
