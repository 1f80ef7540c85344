/** The entry point `compaction-bench/testing`: what tests of a policy or compactor need. */

export type { ModelContent, ModelMessage } from '../engine/index.ts';
export type { Env } from './env.ts';
export { type ErrorCode, HarnessError } from './lib/errors.ts';
export type { RunEvent } from './events.ts';
export type { MetricName } from './metrics/metrics.ts';
export type { RunRecord } from './metrics/record.ts';
export type { QualityScore } from './metrics/quality/score-text.ts';
export { qualityMetrics, qualityValues } from './metrics/quality/score-text.ts';
export type { QualityValues } from './metrics/quality/score-text.ts';
export type { Compactor, CompactorInput } from './replay/foreign/compactor.ts';
export type { ListChange, ListLawName } from './replay/foreign/compactor.ts';
export { listLaws } from './replay/foreign/compactor.ts';
export { type ForeignOptions, runForeign } from './replay/foreign/run-foreign.ts';
export { type AiSdkMessage, aiSdkMessages } from './provider/forms/ai-sdk.ts';
export type { AnthropicBlock, AnthropicMessage } from './provider/forms/anthropic.ts';
export { anthropicMessages } from './provider/forms/anthropic.ts';
export type { MessageForm } from './provider/forms/form.ts';
export { type OpenAiMessage, type OpenAiPiece, openAiMessages } from './provider/forms/openai.ts';
export type { ModelProfile } from './provider/model-profile.ts';
export type { Trace } from './replay/trace.ts';
export type { Fault, ScenarioModel } from './scenario/scenario.ts';
export type { PlantedFact } from './session/facts.ts';
export type { Session } from './session/session.ts';
export type { AnySummarizer, SummaryAnswer } from './summarizer/summarizer.ts';
export { type CompactionAbout, compactorOf } from './sweep/adapter/compactor-of.ts';
export type { CommandOptions, OpenCompactor } from './sweep/adapter/command-compactor.ts';
export { commandCompactor } from './sweep/adapter/command-compactor.ts';
export { generateSessions, runCompactor } from './sweep/adapter/run-compactor.ts';
export type {
  GenerateSessionsOptions,
  ModelInput,
  SessionInputs,
  CompactionResult,
  RunCompactorOptions,
} from './sweep/adapter/run-compactor.ts';
export type {
  BaselineUpdate,
  Judged,
  StayWithin,
  MetricLimit,
  MetricLimits,
} from './sweep/adapter/matchers.ts';
export { judgeBaseline, judgeLaw, judgeWithin } from './sweep/adapter/matchers.ts';
export type { AnyLawName, CheckedLaws, CompactionRun } from './sweep/adapter/run-compactor.ts';
