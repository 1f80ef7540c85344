import type {
  SessionShape,
  Spread,
  ToolShape,
  Workload,
} from '../../src/simulator/scenario/workload/workload.ts';
import { distribute } from '../../src/simulator/session/statistics/distribution.ts';
import { scaled } from './spreads.ts';
import { traceLabPublished } from './tracelab-published.ts';
import { traceLabSessions } from './tracelab-sessions.ts';
import { toSpread, bendTo } from '../../src/simulator/scenario/workload/fit.ts';

const SESSIONS = 4_265;
const REQUESTS = 39_238;
const STEPS = 357_161;
const CLAUDE_CODE = { sessions: 2_676, steps: 140_338, compactions: 284, shrinkingShare: 0.0039 };
const CODEX = { sessions: 1_589, steps: 216_823, compactions: 1_235, shrinkingShare: 0.0343 };
/** Tool calls by step that tools began. */
const CALLS_PER_STEP = 101.4 / 73.6;
/** How long a prompt stays cached by what was read of it. */
const CACHE_SECONDS = 480;

/** Tools of Claude Code that most calls are of. */
const TOOLS = ['Bash', 'Read', 'Edit', 'Grep', 'Write'];
/** Those whose arguments hold whatever the model writes. */
const WRITING_TOOLS = ['Bash', 'Edit', 'Write'];
/** By how much more a step reads and writes than in Claude Code, so that the published medians are met. */
const OUTPUT_FACTOR = 1.2;
const WRITTEN_FACTOR = 1.5;

/** Shares and values as published; the ends are what the means leave for them. */
const spreads = {
  turnsPerSession: bendTo(published(SESSIONS, '0:1 0.5:1 0.9:18 0.99:137 1:300'), 9.2),
  callsPerSession: bendTo(published(SESSIONS, '0:0 0.25:8 0.5:25 0.9:176 0.99:1438 1:3000'), 101.4),
  callsPerTurn: bendTo(published(REQUESTS, '0:0 0.5:2 0.9:30 0.99:113 1:600'), 10.8),
  beforeUser: published(REQUESTS, '0:1 0.5:86 0.77:300 0.9:1260 0.96:3600 1:86400'),
  model: published(STEPS, '0:2 0.5:8 0.9:25 1:120'),
  toolsAndModel: published(STEPS, '0:2 0.5:9 0.9:30 0.96:68 1:4500'),
  outputsPerSession: published(SESSIONS, '0.25:8 0.5:25 0.9:176 0.99:1438'),
  growthTokens: published(STEPS, '0.5:875'),
  outputTokensPerStep: published(STEPS, '0.5:214'),
  // In 4.5 % of 2,676 sessions of Claude Code and 18.4 % of 1,589 of Codex there is one.
  compactionsPerSession: published(SESSIONS, '0.903:0'),
  // Where there is one; the ends are what the number of all compactions leaves for them.
  ofClaudeCode: published(CLAUDE_CODE.sessions, '0:0 0.955:0 0.955:1 0.9775:1 0.9955:6 1:14'),
  ofCodex: published(CODEX.sessions, '0:0 0.816:0 0.816:1 0.9:2 0.9816:8 0.998:34 1:40'),
  firstStepOfCodex: {
    points: [
      [0, 7_664],
      [0.25, 17_088],
      [0.5, 17_102],
      [0.75, 18_703],
      [1, 42_772],
    ],
  },
  // Anything larger is a compaction; that it is so much on average is what growth and compactions of Codex leave for it.
  takenBackTokens: {
    points: [
      [0, 1_000],
      [0.5, 7_000],
      [0.9, 22_000],
      [1, 64_000],
    ],
  },
} satisfies Record<string, Spread>;

/**
 * Sessions of the sizes that TraceLab published (UW; Claude Code and Codex): no texts, no sizes by tool. Which
 * tools are called, and how their outputs lie to each other, is that of Claude Code.
 */
