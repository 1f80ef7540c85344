import type { Evidence } from '../events.ts';

/** What a request grew by between two consecutive steps: as recorded, and as counted. */
export interface GrowthPair {
  /** Growth of the recorded context. */
  readonly recordedTokens: number;
  /** Counted tokens of what was added in between. */
  readonly countedTokens: number;
  /** Messages that were added in between. */
  readonly messages: number;
}

/** How counted tokens of a session become true ones. */
export interface Calibration {
  /** True tokens per counted token. */
  readonly factor: number;
  /** Fixed cost of each message, in true tokens. */
  readonly perMessageTokens: number;
  readonly evidence: Evidence;
  readonly pairs: number;
}

/** What stands where a recording has too little usage to calibrate on. */
const UNCALIBRATED: Calibration = {
  factor: 1,
  perMessageTokens: 0,
  evidence: 'estimated',
  pairs: 0,
};

/** Two unknowns need more pairs than this to mean anything. */
const MIN_PAIRS = 3;

/**
 * Fits `recorded = factor × counted + perMessage × messages` by least squares. Pairs whose context did
 * not grow are left out: tools or attachments went away there, which no count of messages tells. A negative
 * cost per message is not one: the factor is then fitted alone.
 */
export function calibrate(all: readonly GrowthPair[]): Calibration {
  const pairs = all.filter(({ recordedTokens }) => recordedTokens > 0);
  if (pairs.length < MIN_PAIRS) return UNCALIBRATED;
  const { factor, perMessage } = fit(pairs);
  if (!Number.isFinite(factor) || factor <= 0) return UNCALIBRATED;
  return {
    factor,
    perMessageTokens: Math.round(perMessage),
    evidence: 'measured',
    pairs: pairs.length,
  };
}

function fit(pairs: readonly GrowthPair[]): {
  readonly factor: number;
  readonly perMessage: number;
} {
  const sum = (of: (pair: GrowthPair) => number) =>
    pairs.reduce((total, pair) => total + of(pair), 0);
  // Sums of products: c is counted, m messages, r recorded.
  const cc = sum(({ countedTokens }) => countedTokens ** 2);
  const cm = sum(({ countedTokens, messages }) => countedTokens * messages);
  const mm = sum(({ messages }) => messages ** 2);
  const cr = sum(({ countedTokens, recordedTokens }) => countedTokens * recordedTokens);
  const mr = sum(({ messages, recordedTokens }) => messages * recordedTokens);
  const determinant = cc * mm - cm * cm;
  const perMessage = (cc * mr - cm * cr) / determinant;
  if (!(perMessage >= 0) || determinant === 0) return { factor: cr / cc, perMessage: 0 };
  return { factor: (mm * cr - cm * mr) / determinant, perMessage };
}
