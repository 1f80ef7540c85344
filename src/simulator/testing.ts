/** The entry point `compaction-bench/testing`: what tests of a policy or compactor need. */

export type { ModelContent, ModelMessage } from '../engine/index.ts';
export type { Env } from './env.ts';
export { type ErrorCode, HarnessError } from './errors.ts';
export type { RunEvent } from './events.ts';
export type { MetricName } from './metrics/metrics.ts';
export type { RunRecord } from './metrics/record.ts';
export type { QualityScore } from './metrics/quality/score-text.ts';
export {
  qualityMetrics,
  type QualityValues,
  qualityValues,
} from './metrics/quality/quality-metrics.ts';
export type { Compactor, CompactorInput } from './replay/foreign/compactor.ts';
export { type ListChange, type ListLawName, listLaws } from './replay/foreign/laws.ts';
export { type ForeignOptions } from './replay/foreign/running-foreign.ts';
export { runForeign } from './replay/foreign/run-foreign.ts';
export type { ModelProfile } from './provider/model-profile.ts';
export type { Trace } from './replay/trace.ts';
export type { Fault } from './scenario/fault.ts';
export type { ScenarioModel } from './scenario/file/scenario.ts';
export type { PlantedFact } from './session/facts.ts';
export type { Session } from './session/session.ts';
export type {
  AnySummarizer,
  SummaryAnswer,
} from './summarizer/summarizer.ts';
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
  type BaselineUpdate,
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
