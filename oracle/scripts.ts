/** The scripts: the same for all agents, around the edge at which each of them should compact. */

import {
  type ProviderScript,
  ProviderScriptSchema,
  type ScriptAnswer,
  type ScriptUsage,
} from '../src/simulator/provider/scripted/script.ts';
import type { RefusalName } from '../src/simulator/provider/refusals.ts';
import { known } from '../src/simulator/lib/collections.ts';
import type { ModelLimits } from './agents.ts';

/** The purpose of a script. */
export interface Setting extends ModelLimits {
  /** Least usage at which the agent should compact. */
  readonly edgeTokens: number;
  /** The provider in whose words requests are refused. */
  readonly refusal: RefusalName;
  /** What can be set in the agent's configuration. */
  readonly settings?: ProviderScript['settings'];
}

interface Row {
  readonly shows: string;
  readonly turns: (edgeTokens: number, setting: Setting) => readonly object[];
  readonly summaries?: (setting: Setting) => readonly object[];
  /** What not every agent has; the edge of a script with a window or settings is its own. */
  readonly needs?: 'clock' | 'second-model' | 'window' | 'settings';
}

const FIRST = 'Print the numbers, please.';
const SECOND = 'Go on with the rest of them.';
const THIRD = 'And once more from the beginning.';

/** Large outputs in front, so that there is something to put away. */
const LARGE_CHARS = 40_000;
const SMALL_CHARS = 70;
const FEW_TOKENS = 12_000;
/** More than a small output comes to, which the edge may count. */
export const SLACK_TOKENS = 200;
/** A summary larger than what it replaces. */
const OVERSIZED_CHARS = 400_000;
/** The longest that a command line takes, less a margin. */
const HUGE_CHARS = 119_000;
/** Longer than prompt caches hold, and than agents wait before they clear what was cached. */
const IDLE_MS = 2 * 60 * 60 * 1000;
/** Below the edge of the large model, and above that of the small one. */
const SWITCH_SHARE = 0.7;
/** Of what large outputs come to in other windows. */
const SMALL_WINDOW_SHARE = 0.4;

const SUMMARY = { usage: use(30_000) };

/** The window of the script that needs a small one. */
export const SMALL_LIMITS: ModelLimits = { contextTokens: 48_000, outputTokens: 8_000 };

