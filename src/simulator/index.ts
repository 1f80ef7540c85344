/** The entry point `compaction-bench/simulator`. */

export { createEnv, type Env } from './env.ts';
export { type ErrorCode, HarnessError } from './lib/errors.ts';
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
export { type MetricName, type MetricValues, measure, metrics } from './metrics/metrics.ts';
export { recordRun } from './metrics/record.ts';
export type { MissBounds, MissCurve, MissCurveOptions } from './metrics/miss-curve.ts';
export { missCurve, missesAt } from './metrics/miss-curve.ts';
export { type Catalog, readCatalog, findModel } from './provider/catalog.ts';
export { type BenchConfig, type Gate, defineConfig } from './scenario/gate.ts';
export type { Failure, Fault } from './scenario/scenario.ts';
export type { ProviderOverrides } from './scenario/settings.ts';
export type { ProviderBehaviour } from './provider/behaviours.ts';
export type { CacheRules } from './provider/behaviours.ts';
export type { CheckName } from './provider/checks.ts';
export { createProfile, overrideProfile, type ModelProfile } from './provider/model-profile.ts';
export type { Prices, PriceTier, TokenPrices } from './provider/prices.ts';
export { type Calibration, type GrowthPair, calibrate } from './replay/sizes.ts';
export { type CompileOptions, compileSession } from './replay/compile.ts';
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
export { type SimulateOptions, simulate } from './replay/simulate.ts';
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
export { type Counters, loadTokenizer, type Tokenizer } from './tokens/tokenizer.ts';
