/** The entry point `compaction-bench/simulator`. */

export { createEnv } from './env.ts';
export type { Env } from './env.ts';
export type { ErrorCode } from './lib/errors.ts';
export { HarnessError } from './lib/errors.ts';
export type {
  Billed,
  BilledPrices,
  Evidence,
  FailureType,
  OverflowPath,
  RunEvent,
  RunMode,
  RunState,
  Sink,
  TokenBasis,
} from './events.ts';
export { foldRun } from './metrics/fold.ts';
export type { Counted, Metric, MetricInput, Share } from './metrics/metric-rows.ts';
export type { CountedReason, Against, RunKey, RunRecord } from './metrics/record.ts';
export type {
  CacheTotals,
  CostTotals,
  Payback,
  RegretTotals,
  RunTotals,
} from './metrics/totals.ts';
export type { MetricName, MetricValues } from './metrics/metrics.ts';
export { measure, metrics } from './metrics/metrics.ts';
export { recordRun } from './metrics/record.ts';
export type { MissBounds, MissCurve, MissCurveOptions } from './metrics/miss-curve.ts';
export { missCurve, missesAt } from './metrics/miss-curve.ts';
export type { Catalog } from './provider/catalog.ts';
export { readCatalog, findModel } from './provider/catalog.ts';
export type { BenchConfig, Gate } from './scenario/gate.ts';
export { defineConfig } from './scenario/gate.ts';
export type { Failure, Fault } from './scenario/scenario.ts';
export type { ProviderOverrides } from './scenario/settings.ts';
export type { ProviderBehaviour } from './provider/behaviours.ts';
export type { CacheRules } from './provider/cache-rules.ts';
export type { CheckName } from './provider/checks.ts';
export { createProfile, overrideProfile } from './provider/model-profile.ts';
export type { ModelProfile } from './provider/model-profile.ts';
export type { Prices, PriceTier, TokenPrices } from './provider/prices.ts';
export type { Calibration, GrowthPair } from './replay/sizes.ts';
export { calibrate } from './replay/sizes.ts';
export type { CompileOptions } from './replay/compile.ts';
export { compileSession } from './replay/compile.ts';
export type { CountText } from './replay/count.ts';
export {
  driveAsync,
  driveSync,
  collectRun,
  runInBatches,
  runTrace,
  runTraceAsync,
} from './replay/run-trace.ts';
export type { Simulation, SimulationYield, Stage } from './replay/run-state.ts';
export type { SimulateOptions } from './replay/simulate.ts';
export { simulate } from './replay/simulate.ts';
export type { References } from './replay/references/reference.ts';
export type { Trace, TraceStep, TraceTurn } from './replay/trace.ts';
export type { PlantedFact } from './session/facts.ts';
export type { FolderPlace, NearbyFile, Surroundings } from './session/format.ts';
export { readSessions } from './session/load.ts';
export type {
  ImportReport,
  RecordedCompaction,
  RecordedCost,
  Session,
  SideSessionLink,
} from './session/session.ts';
export type {
  AnySummarizer,
  AsyncSummarizer,
  AsyncTools,
  CallRecord,
  FailedAnswer,
  FinishedAnswer,
  Summarizer,
  SummarizerTools,
  SummaryAnswer,
} from './summarizer/summarizer.ts';
export type { ModelSettings, ModelSurroundings, SummarizerRegistry } from './summarizer/open.ts';
export { openSummarizers } from './summarizer/open.ts';
export { findSummarizer } from './summarizer/summarizers.ts';
export type { RunFilesOptions, RecordItem, RunItem } from './sweep/run-files.ts';
export { runFiles } from './sweep/run-files.ts';
export type { AsyncRunOptions, RunOptions } from './replay/run-trace.ts';
export type { Counters } from './tokens/tokenizer.ts';
export { loadTokenizer } from './tokens/tokenizer.ts';
export type { Tokenizer } from './tokens/tokenizer.ts';
