/** Events of a run: the schema is their type, their check and their documentation. */

import * as z from 'zod';
import type { Limits, Usage } from '../engine/index.ts';
import type { Immutable } from './lib/json.ts';

/** The description of one type of event: its meaning, and a schema for each field. */
interface EventDescription {
  readonly means: string;
  readonly fields: Readonly<Record<string, z.ZodType>>;
}

const OF_RECORDING = 'absent of a recorded run';
const STEP = number('number of the step, from 1; 0 before the first');
const TURN = number('number of the turn, from 1');
const MESSAGE_ID = text('id of the message in the run');

const Evidence = z.enum(['measured', 'estimated']);
const OverflowPath = z.enum(['after-step', 'before-request', 'refused']);
const FailureType = z.enum(['fail', 'time-out', 'rate-limit', 'overflow', 'abort']);
const RunMode = z.enum(['open-loop', 'closed-loop']);
const EvictionCause = z.enum(['prune', 'pivot', 'failed-summary', 'window', 'memory']);
/** The schema of `RunState`. */
export const RunStateSchema = z.enum([
  'completed',
  'refused',
  'irreducible',
  'breaker',
  'loop',
  'failed',
  'skipped',
]);

const limits = z.object({
  contextTokens: number('the window; 0 is none'),
  inputTokens: z.number().exactOptional().describe('a cap on input'),
  outputTokens: z.number().exactOptional().describe('the longest answer'),
}) satisfies z.ZodType<Limits>;

const reported = z.object({
  input: number('neither read from a cache nor written to it'),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  total: z.number().exactOptional().describe("the provider's own sum"),
}) satisfies z.ZodType<Usage>;

const requestPrices = {
  inputPicoUsd: z.number(),
  outputPicoUsd: z.number(),
  cacheReadPicoUsd: z.number(),
  cacheWritePicoUsd: z.number(),
};
const tier = z.object({ overTokens: z.number(), ...requestPrices });
const prices = z.object({
  ...requestPrices,
  tiers: z
    .array(tier)
    .optional()
    .describe('of requests that are larger than a size, smallest first'),
});

const basis = z.object({
  tokenizer: z.string(),
  tokenizerEvidence: Evidence.describe("`measured` if it is the model's own"),
  factor: number('true tokens per counted token'),
  perMessageTokens: number('fixed cost of each message'),
  calibration: Evidence,
  calibrationPairs: z.int().describe('pairs of steps that the calibration rests on'),
  overheadTokens: number('system prompt and tools'),
  overhead: Evidence,
});

const billed = {
  cacheReadTokens: number('read from the prompt cache'),
  cacheWriteTokens: number('written to it, and billed as such'),
  freshTokens: number('sent uncached'),
  latencyMs: number('estimated'),
};
const costNanoUsd = z.number().optional().describe('in nano-dollars; absent without a price');

const LIMITS = limits.describe(
  'limits as the policy knows them: `contextTokens`, `inputTokens`, `outputTokens`',
);
const USABLE =
  'what a request may have before the policy acts; below 0 where a reserve is too large';
const PRICES = prices
  .optional()
  .describe('list prices of one token in pico-dollars; absent where none is known');

