import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');
/** What an entry point lists, and what it declares itself. */
const LIST = /^export (?<all>type )?\{(?<names>[^}]*)\}/gm;
const DECLARED = /^export (?:interface|type) (?<name>\w+)/gm;

/** The types of an entry point; they have no values that could be asked for. */
function typesOf(text: string): readonly string[] {
  const listed = [...text.matchAll(LIST)].flatMap(({ groups = {} }) => {
    const { all, names = '' } = groups;
    const each = names.split(',').map((name) => name.trim());
    const types = each.filter((name) => all !== undefined || name.startsWith('type '));
    return types.map((name) => name.replace(/^type /, ''));
  });
  const declared = [...text.matchAll(DECLARED)].map(({ groups }) => groups?.['name'] ?? '');
  return [...listed, ...declared].filter((name) => name !== '').toSorted();
}

/** The types of each entry point; removing one needs a major version. */
const TYPES = {
  'engine/index.ts': `
    Age AppendFacts AssistantMessage BrokenLaw ByAgeOptions Candidate CheckExplanation
    CheckpointEntry CheckpointOptions CheckpointRuleName CheckpointTailOptions
    CleanupExplanation CleanupName CleanupPolicy Command CompactingAnswer CompactionPart
    CompletedPart ConditionCheck CountRule CountTerm CountUnit Cut CutPolicy DiffTotals EngineEvent EstimatorOptions
    EvictionName Evidence ExternalMemory FactsByMoment FailedRequest FileDiff FilePart Finding
    FlattenOptions GuardsPolicy Health Hooks Inaction InstructionName JudgedOutput Judgement
    KeepEnds KeepLastOptions KeepSize KeptAmount Latest Law LawName Limits LineChanges LoopInput LoopState Memory
    MemoryEntry MemoryHit MemoryPolicy Message MessageError MessageSummary ModelContent
    ModelMessage Moment Move MoveExplanation OutputVerdict OverflowCheck OverflowErrorRule
    OverflowErrorRuleName OverflowExplanation OverflowOptions OverflowRule OverflowRuleName Part
    PartUses PassPlan Pending Phase PivotContext PivotFacts PivotSizes PlannedCleanup Policy
    PolicyName PolicyOverrides PresetOrigin ProviderError PruneExplanation PruneFacts PrunePlan PrunePolicy
    PruneRule PruneRuleName RankKnowledge RankRules ReadingPolicy ReasoningPart RecallOptions
    RenderOptions RenderPolicy ReportedUsage RequestChecker RequestFacts RereadPolicy
    ResumePolicy ResumeTextName RetryOptions RetryPlan RetryRule RetryRuleName ScanEnd ScoredOutput ScorerName
    SessionSummary SliceSize SnapshotDiff Snapshots StateOptions StepFinishPart StepStartPart
    StopReason StoredPart SubtaskPart Summarising SummaryForm SummaryInput SummaryLength SummaryPolicy SummaryRequest
    SummaryResult SystemPromptName Tail TailOptions TailRule TailRuleName TakenOut Term TermName
    TextPart ToolPart ToolState Tools Transition TriggerCondition TriggerPolicy UsableRule Usage UsageKind
    UsageProvider UsageReader UsageRule UsageRuleName UserMessage Verdict ViewRule ViewRuleName
    Violation Weights`,
  'simulator/index.ts': `
    Against AnySummarizer AsyncRunOptions AsyncSummarizer AsyncTools BenchConfig Billed
    BilledPrices CacheRules CacheTotals Calibration CallRecord Catalog CheckName CompileOptions
    CostTotals CountText Counted CountedReason Counters Env ErrorCode Evidence FailedAnswer
    Failure FailureType Fault FinishedAnswer FolderPlace Gate GrowthPair ImportReport Metric
    MetricInput MetricName MetricValues MissBounds MissCurve MissCurveOptions ModelProfile
    ModelSettings ModelSurroundings NearbyFile OverflowPath Payback PlantedFact PriceTier Prices
    ProviderBehaviour ProviderOverrides RecordItem RecordedCompaction RecordedCost References
    RegretTotals RunEvent RunFilesOptions RunItem RunKey RunMode RunOptions RunRecord RunState
    RunTotals Session Share SideSessionLink SimulateOptions Simulation SimulationYield Sink
    Stage Summarizer SummarizerRegistry SummarizerTools SummaryAnswer Surroundings TokenBasis
    TokenPrices Tokenizer Trace TraceStep TraceTurn`,
  'simulator/testing.ts': `
    AiSdkMessage AnthropicBlock AnthropicMessage AnyLawName AnySummarizer BaselineUpdate CheckedLaws CommandOptions CompactionAbout CompactionResult
    CompactionRun Compactor CompactorInput Env ErrorCode Fault ForeignOptions
    GenerateSessionsOptions Judged ListChange ListLawName MessageForm MetricLimit MetricLimits MetricName
    ModelContent ModelInput ModelMessage ModelProfile OpenAiMessage OpenAiPiece OpenCompactor PlantedFact QualityScore
    QualityValues RunCompactorOptions RunEvent RunRecord ScenarioModel Session SessionInputs
    StayWithin SummaryAnswer Trace`,
  'simulator/vitest.ts': `
    AnyLawName CompactionMatchers CompactionResult RunCompactorOptions StayWithin`,
};

describe('the public types', () => {
  it.each(Object.entries(TYPES))('of src/%s are these', (entry, names) => {
    const text = readFileSync(resolve(SRC, entry), 'utf8');
    expect(typesOf(text)).toEqual(names.trim().split(/\s+/));
  });

  it('are found however they are exported', () => {
    const text = `export { type One, two } from './a.ts';
export type { Three, Four } from './b.ts';
export interface Five {}
export type Six = string;
export function seven() {}
`;
    expect(typesOf(text)).toEqual(['Five', 'Four', 'One', 'Six', 'Three']);
  });
});
