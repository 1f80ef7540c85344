import { inPercent } from '../../src/simulator/scenario/workload/draw.ts';
import type {
  AgentStyle,
  SessionShape,
  ToolShape,
  Workload,
} from '../../src/simulator/scenario/workload/workload.ts';
import { LANGUAGES, styles } from './agents.ts';
import { toShapes } from './session-shapes.ts';
import { counted, logNormal, rounded, scaled, spreadOf, sumOf } from './spreads.ts';
import type { Corpus, Quantiles, StatisticsFile } from './statistics.ts';
import { meetMeanArguments, meetTotal } from './total.ts';
import { fillTransitions } from './transitions.ts';
import { notBelow } from '../../src/simulator/scenario/workload/fit.ts';

/** An agent, and where the statistics tell of it. */
interface Agent {
  readonly name: string;
  readonly label: string;
  readonly style: AgentStyle;
  readonly corpus: (statistics: StatisticsFile) => Corpus | undefined;
  readonly perToken: string;
  /** The cost of a step besides its characters, so that the context grows as it was seen to. */
  readonly fixedTokens: number;
  /** Median output as recorded, without the texts and arguments that are seen. */
  readonly unseenTokens: number;
  /** How many sessions have how many compactions, from none on. */
  readonly sessionsByCompactions: readonly number[];
}

const CLAUDE_CORPUS = 'corpus: entireio/cli (all unique Claude Code sessions)';
const MIN_CALLS = 5;
const OWN_TOOL = /^(?!mcp__)[A-Za-z_]+$/;
/** Calls in a step beyond which no step is looked at. */
const MOST_PARALLEL = 8;

const agents: readonly Agent[] = [
  {
    name: 'claude-code',
    label: 'Claude Code: 267 sessions of a team on one Go repository',
    style: styles.claudeCode,
    corpus: ({ corpora }) => corpora[CLAUDE_CORPUS],
    perToken: 'claude all tools',
    fixedTokens: 60,
    unseenTokens: 0,
    sessionsByCompactions: [211, 43, 12, 1],
  },
  {
    name: 'codex',
    label: 'Codex: 10 sessions; gaps and reuse as in Claude Code',
    style: styles.codex,
    corpus: ({ byFormatKeptFiles }) => byFormatKeptFiles['codex-rollout'],
    perToken: 'codex (gpt-5.x) real rollouts',
    fixedTokens: 117,
    unseenTokens: 127,
    sessionsByCompactions: [9, 1],
  },
  {
    name: 'pi',
    label: 'pi: 2 long sessions; gaps and reuse as in Claude Code',
    style: styles.pi,
    corpus: ({ byFormatKeptFiles }) => byFormatKeptFiles['pi'],
    perToken: 'pi (claude-opus-4-5 / sonnet-4-5)',
    fixedTokens: 85,
    unseenTokens: 57,
    sessionsByCompactions: [1, 0, 1],
  },
  {
    name: 'opencode',
    label: 'OpenCode: 2 sessions; gaps and reuse as in Claude Code',
    style: styles.openCode,
    corpus: ({ byFormatKeptFiles }) => byFormatKeptFiles['opencode-export'],
    perToken: 'opencode tuiptv (deepseek-v4-flash)',
    fixedTokens: 101,
    unseenTokens: 180,
    sessionsByCompactions: [2],
  },
];

/** The workloads of the agents that the statistics tell of. */
export function corpusWorkloads(statistics: StatisticsFile): readonly Workload[] {
  return agents.map((agent) => toWorkload(agent, statistics));
}

