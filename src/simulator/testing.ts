/** The entry point `compaction-bench/testing`: what tests of a policy or compactor need. */

export type { ModelContent, ModelMessage } from '../engine/index.ts';
export { HarnessError } from './errors.ts';
export type { QualityScore } from './metrics/quality/score-text.ts';
export { qualityMetrics, qualityValues } from './metrics/quality/quality-metrics.ts';
export type { Compactor, CompactorInput } from './replay/foreign/compactor.ts';
export { type ListLawName, listLaws } from './replay/foreign/laws.ts';
export { type ForeignOptions } from './replay/foreign/running-foreign.ts';
export { runForeign } from './replay/foreign/run-foreign.ts';
export {
  type CommandOptions,
  commandCompactor,
  type OpenCompactor,
} from './sweep/adapter/command-compactor.ts';
export {
  generateSessions,
  type GenerateSessionsOptions,
  type ModelInput,
  type SessionInputs,
} from './sweep/adapter/inputs.ts';
export {
  judgeBaseline,
  judgeLaw,
  judgeWithin,
  type Judged,
  type StayWithin,
} from './sweep/adapter/matchers.ts';
export type { MetricLimit, MetricLimits } from './sweep/adapter/limits.ts';
export type { AnyLawName, CheckedLaws, CompactionRun } from './sweep/adapter/result.ts';
export {
  type CompactionResult,
  runCompactor,
  type RunCompactorOptions,
} from './sweep/adapter/run-compactor.ts';
