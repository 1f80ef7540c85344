import type { RunEvent } from '../../../src/simulator/events.ts';

const BILLED = { cacheReadTokens: 0, cacheWriteTokens: 0, freshTokens: 0, latencyMs: 0 };

/** A step whose request has that many tokens. */
export const sent = (step: number, contextTokens: number): RunEvent => ({
  type: 'step-end',
  step,
  turn: 1,
  messageId: `m${step}`,
  contextTokens,
  outputTokens: 10,
  viewMessages: 1,
  opensTurn: false,
  lostTokens: 0,
  isCold: false,
  ...BILLED,
});

/** A request of that many tokens that was refused. */
export const refused = (step: number, contextTokens: number): RunEvent => ({
  type: 'step-refused',
  step,
  contextTokens,
  windowTokens: 1,
  isRecognised: true,
});

/** A pivot by a trigger. */
export const pivot: RunEvent = {
  type: 'pivot',
  messageId: 's',
  auto: true,
  contextBeforeTokens: 2,
  contextAfterTokens: 1,
  isReplay: false,
};

/** The end of a prune. */
export const prune = (state: 'fired' | 'below-minimum' | 'nothing'): RunEvent => ({
  type: 'prune-end',
  state,
  partIds: [],
  estimatedTokens: 0,
  prunedTokens: 0,
  survivingTokens: 0,
});

/** The end of a summary request. */
export const summary = (
  state: 'answered' | 'failed',
): RunEvent & { readonly type: 'summary-end' } => ({
  type: 'summary-end',
  state,
  inputTokens: 0,
  outputTokens: 0,
  headMessages: 0,
  ...BILLED,
});

/** The start of a run, with what is usable; without that, on a model whose window is unknown. */
export const started = (usableTokens?: number): RunEvent => ({
  type: 'run-start',
  session: 's',
  format: 'scenario',
  isPartial: false,
  policy: 'p',
  model: 'a/b',
  summarizer: 'extractive',
  seed: 1,
  limits: { contextTokens: usableTokens === undefined ? 0 : 1 },
  ...(usableTokens !== undefined && { usableTokens }),
  basis: {
    tokenizer: 'o200k_base',
    tokenizerEvidence: 'measured',
    factor: 1,
    perMessageTokens: 0,
    calibration: 'measured',
    calibrationPairs: 0,
    overheadTokens: 0,
    overhead: 'measured',
  },
  recordedCompactions: 0,
  recordedMicrocompactions: 0,
});

/** The same under a policy that has no limit. */
export const unlimited = { ...started(), limits: { contextTokens: 1 } } as RunEvent;

/** Another model from that step on. */
export const switched = (step: number, usableTokens?: number): RunEvent => ({
  type: 'model-changed',
  step,
  model: 'c/d',
  limits: { contextTokens: 1 },
  ...(usableTokens !== undefined && { usableTokens }),
});