function toWorkload(agent: Agent, statistics: StatisticsFile): Workload {
  const corpus = agent.corpus(statistics);
  const perToken = statistics.measuredCharsPerToken[agent.perToken];
  const fallback = statistics.corpora[CLAUDE_CORPUS];
  if (!corpus || !perToken || !fallback) throw new Error(`No statistics of ${agent.name}.`);
  const { perSession, perTurn, textSizes } = corpus;
  const tools = meetMeanArguments(
    meetTotal(ownTools(corpus, statistics), spreadOf(corpus.toolOutputs)),
    textSizes.toolArgs.mean ?? 0,
  );
  const counts = Object.fromEntries(
    Object.keys(tools).map((name) => [name, corpus.byTool[name]?.n ?? 0]),
  );
  const compaction = corpus.compaction.preTokens.n === 0 ? fallback : corpus;
  const summaries = textSizes.summary.n === 0 ? fallback.textSizes : textSizes;
  return {
    name: agent.name,
    describes: agent.label,
    source: 'session statistics, tokens of four characters',
    style: agent.style,
    sessions: shapes(agent, corpus, compaction),
    turnsPerSession: spreadOf(perSession.userTurns),
    callsPerTurn: spreadOf(perTurn.toolCalls),
    callsPerStep: parallelCalls(corpus),
    tools,
    transitions: fillTransitions(
      corpus.transitionsTop.filter(([from, to]) => from in counts && to in counts),
      counts,
    ),
    texts: {
      userTokens: spreadOf(textSizes.user),
      assistantTokens: spreadOf(textSizes.assistantText),
      reasoningTokens: reasoningOfStep(corpus),
      summaryTokens: spreadOf(summaries.summary),
      ...textShares(corpus),
    },
    gapsSeconds: gaps(statistics),
    reuse: reuse(corpus, statistics),
    context: {
      firstStepTokens: spreadOf(perSession.firstStepContextTokens),
      charactersPerToken: perToken.chars_per_token_slope,
      fixedTokens: agent.fixedTokens,
      unseenTokens: { points: [[0, agent.unseenTokens]] },
      compactAtTokens: notBelow(spreadOf(compaction.compaction.preTokens), uncompacted(corpus)),
      compactedTokens: spreadOf(compaction.compaction.postContextTokens),
    },
    languages: LANGUAGES,
    checks: checks(agent, corpus),
  };
}

/** The largest context of a corpus in which nobody compacted; nothing where somebody did. */
function uncompacted({ compaction, perSession }: Corpus): number {
  return compaction.preTokens.n === 0 ? (perSession.maxContextTokens.max ?? 0) : 0;
}

const WRITTEN_KINDS = ['tool_output', 'tool_call', 'thinking', 'assistant_text', 'user'];

function meanOf({ mean = 0 }: Quantiles): number {
  return mean;
}

function shapes(
  { sessionsByCompactions }: Agent,
  { sessions, perSession, perTurn, perStep, tokenShareByKind }: Corpus,
  { compaction }: Corpus,
): readonly SessionShape[] {
  const [turns, steps] = [meanOf(perSession.userTurns), meanOf(perSession.modelSteps)];
  // Shrinking steps are among it, for so they are among what led to the published compactions.
  const growth = meanOf(perStep.contextDelta) * (steps - 1);
  return toShapes({
    sessions,
    turns: spreadOf(perSession.userTurns),
    calls: spreadOf(perSession.toolOutputs),
    callsPerTurn: spreadOf(perTurn.toolCalls),
    contentTokens: spreadOf(perSession.contentTokens),
    firstStepTokens: spreadOf(perSession.firstStepContextTokens),
    writtenShare: WRITTEN_KINDS.reduce((sum, kind) => sum + (tokenShareByKind[kind] ?? 0), 0),
    callsPerStep: meanOf(perSession.toolOutputs) / (steps - turns),
    growthPerContentToken: growth / meanOf(perSession.contentTokens),
    compactions: counted(sessionsByCompactions),
    mostCompactedTokens: compaction.postContextTokens.max ?? Infinity,
  });
}

/** Tools that agents bring along; those of servers that somebody added are left out. */
function ownTools(corpus: Corpus, { lognormalFits }: StatisticsFile): Workload['tools'] {
  const own = Object.entries(corpus.byTool).filter(
    ([name, { n }]) => n >= MIN_CALLS && OWN_TOOL.test(name),
  );
  const total = own.reduce((sum, [, { n }]) => sum + n, 0);
  const repeatRate = rounded(corpus.redundancy.exactDuplicateOutputTokenShare.mean ?? 0);
  return Object.fromEntries(
    own.map(([name, tool]): [string, ToolShape] => {
      const filled = lognormalFits[name]?.n ?? tool.n;
      const emptyShare = filled < tool.n ? rounded(1 - filled / tool.n) : 0;
      const p50 = tool.argTokensP50 ?? 1;
      return [
        name,
        {
          share: rounded(tool.n / total),
          errorRate: tool.errorRate ?? 0,
          repeatRate,
          outputTokens: spreadOf(tool, emptyShare),
          argumentTokens: logNormal(p50, tool.argTokensP90 ?? p50),
        },
      ];
    }),
  );
}

