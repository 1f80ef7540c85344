/** The entry point `compaction-bench/engine`. */

export {
  type CheckpointOptions,
  type CheckpointRuleName,
  checkpointRules,
  DEFAULT_CHECKPOINT_BUFFER_TOKENS,
  isCompactionRequired,
} from './overflow/checkpoint.ts';
export {
  type CheckpointEntry,
  type CheckpointTailOptions,
  selectCheckpointTail,
} from './pivot/checkpoint-tail.ts';
export {
  countLineChanges,
  diffFiles,
  type FileDiff,
  type LineChanges,
} from './session-summary/diff.ts';
export { parseOutputCap, parseSwitch } from './environment.ts';
export { canonicalJson } from './canonical-json.ts';
export {
  CREATING_TOOLS,
  EDITING_TOOLS,
  PATH_KEYS,
  plainToolName,
  READING_TOOLS,
} from './file-calls.ts';
export { isAsked, isRequest, newestRequest } from './request.ts';
export { ALL_GUARDS, isIneffective, NO_GUARDS, type PivotContext } from './guards.ts';
export { type GuardsPolicy } from './policy.ts';
export { type Health } from './state.ts';
export { type EstimatorOptions } from './policy.ts';
export { estimateTokens } from './estimate.ts';
export { type CheckExplanation, explainMove, type MoveExplanation } from './explain.ts';
export type { Inaction } from './inaction.ts';
export { checkAppend, checkPivot, checkPrune, checkRequest } from './invariants/check.ts';
export type { Finding } from './invariants/finding.ts';
export type {
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
export { type LawName } from './policy.ts';
export { laws } from './invariants/laws.ts';
export { createRequestChecker, type RequestChecker } from './invariants/request-checker.ts';
export { createLawChecker, type Move } from './invariants/run.ts';
export type { Violation } from './invariants/violations.ts';
export { type Latest, readLatest } from './view/latest.ts';
export { type Limits } from './state.ts';
export { outputReserve } from './limits.ts';
export { checkpointText, isCheckpoint } from './render/checkpoint-text.ts';
export { viewOf } from './loop/decide.ts';
export { transition } from './loop.ts';
export { createState, type StateOptions } from './loop/create-state.ts';
export { entriesOf } from './memory/entries.ts';
export {
  createMemory,
  type MemoryHit,
  recall,
  type RecallOptions,
  remember,
  search,
} from './memory/memory.ts';
export { type Memory } from './state.ts';
export { type MemoryEntry, type Segments } from './state.ts';
export { type ExternalMemory } from './state.ts';
export {
  type AssistantMessage,
  type CompactionPart,
  type CompletedPart,
  type FilePart,
  isCleared,
  isCompleted,
  isSentAsIs,
  isStandIn,
  isWithout,
  isSummary,
  type Message,
  type MessageError,
  markerOf,
  type Part,
  type ReasoningPart,
  type StoredPart,
  storedPart,
  type TakenOut,
  type StepFinishPart,
  type StepStartPart,
  type SubtaskPart,
  type TextPart,
  type ToolPart,
  type ToolState,
  type Usage,
  type UserMessage,
} from './message.ts';
export { checkOverflow, type OverflowRule, overflowRules } from './overflow.ts';
export { type OverflowCheck } from './state.ts';
export { type OverflowRuleName } from './policy.ts';
export { explainOverflow, type OverflowExplanation } from './overflow/explain.ts';
export {
  isContextOverflow,
  isContextOverflowEvent,
  knowsOverflow,
  type OverflowErrorRule,
  overflowErrorRules,
} from './errors/overflow-error.ts';
export { type OverflowErrorRuleName } from './policy.ts';
export { type Cut } from './state.ts';
export { type CutPolicy } from './policy.ts';
export { type Pending, planCut } from './pivot/cut.ts';
export { type FlattenOptions, flattenMessage } from './pivot/flatten.ts';
export { type KeepSize } from './policy.ts';
export { keepsBySize } from './pivot/keep-size.ts';
export { type RereadPolicy } from './policy.ts';
export { isMedia, mediaNote, stripMedia } from './pivot/media.ts';
export { type SummaryRequest } from './state.ts';
export { buildSummaryRequest, type SummaryInput } from './pivot/summary.ts';
export { type SummaryResult } from './state.ts';
export {
  preserveBudget,
  selectTail,
  type SliceSize,
  type Tail,
  type TailOptions,
  type TailRuleName,
  tailRules,
} from './pivot/tail.ts';
export { type TailRule } from './policy.ts';
export { replaceEviction } from './policies/bounds.ts';
export { type PolicyName, policies } from './policies/index.ts';
export {
  type BrokenLaw,
  type MemoryPolicy,
  type Policy,
  type PolicyOverrides,
  type PrunePolicy,
  type ReadingPolicy,
  type RenderPolicy,
  type ResumePolicy,
  type SummaryPolicy,
  type TriggerPolicy,
} from './policy.ts';
export { resolvePolicy } from './form/policy-form.ts';
export { headingsOf, missesHeadings } from './prompts/headings.ts';
export { type InstructionName } from './policy.ts';
export { instructions } from './prompts/instructions.ts';
export { REFUSAL_NOTE, resumeTexts } from './prompts/resume.ts';
export { type ResumeTextName } from './policy.ts';
export { type SystemPromptName } from './policy.ts';
export { systemPrompts } from './prompts/system.ts';
export { composeErrorMessage, type ProviderError } from './errors/provider-error.ts';
export { type Age } from './policy.ts';
export { type ByAgeOptions } from './policy.ts';
export { DEFAULT_BY_AGE, planByAge } from './prune/by-age.ts';
export { type CleanupName, type CleanupPolicy } from './policy.ts';
export { defaultCleanups } from './prune/cleanups.ts';
export { type Candidate, evictionOrders } from './prune/eviction-orders.ts';
export { type EvictionName } from './policy.ts';
export { type PartUses } from './state.ts';
export type { RankKnowledge, RankRules } from './prune/by-rank.ts';
export { explainPrune, type PruneExplanation } from './prune/explain.ts';
export type { CleanupExplanation } from './prune/explain-passes.ts';
export type { JudgedOutput, Judgement, ScanEnd } from './prune/judge-by-age.ts';
export { applyPrune } from './prune/plan.ts';
export { type PassPlan, type PrunePlan } from './state.ts';
export { type KeepLastOptions } from './policy.ts';
export { prunesAt } from './prune/prune.ts';
export type { Verdict } from './prune/scan.ts';
export { isPruneOn, type PruneRule, type PruneRuleName, pruneRules } from './prune/rules.ts';
export { isSent, type ModelMessage, render, renderMessage } from './render.ts';
export type { RenderOptions } from './render/for-model.ts';
export {
  isInjected,
  type ModelContent,
  renderCall,
  renderPart,
  renderResult,
} from './render/part.ts';
export {
  createUsageReader,
  normaliseUsage,
  type ReportedUsage,
  type UsageProvider,
  type UsageReader,
  type UsageRule,
  usageRules,
} from './reported-usage.ts';
export { type UsageRuleName } from './policy.ts';
export {
  type FailedRequest,
  isRetried,
  planRetry,
  retryDelayMs,
  type RetryOptions,
  type RetryPlan,
  type RetryRule,
  retryRules,
} from './errors/retry.ts';
export { type RetryRuleName } from './policy.ts';
export { applyRevert } from './loop/revert.ts';
export { restoreState, saveState } from './loop/save-state.ts';
export {
  buildSessionSummary,
  type DiffTotals,
  type MessageSummary,
  type SessionSummary,
  type SnapshotDiff,
  type Snapshots,
} from './session-summary.ts';
export { type CompactingAnswer, type Hooks, type Tools } from './state.ts';
export { estimateMessages, type Weights } from './render/weigh.ts';
export type { Term, TermName } from './term.ts';
export {
  type Command,
  type EngineEvent,
  type LoopInput,
  type LoopState,
  type Phase,
  type StopReason,
  type Summarising,
  type Transition,
} from './state.ts';
export {
  type CountRule,
  type CountTerm,
  countAll,
  countTotal,
  countWithoutCacheWrite,
  type UsageKind,
} from './usage.ts';
export type { OverflowOptions, UsableRule } from './overflow/usable.ts';
export { filterCompacted, type ViewRule, viewRules } from './view.ts';
export { type ViewRuleName } from './policy.ts';