export function traceLabWorkload(fitted: readonly Workload[]): Workload {
  const base = fitted.find(({ name }) => name === 'claude-code');
  if (base === undefined) throw new Error('No workload of Claude Code.');
  const { beforeUser, model, toolsAndModel, takenBackTokens } = spreads;
  const { outputsPerSession, growthTokens, outputTokensPerStep, compactionsPerSession } = spreads;
  const sessions = wholeSessions(base);
  const firsts = distribute(sessions.map(({ firstStepTokens = 0 }) => firstStepTokens));
  const firstStepTokens = firsts === null ? base.context.firstStepTokens : toSpread(firsts);
  return {
    ...base,
    name: 'tracelab',
    describes:
      'TraceLab: published figures of 4,265 sessions of 43 developers; tools as in Claude Code',
    source: 'uw-syfi/TraceLab, tables (data CC-BY-4.0)',
    sessions,
    turnsPerSession: spreads.turnsPerSession,
    callsPerTurn: spreads.callsPerTurn,
    callsPerStep: { '1': 75, '2': 17, '3': 5, '4': 2, '5': 1 },
    tools: Object.fromEntries(
      ownEntries(base.tools).map(([name, shape]) => [name, larger(name, shape)]),
    ),
    transitions: Object.fromEntries(
      ownEntries(base.transitions).map(([from, row]) => [
        from,
        Object.fromEntries(ownEntries(row)),
      ]),
    ),
    texts: {
      ...base.texts,
      assistantTokens: scaled(base.texts.assistantTokens, WRITTEN_FACTOR),
      reasoningTokens: scaled(base.texts.reasoningTokens, WRITTEN_FACTOR),
    },
    gapsSeconds: { beforeUser, model, toolsAndModel },
    context: { ...base.context, firstStepTokens, takenBackTokens, cacheSeconds: CACHE_SECONDS },
    checks: { outputsPerSession, growthTokens, outputTokensPerStep, compactionsPerSession },
    published: traceLabPublished(),
  };
}

/**
 * Windows: Claude Code compacts at 155,000 to 167,000 of 200,000 tokens (corpus E) and at 967,000 of a million, Codex between
 * the compaction that was recorded and 90 % of 272,000. How many have the large window was not published: as many as
 * bring the median and the last hundredth of prefixes of Claude Code to 126,000 and 918,000.
 */
function wholeSessions({ context }: Workload): readonly SessionShape[] {
  const { turnsPerSession, callsPerSession, callsPerTurn, firstStepOfCodex } = spreads;
  return traceLabSessions({
    turns: turnsPerSession,
    calls: callsPerSession,
    callsPerTurn,
    callsPerStep: CALLS_PER_STEP,
    claudeCode: {
      ...CLAUDE_CODE,
      compactions: spreads.ofClaudeCode,
      shrinkingShare: shrinkingBesides(CLAUDE_CODE),
      firstStepTokens: context.firstStepTokens,
      windows: [
        { share: 0.25, least: 155_000, most: 167_000 },
        { share: 0.75, least: 967_000, most: 967_000 },
      ],
    },
    codex: {
      ...CODEX,
      compactions: spreads.ofCodex,
      shrinkingShare: shrinkingBesides(CODEX),
      firstStepTokens: firstStepOfCodex,
      windows: [{ share: 1, least: 209_950, most: 244_800 }],
    },
  });
}

/** Of the steps at which the context shrank, those without a compaction. */
function shrinkingBesides({ shrinkingShare, compactions, steps }: typeof CODEX): number {
  return shrinkingShare - compactions / steps;
}

function published(n: number, points: string): Spread {
  const pairs = points.split(' ').map((point) => point.split(':').map(Number));
  return { n, points: pairs.map(([share = 0, value = 0]) => [share, value] as const) };
}

function ownEntries<Value>(table: Readonly<Record<string, Value>>): readonly [string, Value][] {
  return Object.entries(table).filter(([name]) => TOOLS.includes(name));
}

function larger(name: string, shape: ToolShape): ToolShape {
  const factor = WRITING_TOOLS.includes(name) ? WRITTEN_FACTOR : 1;
  return {
    ...shape,
    outputTokens: scaled(shape.outputTokens, OUTPUT_FACTOR),
    argumentTokens: scaled(shape.argumentTokens, factor),
  };
}