/** As counted, or where nobody did, ever fewer so that the mean fits calls, steps and turns. */
function parallelCalls({ perStep, perSession }: Corpus): Workload['callsPerStep'] {
  if (Object.keys(perStep.parallelToolCalls).length > 0) return perStep.parallelToolCalls;
  const steps = (perSession.modelSteps.mean ?? 0) - (perSession.userTurns.mean ?? 0);
  const mean = Math.max(1, (perSession.toolOutputs.mean ?? 0) / steps);
  const counts = Array.from({ length: MOST_PARALLEL }, (_, index) => index + 1);
  return Object.fromEntries(
    counts.map((count) => [String(count), rounded((1 - 1 / mean) ** (count - 1))]),
  );
}

/** Where steps have more than one reasoning text each, all of a step are one. */
function reasoningOfStep({ perSession, textSizes }: Corpus): Workload['texts']['reasoningTokens'] {
  const { n: sessions, mean: stepsOfOne = 0 } = perSession.modelSteps;
  const ofStep = textSizes.thinking.n / (sessions * stepsOfOne);
  const spread = spreadOf(textSizes.thinking);
  return ofStep > 1 ? scaled(spread, ofStep) : spread;
}

/** One text ends each turn; the others stand beside calls. */
function textShares({ perSession, textSizes }: Corpus): {
  readonly textShare: number;
  readonly reasoningShare: number;
} {
  const { n: sessions, mean: stepsOfOne = 0 } = perSession.modelSteps;
  const steps = sessions * stepsOfOne;
  const turns = perSession.userTurns.n * (perSession.userTurns.mean ?? 0);
  const texts = Math.max(0, textSizes.assistantText.n - turns) / (steps - turns);
  return {
    textShare: rounded(Math.min(1, texts)),
    reasoningShare: rounded(Math.min(1, textSizes.thinking.n / steps)),
  };
}

function gaps({ gapsSeconds }: StatisticsFile): Workload['gapsSeconds'] {
  const model = spreadOf(gapsSeconds.modelBlock);
  return {
    beforeUser: spreadOf(gapsSeconds.beforeUser),
    model,
    toolsAndModel: sumOf(model, spreadOf(gapsSeconds.toolExec)),
  };
}

function reuse({ redundancy }: Corpus, { compactionStudy }: StatisticsFile): Workload['reuse'] {
  const { reRead, editOrWriteAfterTouch } = compactionStudy.fileReuseDistanceTokens;
  return {
    rereadShare: spreadOf(redundancy.repeatReadShare),
    rereadTokens: spreadOf(reRead),
    changeTokens: spreadOf(editOrWriteAfterTouch),
  };
}

function checks(
  agent: Agent,
  { toolOutputs, perTurn, perSession, perStep, redundancy }: Corpus,
): Workload['checks'] {
  const { sessionsByCompactions } = agent;
  return {
    toolOutputTokens: spreadOf(toolOutputs),
    ...(perTurn.steps.max && { stepsPerTurn: spreadOf(perTurn.steps) }),
    contentTokensPerTurn: spreadOf(perTurn.contentTokens),
    outputsPerSession: spreadOf(perSession.toolOutputs),
    stepsPerSession: spreadOf(perSession.modelSteps),
    contentTokensPerSession: spreadOf(perSession.contentTokens),
    maxContextTokens: spreadOf(perSession.maxContextTokens),
    growthTokens: spreadOf(perStep.positiveContextDelta),
    ...(agent.name !== 'claude-code' && { outputTokensPerStep: spreadOf(perStep.outputTokens) }),
    compactionsPerSession: counted(sessionsByCompactions),
    ...(perSession.cacheReadShare.n > 0 && {
      cacheReadPercent: inPercent(spreadOf(perSession.cacheReadShare)),
    }),
    repeatedReadPercent: inPercent(spreadOf(redundancy.repeatReadShare)),
    duplicateOutputPercent: inPercent(spreadOf(redundancy.exactDuplicateOutputTokenShare)),
  };
}
