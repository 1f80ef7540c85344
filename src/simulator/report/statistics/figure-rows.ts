import type { Evidence } from '../../events.ts';
import type { Distribution, WorkloadStatistics } from '../../session/statistics/workload.ts';

/** A figure as it is told, with what it rests on. */
export interface FigureRow {
  readonly label: string;
  readonly distribution: Distribution | null;
  /** `content` is weighed by the estimator; the other figures are counted or were recorded. */
  readonly basis: 'content' | Extract<Evidence, 'measured'>;
  readonly unit: 'number' | 'share';
}

/** The figures of sessions in the order in which they are told. */
export function figureRows(statistics: WorkloadStatistics): readonly FigureRow[] {
  return [
    ...contentRows(statistics),
    ...countRows(statistics),
    ...recordedRows(statistics),
    ...gapRows(statistics),
  ];
}

function contentRows(statistics: WorkloadStatistics): readonly FigureRow[] {
  const { content, perTurn, perSession, textTokens, reuse, compactions } = statistics;
  const { toolOutputTokens } = statistics;
  return [
    estimated('tokens per tool output', toolOutputTokens),
    estimated('tokens per turn', perTurn.contentTokens),
    estimated('tool output tokens per turn', perTurn.toolOutputTokens),
    estimated('tokens per session', perSession.contentTokens),
    { ...estimated('tool output share per session', content.toolOutputShare), unit: 'share' },
    estimated('tokens per user text', textTokens.user),
    estimated('tokens per assistant text', textTokens.assistant),
    estimated('tokens per reasoning part', textTokens.reasoning),
    estimated('tokens per injected text', textTokens.injected),
    estimated('tokens per summary', compactions.summaryTokens),
    estimated('tokens until a file is re-read', reuse.rereadTokens),
    estimated('tokens until a file is changed', reuse.changeTokens),
    { ...estimated('repeated outputs per session', reuse.duplicateShare), unit: 'share' },
  ];
}

function countRows({ perTurn, perSession, perStep, reuse }: WorkloadStatistics) {
  return [
    measured('steps per turn', perTurn.steps),
    measured('tool calls per turn', perTurn.toolCalls),
    measured('calls per step with calls', perStep.parallelCalls),
    measured('turns per session', perSession.turns),
    measured('steps per session', perSession.steps),
    measured('tool outputs per session', perSession.toolOutputs),
    { ...measured('repeated reads per session', reuse.rereadShare), unit: 'share' as const },
  ];
}

function recordedRows({ perSession, perStep, compactions }: WorkloadStatistics) {
  return [
    measured('context of the first step', perSession.recordedFirstStepTokens),
    measured('largest context', perSession.recordedMaxContextTokens),
    measured('context growth per step', perStep.recordedGrowthTokens),
    measured('output per step', perStep.recordedOutputTokens),
    {
      ...measured('cache reads in the input', perSession.recordedCacheReadShare),
      unit: 'share' as const,
    },
    measured('context before a compaction', compactions.recordedTokensBefore),
    measured('context after a compaction', compactions.recordedTokensAfter),
    measured('tokens per clearing', compactions.recordedTokensCleared),
    measured('steps before a compaction', compactions.stepsBefore),
  ];
}

function gapRows({ gapsSeconds }: WorkloadStatistics): readonly FigureRow[] {
  return [
    measured('seconds before a prompt', gapsSeconds.beforeUser),
    measured('seconds from prompt to step', gapsSeconds.model),
    measured('seconds from calls to next step', gapsSeconds.toolsAndModel),
  ];
}

function estimated(label: string, distribution: Distribution | null): FigureRow {
  return { label, distribution, basis: 'content', unit: 'number' };
}

function measured(label: string, distribution: Distribution | null): FigureRow {
  return { label, distribution, basis: 'measured', unit: 'number' };
}
