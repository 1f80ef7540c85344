import { policies } from '../../src/engine/index.ts';
import type { TokenBasis } from '../../src/simulator/events.ts';
import { type MetricValues, UNKNOWN_METRICS } from '../../src/simulator/metrics/metrics.ts';
import type { RunRecord } from '../../src/simulator/metrics/record.ts';
import { createProfile } from '../../src/simulator/provider/model-profile.ts';
import { buildProvenance } from '../../src/simulator/report/provenance.ts';
import { type Provenance, type Report, SCHEMA_VERSION } from '../../src/simulator/report/report.ts';
import type { ImportReport } from '../../src/simulator/session/session.ts';

/** What a calibrated session rests on. */
export const measuredBasis: TokenBasis = {
  tokenizer: 'o200k_base',
  tokenizerEvidence: 'estimated',
  factor: 1.125,
  perMessageTokens: 4,
  calibration: 'measured',
  calibrationPairs: 12,
  overheadTokens: 15_000,
  overhead: 'measured',
};

/** Metrics of a run in which every number is known and none is like another. */
export const sampleMetrics: MetricValues = {
  ...UNKNOWN_METRICS,
  steps: 225,
  turns: 9,
  inputTokens: 6_000_000,
  outputTokens: 61_234,
  peakContextTokens: 168_004,
  unrecordedRequests: 0,
  overflows: 4,
  overflowsAfterStep: 3,
  overflowsBeforeRequest: 1,
  refusals: 0,
  truncations: 8,
  compactions: 2,
  ineffectiveCompactions: 1,
  failedCompactions: 1,
  recordedCompactions: 3,
  prunes: 5,
  prunesBelowMinimum: 6,
  prunesThatAdded: 1,
  prunedTokens: 123_456,
  prunedTokensEstimated: 120_000,
  summaryInputTokens: 300_000,
  summaryCacheReadTokens: 240_000,
  summaryOutputTokens: 4_000,
  finalContextTokens: 90_001,
  tokensSaved: 3_696_000,
  costUsd: 7.25,
  costSummariesUsd: 0.0625,
  costSavedUsd: -0.25,
  cacheReadTokens: 5_400_000,
  cacheWriteTokens: 500_000,
  uncachedTokens: 100_000,
  inputAfterUserTokens: 1_000_000,
  cacheReadAfterUserTokens: 800_000,
  inputAfterToolTokens: 5_000_000,
  cacheReadAfterToolTokens: 4_600_000,
  hitRate: 0.9,
  hitRateAfterUser: 0.8,
  hitRateAfterTool: 0.92,
  prefixBreaks: 7,
  prunesPaidBack: 3,
  compactionsPaidBack: 2,
  wastedCompactions: 0,
  latencyMs: 1_234_567,
  references: 80,
  misses: 16,
  causedMisses: 5,
  usedMisses: 11,
  expectedMisses: 0,
  missRate: 0.2,
  habitNeeds: 15,
  carriedNeeds: 18,
  unknownNeeds: 19,
  unrecoverableMisses: 9,
  evictions: 64,
  missesPerEviction: 0.25,
  referencedTokens: 70_000,
  missedTokens: 21_000,
  missedTokenRate: 0.3,
  regretUsd: 0.75,
  regretMs: 62_000,
  fileReads: 48,
  fileRereads: 24,
  rereadRate: 0.5,
  loops: 11,
  rereadSteps: 13,
  droppedSteps: 20,
  staleTokens: 32_100,
  constraints: 14,
  goneConstraints: 12,
  paths: 100,
  gonePaths: 41,
  gonePathRate: 0.41,
  boundMisses: 10,
  boundRegretUsd: 0.5,
};

/** A completed run, with whatever the test is about. */
export function sampleRun(overrides: Partial<RunRecord> = {}): RunRecord {
  return {
    session: 'sessions/one.jsonl',
    policy: 'opencode-1.2.16',
    model: 'anthropic/claude-sonnet-4-5',
    summarizer: 'extractive',
    seed: 1,
    state: 'completed',
    metrics: sampleMetrics,
    ...overrides,
  };
}

/** The provenance of a small command over a session that was read with these losses. */
export function sampleProvenance(losses: Partial<ImportReport> = {}): Provenance {
  return buildProvenance({
    version: '0.1.0',
    policies: [policies.none, policies['opencode-1.2.16']],
    model: createProfile('anthropic/claude-sonnet-4-5', {
      contextTokens: 200_000,
      outputTokens: 64_000,
    }),
    summarizer: 'extractive',
    seed: 1,
    catalog: { source: 'catalog/models.json', hash: 'abcdef123456' },
    settings: { protect: 20_000 },
    sessions: [{ session: 'sessions/one.jsonl', ...wholeSource, ...losses }],
  });
}

/** A session of which nothing is absent. */
export const wholeSource = { basis: measuredBasis, isPartial: false, dropped: {}, repaired: {} };

/** A report with these runs and unread inputs. */
export function sampleReport(overrides: Partial<Report> = {}): Report {
  return {
    schemaVersion: SCHEMA_VERSION,
    provenance: sampleProvenance(),
    runs: [sampleRun()],
    unread: [],
    ...overrides,
  };
}