/** Scripts by name. */
const scripts = {
  edge: {
    shows: 'The newest usage is at the edge, in the middle of a turn.',
    turns: (edge) => [midTurn(small(edge)), turn(SECOND, [done()])],
  },
  'below-edge': {
    shows: 'The newest usage is well below the edge, by less than a large output.',
    turns: (edge) => [
      turn(FIRST, [...fill(), small(edge - 2 * SLACK_TOKENS), done(edge - SLACK_TOKENS)]),
    ],
  },
  'edge-by-output': {
    shows: 'The newest usage is below the edge, and the newest output crosses it.',
    turns: (edge) => [midTurn(large(edge - 2_000))],
  },
  'edge-at-end': {
    shows: 'The last answer of a turn is at the edge, and a prompt follows.',
    turns: (edge) => [
      turn(FIRST, [...fill(), done(edge + SLACK_TOKENS), done()]),
      turn(SECOND, [done()]),
    ],
  },
  'one-prompt': {
    shows: 'The edge is reached in a session of one prompt.',
    turns: (edge) => [midTurn(small(edge))],
  },
  'several-prompts': {
    shows: 'Three prompts, and the edge in the middle of the third.',
    turns: (edge) => [
      turn(FIRST, [large(20_000), done(20_000)]),
      turn(SECOND, [large(30_000), done(30_000)]),
      turn(THIRD, [large(40_000), large(50_000), small(edge), small(), done()]),
    ],
  },
  'two-compactions': {
    shows: 'The edge is reached a second time after a compaction.',
    turns: (edge) => [midTurn(small(edge), ...fill(), small(edge))],
  },
  'three-compactions': {
    shows: 'The edge is reached three times in one turn.',
    turns: (edge) => [midTurn(small(edge), ...fill(), small(edge), ...fill(), small(edge))],
  },
  'first-step': {
    shows: 'The edge is reached by the first answer of a session.',
    turns: (edge) => [turn(FIRST, [small(edge), small(), done()])],
  },
  'cached-edge': {
    shows: 'The newest usage is at the edge, and most of it was cached.',
    turns: (edge) => [midTurn(call(use(edge, { cachedTokens: edge - 5_000 })))],
  },
  'reasoning-edge': {
    shows: 'The newest input is below the edge, and reasoning crosses it.',
    turns: (edge) => [
      midTurn({
        ...call(use(edge - 1_000, { outputTokens: 2_000, reasoningTokens: 1_900 })),
        reasoningChars: 400,
      }),
    ],
  },
  'output-edge': {
    shows: 'The newest input is below the edge, and the answer crosses it.',
    turns: (edge) => [midTurn(call(use(edge - 1_000, { outputTokens: 2_000 })))],
  },
  'total-edge': {
    shows: 'The parts of the newest usage are below the edge, and its total is above it.',
    turns: (edge) => [midTurn(call(use(edge - 5_000, { totalTokens: edge + 5_000 })))],
  },
  'zero-usage': {
    shows: 'A usage of 0 follows one below the edge, and a large output would cross it.',
    turns: (edge) => [midTurn(small(edge - 2_000), call(use(0, { outputTokens: 0 }), LARGE_CHARS))],
  },
  'two-outputs': {
    shows: 'The newest usage is below the edge, and one of two large outputs at once crosses it.',
    turns: (edge) => [midTurn(call(use(edge - 2_000), [LARGE_CHARS, LARGE_CHARS]))],
  },
  'cut-output': {
    shows: 'The newest output crosses the edge as a whole, and not where most of it is cut out.',
    turns: (edge) => [midTurn(large(edge - 6_000))],
  },
  'huge-prompt': {
    shows: 'A turn ends below the edge, and the next prompt crosses it.',
    turns: (edge) => [
      turn(FIRST, [...fill(), done(edge - 10_000)]),
      { ...turn(SECOND, [small(), done()]), promptChars: HUGE_CHARS },
    ],
  },
  'refused-first': {
    shows: 'The provider refuses the first request of a second prompt as too large.',
    turns: (_, { refusal }) => [
      turn(FIRST, [...fill(), done(60_000)]),
      turn(SECOND, [{ refusal }, done()]),
    ],
  },
  'refused-mid-turn': {
    shows: 'The provider refuses a request in the middle of a turn as too large.',
    turns: (_, { refusal }) => [midTurn({ refusal })],
  },
  'http-413': {
    shows: 'A request in the middle of a turn fails with HTTP 413 and no word of tokens.',
    turns: () => [midTurn({ status: 413 })],
  },
  'http-529': {
    shows: 'A request in the middle of a turn fails once with HTTP 529.',
    turns: () => [midTurn({ status: 529 })],
  },
  'empty-summary': {
    shows: 'The first summary is empty.',
    turns: (edge) => [midTurn(small(edge))],
    summaries: () => [{ ...SUMMARY, chars: 0 }, SUMMARY],
  },
  'failed-summary': {
    shows: 'The server fails at every request for a summary.',
    turns: (edge) => [midTurn(small(edge))],
    summaries: () => [{ fails: true }],
  },
  'refused-summary': {
    shows: 'The first request for a summary is refused as too large.',
    turns: (edge) => [midTurn(small(edge))],
    summaries: ({ refusal }) => [{ refusal }, SUMMARY],
  },
  'oversized-summary': {
    shows: 'The summary is larger than what it replaces.',
    turns: (edge) => [midTurn(small(edge))],
    summaries: () => [{ ...SUMMARY, chars: OVERSIZED_CHARS }],
  },
  'no-usage': {
    shows: 'The provider tells no usage.',
    turns: () => [
      turn(FIRST, [{ outputChars: LARGE_CHARS }, { outputChars: LARGE_CHARS }, {}]),
      turn(SECOND, [{}]),
    ],
  },
  'old-outputs': {
    shows: 'Far below the edge, sixteen large outputs grow old over four prompts.',
    turns: () => growOld([]),
  },
  'protected-output': {
    shows: 'A skill is loaded first, and grows old among sixteen large outputs.',
    turns: () => growOld([{ ...large(20_000), tool: 'skill' }]),
  },
  'idle-gap': {
    shows: 'Far below the edge, two hours pass between two prompts.',
    turns: () => [
      turn(FIRST, [...fillFourTimes(), done(60_000)]),
      { ...turn(SECOND, [small(60_000), done(60_000)]), idleMs: IDLE_MS },
    ],
    needs: 'clock',
  },
  'model-switch': {
    shows: 'The second prompt goes to a model with half the window, above its edge.',
    turns: (edge) => [
      turn(FIRST, [...fill(), done(Math.floor(edge * SWITCH_SHARE))]),
      { ...turn(SECOND, [small(), done()]), model: 'small' },
    ],
    needs: 'second-model',
  },
  'config-keys': {
    shows: 'The newest usage is at the edge that the keys of the configuration say.',
    turns: (edge) => [midTurn(small(edge))],
    needs: 'settings',
  },
  'small-window': {
    shows: 'The newest usage is at the edge of a window of 48,000 tokens.',
    turns: (edge) => [turn(FIRST, [...fill(SMALL_WINDOW_SHARE), small(edge), small(), done()])],
    needs: 'window',
  },
} satisfies Record<string, Row>;

