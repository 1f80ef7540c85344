import {
  type AssistantMessage,
  type Limits,
  type LoopState,
  type Message,
  policies,
  viewOf,
} from '../../../src/engine/index.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import {
  createProfile,
  type ModelProfile,
  overrideProfile,
} from '../../../src/simulator/provider/model-profile.ts';
import type { Prices } from '../../../src/simulator/provider/prices.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { type RunOptions, runTrace } from '../../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../../src/simulator/replay/trace.ts';
import type { ProviderOverrides } from '../../../src/simulator/scenario/settings.ts';
import type { Session } from '../../../src/simulator/session/session.ts';
import type { Summarizer, SummaryAnswer } from '../../../src/simulator/summarizer/summarizer.ts';
import { known } from '../../../src/simulator/lib/collections.ts';
import { namesOf } from '../../support/drive.ts';
import { type Overrides, step, text, tool, user } from '../../support/history.ts';
import { sessionOf } from '../session/statistics/session.ts';

/** Characters of a token, for the counter of these tests and for the policies alike. */
const CHARACTERS_PER_TOKEN = 4;
/** System prompt and tools of each trace. */
export const OVERHEAD_TOKENS = 500;
/** Limits that leave the presets of document 002 and 1.2.16 usable tokens of 9,000. */
export const LIMITS: Limits = { contextTokens: 10_000, outputTokens: 1_000 };

/** What a token costs: 1, 2, 3 and 4 nano-dollars of fresh input, output, cache reads and writes. */
export const PRICES: Prices = {
  inputPicoUsd: 1_000,
  outputPicoUsd: 2_000,
  cacheReadPicoUsd: 3_000,
  cacheWritePicoUsd: 4_000,
  tiers: [],
};

/** Tokens of a text, whole ones only. */
export const countTokens = (words: string): number =>
  Math.ceil(words.length / CHARACTERS_PER_TOKEN);

/** A text of that many tokens. */
export const wordsOf = (tokens: number): string => 'word'.repeat(tokens);

/** A prompt of that many tokens. */
export const ask = (id: string, tokens: number, atMs = 0): Message => ({
  ...user(id, wordsOf(tokens)),
  createdAt: atMs,
});

/** A step that writes that many tokens and ends its turn, unless told otherwise. */
export const answer = (
  id: string,
  tokens: number,
  overrides: Overrides<AssistantMessage> = {},
): AssistantMessage => step(id, [text(`${id}-0`, wordsOf(tokens))], overrides);

/** A step whose call gave an output of that many tokens; its turn goes on. */
export const call = (
  id: string,
  tokens: number,
  overrides: Overrides<AssistantMessage> = {},
): AssistantMessage =>
  step(id, [tool(`${id}-0`, wordsOf(tokens))], { finish: 'tool-calls', ...overrides });

/** A chat of that many turns, of which each answer writes that many tokens; a minute lies between two turns. */
export function chat(turns: number, tokens: number): readonly Message[] {
  return Array.from({ length: turns }, (_, index) => [
    ask(`u${index + 1}`, 10, index * 60_000),
    answer(`s${index + 1}`, tokens, { createdAt: index * 60_000 + 1_000 }),
  ]).flat();
}

/** A turn of that many steps, each with an output of that many tokens. */
export function work(steps: number, tokens: number): readonly Message[] {
  const calls = Array.from({ length: steps }, (_, index) => call(`s${index + 1}`, tokens));
  return [ask('u1', 10), ...calls];
}

/** The trace of some messages, with what was planted in them and the system prompt before them. */
export function traceOf(
  messages: readonly Message[],
  {
    facts,
    system,
    release,
    format = 'lab',
    recordedCompactions = [],
    ...overrides
  }: Partial<Trace> & Pick<Session, 'facts' | 'system' | 'release'> = {},
): Trace {
  const trace = compileSession(
    sessionOf(messages, {
      name: 'lab',
      format,
      recordedCompactions,
      ...known({ facts, system, release }),
      isOutputFinal: false,
    }),
    {
      tokenizer: 'lab',
      tokenizerEvidence: 'measured',
      count: countTokens,
      overheadTokens: OVERHEAD_TOKENS,
    },
  );
  return { ...trace, ...overrides };
}

/** A model of a provider that checks pairs and ids, refuses like vLLM and caches nothing, with whatever is said of it. */
export function modelOf(
  overrides: ProviderOverrides = {},
  { limits = LIMITS, id = 'lab/model', prices = PRICES }: Partial<ModelProfile> = {},
): ModelProfile {
  return overrideProfile(createProfile(id, limits, { prices }), limits, overrides);
}

