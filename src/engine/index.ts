/** The entry point `compaction-bench/engine`. */

export type {
  CheckpointOptions,
  CheckpointRuleName,
  OverflowRule,
  OverflowExplanation,
} from './overflow.ts';
export {
  checkpointRules,
  DEFAULT_CHECKPOINT_BUFFER_TOKENS,
  isCompactionRequired,
  checkOverflow,
  overflowRules,
  explainOverflow,
} from './overflow.ts';
export type {
  CheckpointEntry,
  CheckpointTailOptions,
  SliceSize,
  Tail,
  TailOptions,
  TailRuleName,
} from './pivot/tail.ts';
export { selectCheckpointTail, preserveBudget, selectTail, tailRules } from './pivot/tail.ts';
export { countLineChanges, diffFiles, buildSessionSummary } from './session-summary.ts';
export type {
  FileDiff,
  LineChanges,
  DiffTotals,
  MessageSummary,
  SessionSummary,
  SnapshotDiff,
  Snapshots,
} from './session-summary.ts';
export { parseOutputCap, parseSwitch, outputReserve } from './usable.ts';
export { canonicalJson } from './values.ts';
export {
  CREATING_TOOLS,
  EDITING_TOOLS,
  PATH_KEYS,
  plainToolName,
  READING_TOOLS,
} from './file-calls.ts';
export { isAsked, isRequest, newestRequest, readLatest } from './latest.ts';
export { ALL_GUARDS, isIneffective, NO_GUARDS } from './guards.ts';
export type { PivotContext } from './guards.ts';
export type {
  GuardsPolicy,
  EstimatorOptions,
  LawName,
  OverflowRuleName,
  OverflowErrorRuleName,
  CutPolicy,
  KeepSize,
  RereadPolicy,
  TailRule,
  BrokenLaw,
  MemoryPolicy,
  Policy,
  PolicyOverrides,
  PrunePolicy,
  ReadingPolicy,
  RenderPolicy,
  ResumePolicy,
  SummaryPolicy,
  TriggerPolicy,
  InstructionName,
  ResumeTextName,
  SystemPromptName,
  Age,
  ByAgeOptions,
  CleanupName,
  CleanupPolicy,
  EvictionName,
  KeepLastOptions,
  UsageRuleName,
  RetryRuleName,
  ViewRuleName,
} from './policy.ts';
export type {
  Health,
  Limits,
  Memory,
  MemoryEntry,
  Segments,
  ExternalMemory,
  OverflowCheck,
  Cut,
  SummaryRequest,
  SummaryResult,
  PartUses,
  PassPlan,
  PrunePlan,
  CompactingAnswer,
  Hooks,
  Tools,
  Command,
  EngineEvent,
  LoopInput,
  LoopState,
  Phase,
  StopReason,
  Summarising,
  Transition,
} from './state.ts';
export { estimateTokens, estimateMessages } from './estimate.ts';
export type {
  CheckExplanation,
  MoveExplanation,
  Inaction,
  PruneExplanation,
  CleanupExplanation,
} from './explain.ts';
export { explainMove, explainPrune } from './explain.ts';
export {
  checkAppend,
  checkPivot,
  checkPrune,
  checkRequest,
  createRequestChecker,
  createLawChecker,
} from './invariants/check.ts';
export type {
  Finding,
  AppendFacts,
  FactsByMoment,
  Law,
  Moment,
  PivotFacts,
  PivotSizes,
  PlannedCleanup,
  PruneFacts,
  RequestFacts,
} from './invariants/law.ts';
export { laws } from './invariants/laws.ts';
export type { RequestChecker, Move } from './invariants/check.ts';
export type { Violation } from './invariants/laws.ts';
export type { Latest } from './latest.ts';
export {
  checkpointText,
  isCheckpoint,
  isSent,
  render,
  renderMessage,
  isInjected,
  renderCall,
  renderPart,
  renderResult,
} from './render.ts';
export { viewOf } from './decide.ts';
export { transition } from './loop.ts';
export { createState, applyRevert, restoreState, saveState } from './create-state.ts';
export type { StateOptions } from './create-state.ts';
export { entriesOf, createMemory, recall, remember, search } from './memory.ts';
export type { MemoryHit, RecallOptions } from './memory.ts';
export type {
  AssistantMessage,
  CompactionPart,
  CompletedPart,
  FilePart,
  Message,
  MessageError,
  Part,
  ReasoningPart,
  StoredPart,
  TakenOut,
  StepFinishPart,
  StepStartPart,
  SubtaskPart,
  TextPart,
  ToolPart,
  ToolState,
  Usage,
  UserMessage,
} from './message.ts';
export {
  isCleared,
  isCompleted,
  isSentAsIs,
  isStandIn,
  isWithout,
  isSummary,
  markerOf,
  storedPart,
} from './message.ts';
export {
  isContextOverflow,
  isContextOverflowEvent,
  knowsOverflow,
  overflowErrorRules,
} from './errors/overflow-error.ts';
export type { OverflowErrorRule } from './errors/overflow-error.ts';
export type { Pending } from './pivot/cut.ts';
export { planCut, keepsBySize } from './pivot/cut.ts';
export type { FlattenOptions } from './pivot/flatten.ts';
export { flattenMessage, isMedia, mediaNote, stripMedia } from './pivot/flatten.ts';
export { buildSummaryRequest } from './pivot/summary.ts';
export type { SummaryInput } from './pivot/summary.ts';
export { replaceEviction } from './presets/alternatives.ts';
export type { PolicyName } from './presets/index.ts';
export { policies } from './presets/index.ts';
export { resolvePolicy } from './check-policy.ts';
export { headingsOf, missesHeadings, instructions } from './prompts/instructions.ts';
export { REFUSAL_NOTE, resumeTexts, systemPrompts } from './prompts/system.ts';
export { composeErrorMessage } from './errors/provider-error.ts';
export type { ProviderError } from './errors/provider-error.ts';
export { DEFAULT_BY_AGE, planByAge, isPruneOn, pruneRules } from './prune/by-age.ts';
export { defaultCleanups } from './prune/cleanups.ts';
export type { Candidate, RankKnowledge, RankRules } from './prune/by-rank.ts';
export { evictionOrders } from './prune/by-rank.ts';
export type { JudgedOutput, Judgement, ScanEnd, Verdict } from './prune/scan.ts';
export type { PruneRule, PruneRuleName } from './prune/by-age.ts';
export { applyPrune } from './prune/plan.ts';
export { prunesAt } from './prune/prune.ts';
export type { ModelMessage, RenderOptions, ModelContent } from './render.ts';
export {
  createUsageReader,
  normaliseUsage,
  usageRules,
  countAll,
  countTotal,
  countWithoutCacheWrite,
} from './usage.ts';
export type {
  ReportedUsage,
  UsageProvider,
  UsageReader,
  UsageRule,
  CountRule,
  CountTerm,
  UsageKind,
} from './usage.ts';
export type { FailedRequest, RetryOptions, RetryPlan, RetryRule } from './errors/retry.ts';
export { isRetried, planRetry, retryDelayMs, retryRules } from './errors/retry.ts';
export type { Weights } from './estimate.ts';
export type { Term, TermName, OverflowOptions, UsableRule } from './usable.ts';
export { filterCompacted, viewRules } from './view.ts';
export type { ViewRule } from './view.ts';