export type ScriptName = keyof typeof scripts;

export const scriptNames = Object.keys(scripts) as readonly ScriptName[];

/** Needs of a script that not every agent meets; `undefined` where it has none. */
export function needOf(name: ScriptName): Row['needs'] {
  const { needs }: Row = scripts[name];
  return needs;
}

/** The script of a name for an agent and its model. */
export function makeScript(name: ScriptName, setting: Setting): ProviderScript {
  const { shows, turns, summaries, needs }: Row = scripts[name];
  const { contextTokens, outputTokens, settings } = setting;
  return ProviderScriptSchema.parse({
    shows,
    turns: turns(setting.edgeTokens, setting),
    summaries: summaries?.(setting) ?? [SUMMARY],
    contextTokens,
    outputTokens,
    ...known({
      smallContextTokens: needs === 'second-model' ? Math.floor(contextTokens / 2) : undefined,
      settings: needs === 'settings' ? settings : undefined,
    }),
  });
}

function turn(prompt: string, answers: readonly ScriptAnswer[]) {
  return { prompt, answers };
}

/** A turn with large outputs in front, which goes on after what matters. */
function midTurn(...answers: readonly ScriptAnswer[]) {
  return turn(FIRST, [...fill(), ...answers, small(), done()]);
}

/** Four prompts with many outputs after the first ones. */
function growOld(first: readonly ScriptAnswer[]) {
  return [
    turn(FIRST, [...first, ...fillFourTimes(), done(50_000)]),
    turn(SECOND, [...fill(), large(60_000), done(60_000)]),
    turn(THIRD, [small(60_000), done(60_000)]),
    turn(FIRST, [done(60_000)]),
  ];
}

function fill(share = 1): readonly ScriptAnswer[] {
  return [large(20_000 * share), large(30_000 * share), large(40_000 * share)];
}

/** More than agents keep that clear old outputs, also where they cut each of them. */
function fillFourTimes(): readonly ScriptAnswer[] {
  return [...fill(), ...fill(), ...fill(), ...fill()];
}

function large(inputTokens: number): ScriptAnswer {
  return call(use(inputTokens), LARGE_CHARS);
}

function small(inputTokens = FEW_TOKENS): ScriptAnswer {
  return call(use(inputTokens));
}

function done(inputTokens = FEW_TOKENS): ScriptAnswer {
  return { usage: use(inputTokens) };
}

function call(usage: ScriptUsage, outputChars: number | number[] = SMALL_CHARS): ScriptAnswer {
  return { usage, outputChars };
}

function use(inputTokens: number, more: Partial<ScriptUsage> = {}): ScriptUsage {
  return { inputTokens, outputTokens: 10, ...more };
}
