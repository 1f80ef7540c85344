import type { Spread } from '../../src/simulator/scenario/workload/spread.ts';
import type { ToolShape, Workload } from '../../src/simulator/scenario/workload/workload.ts';
import { scaled } from './spreads.ts';

const SESSIONS = 4_265;
const REQUESTS = 39_238;
const STEPS = 357_161;

/** Tools of Claude Code that most calls are of. */
const TOOLS = ['Bash', 'Read', 'Edit', 'Grep', 'Write'];
/** Those whose arguments hold whatever the model writes. */
const WRITING_TOOLS = ['Bash', 'Edit', 'Write'];
/** By how much more a step reads and writes than in Claude Code, so that the published medians are met. */
const OUTPUT_FACTOR = 1.2;
const WRITTEN_FACTOR = 1.4;

/** Shares and values as published; the ends are what the means leave for them. */
const spreads = {
  turnsPerSession: published(SESSIONS, '0:1 0.5:1 0.9:18 0.99:137 1:137'),
  callsPerTurn: published(REQUESTS, '0:0 0.5:2 0.9:30 0.99:113 1:150'),
  callsOfOnlyTurn: published(SESSIONS, '0:0 0.5:8 1:25'),
  beforeUser: published(REQUESTS, '0:1 0.5:86 0.77:300 0.9:1260 0.96:3600 1:86400'),
  model: published(STEPS, '0:2 0.5:8 0.9:25 1:120'),
  toolsAndModel: published(STEPS, '0:2 0.5:9 0.9:30 0.96:68 1:4500'),
  compactAtTokens: published(SESSIONS, '0:150000 0.5:190000 0.8:231000 1:950000'),
  outputsPerSession: published(SESSIONS, '0.25:8 0.5:25 0.9:176 0.99:1438'),
  growthTokens: published(STEPS, '0.5:875'),
  outputTokensPerStep: published(STEPS, '0.5:214'),
  // In 4.5 % of 2,676 sessions of Claude Code and 18.4 % of 1,589 of Codex there is one.
  compactionsPerSession: published(SESSIONS, '0.903:0'),
};

/**
 * Sessions of the sizes that TraceLab published (UW; Claude Code and Codex): no texts, no sizes by tool. Which
 * tools are called, and how their outputs lie to each other, is that of Claude Code.
 */
export function traceLabWorkload(fitted: readonly Workload[]): Workload {
  const base = fitted.find(({ name }) => name === 'claude-code');
  if (base === undefined) throw new Error('No workload of Claude Code.');
  const { beforeUser, model, toolsAndModel, compactAtTokens } = spreads;
  const { outputsPerSession, growthTokens, outputTokensPerStep, compactionsPerSession } = spreads;
  const { sessions: _ofOthers, ...like } = base;
  return {
    ...like,
    name: 'tracelab',
    describes:
      'TraceLab: published figures of 4,265 sessions of 43 developers; tools as in Claude Code',
    source: 'uw-syfi/TraceLab, tables (data CC-BY-4.0)',
    turnsPerSession: spreads.turnsPerSession,
    callsPerTurn: spreads.callsPerTurn,
    callsOfOnlyTurn: spreads.callsOfOnlyTurn,
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
    context: { ...base.context, compactAtTokens },
    checks: { outputsPerSession, growthTokens, outputTokensPerStep, compactionsPerSession },
  };
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
