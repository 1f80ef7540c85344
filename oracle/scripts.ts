/** The scripts: the same for all agents, around the edge at which each of them should compact. */

import {
  type ProviderScript,
  ProviderScriptSchema,
} from '../src/simulator/provider/scripted/dialects.ts';
import type { RefusalName } from '../src/simulator/provider/refusals.ts';
import type { ModelLimits } from './agents.ts';

/** The purpose of a script. */
export interface Setting extends ModelLimits {
  /** Least usage at which the agent should compact. */
  readonly edgeTokens: number;
  /** The provider in whose words requests are refused. */
  readonly refusal: RefusalName;
}

type Answer = ProviderScript['turns'][number]['answers'][number];

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
/** Longer than prompt caches hold, and than agents wait before they clear what was cached. */
const IDLE_MS = 2 * 60 * 60 * 1000;
/** Below the edge of the large model, and above that of the small one. */
const SWITCH_SHARE = 0.7;

const SUMMARY = { usage: use(30_000) };

/** Scripts by name. */
const makers = {
  edge: (setting) => ({
    shows: 'The newest usage is at the edge, in the middle of a turn.',
    turns: [
      turn(FIRST, [...fill(), small(setting.edgeTokens), small(FEW_TOKENS), done(FEW_TOKENS)]),
      turn(SECOND, [done(FEW_TOKENS)]),
    ],
  }),
  'below-edge': (setting) => ({
    shows: 'The newest usage is well below the edge, by less than a large output.',
    turns: [
      turn(FIRST, [
        ...fill(),
        small(setting.edgeTokens - 2 * SLACK_TOKENS),
        done(setting.edgeTokens - SLACK_TOKENS),
      ]),
    ],
  }),
  'edge-by-output': (setting) => ({
    shows: 'The newest usage is below the edge, and the newest output crosses it.',
    turns: [
      turn(FIRST, [
        ...fill(),
        { usage: use(setting.edgeTokens - 2_000), outputChars: LARGE_CHARS },
        small(FEW_TOKENS),
        done(FEW_TOKENS),
      ]),
    ],
  }),
  'edge-at-end': (setting) => ({
    shows: 'The last answer of a turn is at the edge, and a prompt follows.',
    turns: [
      turn(FIRST, [...fill(), done(setting.edgeTokens + SLACK_TOKENS), done(FEW_TOKENS)]),
      turn(SECOND, [done(FEW_TOKENS)]),
    ],
  }),
  'one-prompt': (setting) => ({
    shows: 'The edge is reached in a session of one prompt.',
    turns: [
      turn(FIRST, [...fill(), small(setting.edgeTokens), small(FEW_TOKENS), done(FEW_TOKENS)]),
    ],
  }),
  'several-prompts': (setting) => ({
    shows: 'Three prompts, and the edge in the middle of the third.',
    turns: [
      turn(FIRST, [large(20_000), done(20_000)]),
      turn(SECOND, [large(30_000), done(30_000)]),
      turn(THIRD, [
        large(40_000),
        large(50_000),
        small(setting.edgeTokens),
        small(FEW_TOKENS),
        done(FEW_TOKENS),
      ]),
    ],
  }),
  'two-compactions': (setting) => ({
    shows: 'The edge is reached a second time after a compaction.',
    turns: [
      turn(FIRST, [
        ...fill(),
        small(setting.edgeTokens),
        ...fill(),
        small(setting.edgeTokens),
        small(FEW_TOKENS),
        done(FEW_TOKENS),
      ]),
    ],
  }),
  'refused-first': (setting) => ({
    shows: 'The provider refuses the first request of a second prompt as too large.',
    turns: [
      turn(FIRST, [...fill(), done(60_000)]),
      turn(SECOND, [{ refusal: setting.refusal }, done(FEW_TOKENS)]),
    ],
  }),
  'refused-mid-turn': (setting) => ({
    shows: 'The provider refuses a request in the middle of a turn as too large.',
    turns: [
      turn(FIRST, [...fill(), { refusal: setting.refusal }, small(FEW_TOKENS), done(FEW_TOKENS)]),
    ],
  }),
  'empty-summary': (setting) => ({
    shows: 'The first summary is empty.',
    turns: [
      turn(FIRST, [...fill(), small(setting.edgeTokens), small(FEW_TOKENS), done(FEW_TOKENS)]),
    ],
    summaries: [{ ...SUMMARY, chars: 0 }, SUMMARY],
  }),
  'failed-summary': (setting) => ({
    shows: 'The server fails at every request for a summary.',
    turns: [
      turn(FIRST, [...fill(), small(setting.edgeTokens), small(FEW_TOKENS), done(FEW_TOKENS)]),
    ],
    summaries: [{ fails: true }],
  }),
  'oversized-summary': (setting) => ({
    shows: 'The summary is larger than what it replaces.',
    turns: [
      turn(FIRST, [...fill(), small(setting.edgeTokens), small(FEW_TOKENS), done(FEW_TOKENS)]),
    ],
    summaries: [{ ...SUMMARY, chars: OVERSIZED_CHARS }],
  }),
  'no-usage': () => ({
    shows: 'The provider tells no usage.',
    turns: [
      turn(FIRST, [{ outputChars: LARGE_CHARS }, { outputChars: LARGE_CHARS }, {}]),
      turn(SECOND, [{}]),
    ],
  }),
  'old-outputs': () => ({
    shows: 'Far below the edge, sixteen large outputs grow old over four prompts.',
    turns: [
      turn(FIRST, [...fillFourTimes(), done(50_000)]),
      turn(SECOND, [...fill(), large(60_000), done(60_000)]),
      turn(THIRD, [small(60_000), done(60_000)]),
      turn(FIRST, [done(60_000)]),
    ],
  }),
  'protected-output': () => ({
    shows: 'A skill is loaded first, and grows old among sixteen large outputs.',
    turns: [
      turn(FIRST, [{ ...large(20_000), tool: 'skill' }, ...fillFourTimes(), done(50_000)]),
      turn(SECOND, [...fill(), large(60_000), done(60_000)]),
      turn(THIRD, [small(60_000), done(60_000)]),
      turn(FIRST, [done(60_000)]),
    ],
  }),
  'idle-gap': () => ({
    shows: 'Far below the edge, two hours pass between two prompts.',
    turns: [
      turn(FIRST, [...fillFourTimes(), done(60_000)]),
      { ...turn(SECOND, [small(60_000), done(60_000)]), idleMs: IDLE_MS },
    ],
  }),
  'model-switch': ({ edgeTokens, contextTokens }) => ({
    shows: 'The second prompt goes to a model with half the window, above its edge.',
    smallContextTokens: Math.floor(contextTokens / 2),
    turns: [
      turn(FIRST, [...fill(), done(Math.floor(edgeTokens * SWITCH_SHARE))]),
      { ...turn(SECOND, [small(FEW_TOKENS), done(FEW_TOKENS)]), model: 'small' },
    ],
  }),
} satisfies Record<
  string,
  (setting: Setting) => Pick<ProviderScript, 'shows' | 'turns' | 'smallContextTokens'> & {
    readonly summaries?: readonly object[];
  }
>;

export type ScriptName = keyof typeof makers;

export const scriptNames = Object.keys(makers) as readonly ScriptName[];

/** The script of a name for an agent and its model. */
export function makeScript(name: ScriptName, setting: Setting): ProviderScript {
  const { contextTokens, outputTokens } = setting;
  const made = makers[name](setting);
  return ProviderScriptSchema.parse({ summaries: [SUMMARY], contextTokens, outputTokens, ...made });
}

function turn(prompt: string, answers: readonly Answer[]) {
  return { prompt, answers: [...answers] };
}

function fill(): readonly Answer[] {
  return [large(20_000), large(30_000), large(40_000)];
}

/** More than agents keep that clear old outputs, also where they cut each of them. */
function fillFourTimes(): readonly Answer[] {
  return [...fill(), ...fill(), ...fill(), ...fill()];
}

function large(inputTokens: number): Answer {
  return { usage: use(inputTokens), outputChars: LARGE_CHARS };
}

function small(inputTokens: number): Answer {
  return { usage: use(inputTokens), outputChars: SMALL_CHARS };
}

function done(inputTokens: number): Answer {
  return { usage: use(inputTokens) };
}

function use(inputTokens: number) {
  return { inputTokens, outputTokens: 10 };
}
