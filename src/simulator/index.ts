/** The entry point `compaction-bench/simulator`. */

export { createEnv, type Env } from './env.ts';
export { type ErrorCode, HarnessError } from './errors.ts';
export type {
  Evidence,
  OverflowPath,
  RunEvent,
  RunState,
  Sink,
  TokenBasis,
} from './events.ts';
export { foldRun } from './metrics/fold.ts';
export type { Metric } from './metrics/metric.ts';
export type { RunTotals } from './metrics/totals.ts';
export {
  type MetricName,
  type MetricValues,
  measure,
  metrics,
} from './metrics/metrics.ts';
export { type RunKey, type RunRecord, recordRun } from './metrics/record.ts';
export {
  type MissBounds,
  type MissCurve,
  type MissCurveOptions,
  missCurve,
  missesAt,
} from './metrics/regret/miss-curve.ts';
export { type Catalog, readCatalog } from './provider/catalog.ts';
export { findModel } from './provider/find-model.ts';
export { overrideProfile } from './provider/override-profile.ts';
export { type BenchConfig, defineConfig, type Gate } from './scenario/gate/config.ts';
export type { ProviderOverrides } from './scenario/provider-overrides.ts';
export { createProfile, type ModelProfile } from './provider/model-profile.ts';
export type { Prices, PriceTier, TokenPrices } from './provider/prices.ts';
export { type Calibration, calibrate, type GrowthPair } from './replay/calibrate.ts';
export { type CompileOptions, compileSession } from './replay/compile.ts';
export { driveAsync, driveSync } from './replay/drive.ts';
export type { Simulation, SimulationYield } from './replay/running.ts';
export { type SimulateOptions, simulate } from './replay/simulate.ts';
export type { Trace, TraceStep, TraceTurn } from './replay/trace.ts';
export { readSessions } from './session/read.ts';
export type { ImportReport, RecordedCompaction, Session } from './session/session.ts';
export type {
  AnySummarizer,
  AsyncSummarizer,
  AsyncTools,
  Summarizer,
  SummarizerTools,
  SummaryAnswer,
} from './summarizer/summarizer.ts';
export {
  type ModelSettings,
  type ModelSurroundings,
  openSummarizers,
  type SummarizerHouse,
} from './summarizer/open.ts';
export { findSummarizer } from './summarizer/summarizers.ts';
export { type RunFilesOptions, type RunItem, runFiles } from './sweep/run-files.ts';
export {
  type AsyncRunOptions,
  collectRun,
  type RunOptions,
  runInBatches,
  runTrace,
  runTraceAsync,
} from './replay/run-trace.ts';
export { loadTokenizer, type Tokenizer } from './tokens/tokenizer.ts';