/** A model of a window for any summary request. */
export const roomy: ModelProfile = modelOf({}, { id: 'lab/roomy', limits: { contextTokens: 1e6 } });

/** Answers every summary request with the same words. */
export const fixed: Summarizer = summarizerOf(() => ({
  state: 'finished',
  text: '## Goal\nAll of it.',
  finish: 'stop',
}));

/** A summarizer that answers as a function does. */
export function summarizerOf(summarise: Summarizer['summarise']): Summarizer {
  return { name: 'lab', summarise };
}

/** Fails as often as told, then answers. */
export function failing(times: number, failure: Partial<SummaryAnswer> = {}): Summarizer {
  let calls = 0;
  return summarizerOf((request, tools) => {
    calls += 1;
    if (calls > times) return fixed.summarise(request, tools);
    return {
      state: 'failed',
      reason: 'overloaded',
      isOverflow: false,
      ...failure,
    } as SummaryAnswer;
  });
}

/** A run with what came of it. */
export interface LabRun {
  readonly events: readonly RunEvent[];
  readonly lines: readonly string[];
  readonly steps: readonly (RunEvent & { readonly type: 'step-end' })[];
  readonly history: string;
  readonly view: string;
  readonly state: LoopState;
}

/** Runs messages, or a trace of them. */
export function run(
  session: Trace | readonly Message[],
  options: Partial<RunOptions> = {},
): LabRun {
  const trace = 'turns' in session ? session : traceOf(session);
  let state: LoopState | undefined;
  const events = [
    ...runTrace(trace, {
      policy: policies['opencode-1.2.16'],
      model: modelOf(),
      summarizer: fixed,
      seed: 1,
      onTransition: ({ next }) => {
        state = next.state;
      },
      ...options,
    }),
  ];
  if (state === undefined) throw new Error('Expected a run with a transition.');
  return {
    events,
    lines: events.flatMap((event) => lineOf(event) ?? []),
    steps: eventsOf(events, 'step-end'),
    history: told(state.history),
    view: told(viewOf(state)),
    state,
  };
}

/** Messages by id; those that the policy made, by what they are. */
function told(messages: readonly Message[]): string {
  return namesOf(
    messages.map((message) => ({ ...message, id: message.id.replace(/^policy-/, '') })),
  );
}

/** Events of one type. */
export function eventsOf<Type extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: Type,
): readonly Extract<RunEvent, { readonly type: Type }>[] {
  return events.filter(
    (event): event is Extract<RunEvent, { readonly type: Type }> => event.type === type,
  );
}

/** What an event says, in short; nothing for the frame of a run and for known violations. */
function lineOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'step-end':
      return `step ${event.step}`;
    case 'step-refused':
      return `refused ${event.step}${event.isRecognised ? '' : ', not known as an overflow'}`;
    case 'step-malformed':
      return `malformed ${event.step}: ${event.reason}`;
    case 'step-truncated':
      return `truncated ${event.step}: ${event.keptTokens} of ${event.contextTokens}`;
    case 'request-failed':
      return `${event.of} failed: ${event.failure}${event.waitMs === undefined ? '' : `, waits ${event.waitMs}`}`;
    case 'model-changed':
      return `model ${event.model} from ${event.step}, usable ${event.usableTokens ?? 'unknown'}`;
    case 'overflow':
      return `overflow ${event.path}`;
    case 'prune-end':
      return event.state === 'fired' ? `pruned ${event.partIds.join(' ')}` : undefined;
    case 'summary-end':
      return `summary ${event.state}${event.reason === undefined ? '' : `: ${event.reason}`}`;
    case 'pivot':
      return `pivot ${event.auto ? 'auto' : 'by hand'}${event.isReplay ? ', replay' : ''}`;
    case 'summary-rejected':
      return `rejected: ${event.reason}`;
    case 'summary-repeated':
      return `repeated: ${event.because}`;
    case 'usage-ignored':
      return `ignored ${event.messageId}: ${event.reason}`;
    case 'moved-out':
      return `moved out ${event.messageIds.length}`;
    case 'law-violated':
      return event.isKnown ? undefined : `broke ${event.law}`;
    case 'run-end':
      return `${event.state}${event.reason === undefined ? '' : `: ${event.reason}`}`;
    default:
      return undefined;
  }
}