/** All types of events, each with its fields. Tokens are true tokens unless a field says otherwise. */
export const eventTypes = {
  'run-start': {
    means: 'A run begins. It names what was replayed under what.',
    fields: {
      session: text('name of the session'),
      format: text('recorded format'),
      isPartial: flag('what lies before the first message is not there'),
      policy: text('name of the policy'),
      model: text('`provider/model`'),
      summarizer: text('name of the summarizer'),
      seed: number('of all randomness'),
      limits: LIMITS,
      basis: basis.describe(
        'what true tokens rest on: tokenizer, factor, overhead, and how each is known',
      ),
      recordedCompactions: number('summaries by the recording agent'),
      recordedMicrocompactions: number('its passes that cleared outputs'),
      mode: RunMode.optional().describe('absent in an open loop'),
      usableTokens: z.number().optional().describe(USABLE),
      prices: PRICES,
      recording: z
        .object({
          steps: number('of the session, with recorded usage or without'),
          isCacheUnknown: flag('its usage does not tell cached tokens apart'),
        })
        .optional()
        .describe('of the run as it was recorded, which nothing simulated; else absent'),
    },
  },
  'turn-start': { means: 'A prompt was taken up.', fields: { turn: TURN } },
  'step-end': {
    means: 'A request was answered: what it held, read from the cache and cost.',
    fields: {
      step: STEP,
      turn: TURN,
      messageId: MESSAGE_ID,
      contextTokens: number('what the request held'),
      outputTokens: number('what the model wrote'),
      viewMessages: z.number().optional().describe(`messages in the view; ${OF_RECORDING}`),
      opensTurn: flag('first request of its turn'),
      lostTokens: z
        .number()
        .optional()
        .describe(`in the cache behind the point where this request departs; ${OF_RECORDING}`),
      isCold: z
        .boolean()
        .optional()
        .describe(`all that had been cached had run out; ${OF_RECORDING}`),
      ...billed,
      recordedContextTokens: z.number().optional().describe('the same as recorded, if it was'),
      reread: z
        .number()
        .optional()
        .describe('of an added step: number of the content it reads again'),
      isFileReread: z.boolean().optional().describe('of an added step: whether that is a file'),
      reported: reported
        .optional()
        .describe('the usage that the policy was given; absent where the provider told none'),
      costNanoUsd,
    },
  },
  'step-dropped': {
    means:
      'A closed loop left a step out: it reads again what the view still shows, and gives nothing else that is needed.',
    fields: { step: STEP, turn: TURN, messageId: MESSAGE_ID },
  },
  'step-refused': {
    means: 'A request was refused because it was too large.',
    fields: {
      step: STEP,
      contextTokens: number('what the request held'),
      windowTokens: number('what the provider takes'),
      isRecognised: flag('the policy knows the error for an overflow'),
      statusCode: z.number().exactOptional().describe('HTTP status'),
    },
  },
  'step-malformed': {
    means: 'A request was made that no provider takes, whatever its size.',
    fields: { step: STEP, reason: text('why no provider takes the request') },
  },
  'step-truncated': {
    means: 'The provider cut a request that was too large, and said nothing.',
    fields: {
      step: STEP,
      contextTokens: number('what was sent'),
      keptTokens: number('what the provider kept without a word'),
    },
  },
  'request-failed': {
    means: 'A request got no answer.',
    fields: {
      of: z.enum(['step', 'summary']).describe('which request'),
      step: STEP,
      failure: FailureType.describe('what befell it'),
      waitMs: z.number().exactOptional().describe('until it is sent again; absent where it is not'),
    },
  },
  'model-changed': {
    means: 'From here on another model is asked.',
    fields: {
      step: STEP,
      model: text('`provider/model` from here on'),
      limits: LIMITS,
      usableTokens: z.number().exactOptional().describe(USABLE),
      prices: PRICES,
    },
  },
  overflow: {
    means: 'The policy found the session over its limit.',
    fields: {
      path: OverflowPath.describe('which check'),
      countTokens: z
        .number()
        .exactOptional()
        .describe(
          'as the policy counted; absent for a refusal, and where tokens were not the reason',
        ),
      usableTokens: z.number().exactOptional().describe('what it held that against'),
    },
  },
  'prune-end': {
    means: 'A pass over old outputs ended.',
    fields: {
      state: z.enum(['fired', 'below-minimum', 'nothing']).describe('what it came to'),
      partIds: texts('ids of the parts it chose'),
      estimatedTokens: number(
        'what the policy believed that it saves, or would have saved; below 0 for one that adds',
      ),
      prunedTokens: number(
        'what left the view, of a recorded pass as its agent said; below 0 where placeholders are longer; 0 unless fired',
      ),
      survivingTokens: number('behind the first cleared part; 0 unless fired'),
    },
  },
  'summary-end': {
    means: 'A summary request was answered, or failed.',
    fields: {
      state: z.enum(['answered', 'failed']).describe('says nothing of whether the policy takes it'),
      inputTokens: number('of the request; 0 if it failed'),
      outputTokens: number('of the summary'),
      headMessages: number('messages that were to be summarised'),
      verifies: z
        .boolean()
        .exactOptional()
        .describe('true of a second call in which the model checks its summary'),
      ...billed,
      reason: z.string().exactOptional().describe('of a failure'),
      keptTokens: z
        .number()
        .exactOptional()
        .describe('where the provider cut the request: what it kept'),
      costNanoUsd,
    },
  },
  pivot: {
    means: 'A summary took the place of history.',
    fields: {
      messageId: text('id of the summary'),
      auto: flag('by a trigger, not by hand'),
      contextBeforeTokens: z
        .number()
        .optional()
        .describe('a request would have held before; absent where a recording does not tell'),
      contextAfterTokens: z
        .number()
        .optional()
        .describe('the next request holds; absent where a recording does not tell'),
      summaryTokens: z
        .number()
        .optional()
        .describe('of a recorded summary whose text is known; absent of a simulated one'),
      isCallUnknown: z
        .boolean()
        .optional()
        .describe('the recording does not tell what its summary call held and cost'),
      isReplay: flag('a refused prompt is sent again'),
    },
  },
  'summary-rejected': {
    means: 'A guard of the policy did not let a summary in.',
    fields: { reason: text('of the guard that did not let it in') },
  },
  'summary-repeated': {
    means: 'A summary is asked for again: smaller, for the next chunk, or with a reminder.',
    fields: { because: text('`too-large`, `next-chunk`, `no-headings` or `gave-nothing`') },
  },
  'usage-ignored': {
    means: 'No check was made with a reported usage.',
    fields: { messageId: MESSAGE_ID, reason: text('why no check was made with it') },
  },
  'moved-out': {
    means: 'Messages moved to an external memory.',
    fields: { messageIds: texts('ids of messages') },
  },
  'law-violated': {
    means: 'A law was broken.',
    fields: {
      law: text('its name'),
      message: text('how it was broken'),
      messageIds: texts('ids of messages'),
      isKnown: flag('the policy says that its source breaks it'),
    },
  },
  reference: {
    means: 'A step needs what an earlier part holds. It is told just before the end of that step.',
    fields: {
      step: number('the step that needs it'),
      kind: z
        .enum(['declared', 'given-back', 'anchor', 'path', 'name', 'phrase'])
        .describe(
          'declared; lines that a reading call gives again; lines that an edit stands on; a file that is opened; a rare name, a sentence or lines of code that it writes',
        ),
      document: number('number of the content; a file has one number'),
      isRecoverable: flag('an action of the agent brings the content back'),
      messageId: text('id of the message it is in'),
      partId: text('id of the part that holds most of it'),
      partIds: texts('ids of the newest parts that hold it together'),
      sinceStep: number('the step that wrote it, or that answered the prompt'),
      tokens: number('of the part'),
      use: z
        .enum(['habit', 'caused', 'used', 'carried', 'unknown'])
        .optional()
        .describe(
          'how the recording stood to it: read again though held; read again because its own compaction removed it; gone on from while held, or after it was removed; or unknown',
        ),
      missedBy: EvictionCause.optional().describe(
        'of a loss: what it left the view by; absent where the request showed it, and where the run is not charged',
      ),
      chance: z
        .number()
        .optional()
        .describe('of a loss that a real summary might have spared: its expected value, below 1'),
      goneBy: EvictionCause.optional().describe(
        'of content that the request did not show, and that is no loss: by its use, or because it counts already',
      ),
      pieces: z
        .array(z.number())
        .optional()
        .describe('of an unrecoverable loss: numbers of the lost words, which stay on the machine'),
    },
  },
  eviction: {
    means: 'Recorded texts, calls and outputs left the view.',
    fields: {
      by: EvictionCause.describe(
        '`failed-summary`: the summary failed, and the view is cut all the same; `window`: a view of the newest messages; `memory`: they moved to an external memory',
      ),
      parts: number('texts, calls and outputs that left'),
    },
  },
  'stale-kept': {
    means: 'From here on the view holds that much that is useless.',
    fields: { tokens: number('of outputs in the view that a later write made useless') },
  },
  standing: {
    means: 'Which constraints and files anything in the view still names.',
    fields: {
      at: z.enum(['pivot', 'moved-out', 'run-end']).describe('when'),
      constraints: number("the user's constraints so far"),
      paths: number('files of the work so far'),
      goneConstraints: texts('ids of constraints that the view names no more'),
      gonePaths: texts('the same of files'),
      fileReads: number('recorded calls so far that read files'),
      fileRereads: number('those of them that gave what an earlier one gave'),
      callLoops: number(
        'recorded contents so far that the same call asked for three times, and rows of three identical calls that gave anything else',
      ),
    },
  },
  'turn-end': { means: 'The turn is over.', fields: { turn: TURN } },
  'run-end': {
    means: 'The run is over.',
    fields: {
      state: RunStateSchema.describe('how it ended'),
      finalContextTokens: z
        .number()
        .optional()
        .describe(`a next request would hold; ${OF_RECORDING}`),
      reason: z.string().exactOptional().describe('why, unless it completed'),
      impossible: z
        .string()
        .exactOptional()
        .describe(
          'why no such run can exist: the first request beyond the window, which the control does not meet',
        ),
    },
  },
} satisfies Record<string, EventDescription>;

type EventTypes = typeof eventTypes;
type FieldsOf<Type extends keyof EventTypes> = z.infer<z.ZodObject<EventTypes[Type]['fields']>>;

/** An event of a run. Events carry ids, sizes and reasons, never contents of the session. */
export type RunEvent = {
  readonly [Type in keyof EventTypes]: Immutable<{ type: Type } & FieldsOf<Type>>;
}[keyof EventTypes];

/** Receives the events of a run in order. */
export type Sink = (event: RunEvent) => void;

/** The origin of a number: measured in a recording or a reply, or estimated. */
export type Evidence = z.infer<typeof Evidence>;
/** The check that found a session over its limit. */
export type OverflowPath = z.infer<typeof OverflowPath>;
/** The outcome of a run. */
export type RunState = z.infer<typeof RunStateSchema>;
/** An open loop replays the recorded steps only; a closed loop adds steps that read lost content again. */
export type RunMode = z.infer<typeof RunMode>;
/** The failure of a request, observed or injected. */
export type FailureType = z.infer<typeof FailureType>;
/** The cause by which parts leave a view; `failed-summary` hides messages in some releases. */
export type EvictionCause = z.infer<typeof EvictionCause>;
/** The basis of true token counts: tokenizer, calibration and overhead, each with its evidence. */
export type TokenBasis = Immutable<z.infer<typeof basis>>;
/** The conversion of counted tokens to true ones. */
export type TokenScale = Pick<TokenBasis, 'factor' | 'perMessageTokens'>;
/** The input of a request by origin, its cost (absent without a price) and estimated latency. */
export type Billed = FieldsOfShape<typeof billed & { costNanoUsd: typeof costNanoUsd }>;
/** List prices of one token, in pico-dollars. */
export type RequestPrices = FieldsOfShape<typeof requestPrices>;
/** List prices of a run; `tiers` is absent where the size of a request does not matter. */
export type BilledPrices = Immutable<z.infer<typeof prices>>;

type FieldsOfShape<Shape extends z.core.$ZodLooseShape> = Immutable<z.infer<z.ZodObject<Shape>>>;

function number(means: string) {
  return z.number().describe(means);
}

function text(means: string) {
  return z.string().describe(means);
}

function flag(means: string) {
  return z.boolean().describe(means);
}

function texts(means: string) {
  return z.array(z.string()).describe(means);
}
