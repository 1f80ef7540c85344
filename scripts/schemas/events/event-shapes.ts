import * as z from 'zod';
import type { Limits, Usage } from '../../../src/engine/index.ts';
import type { Billed, BilledPrices, RunEvent, TokenBasis } from '../../../src/simulator/events.ts';
import type { ShapeOf } from '../../../src/simulator/session/canonical/parts.ts';

type EventShapes = {
  readonly [Type in RunEvent['type']]: ShapeOf<
    Omit<Extract<RunEvent, { readonly type: Type }>, 'type'>
  >;
};

const flag = z.boolean();
const text = z.string();
const count = z.int().min(0);
const tokens = z.int().min(0);
const evidence = z.enum(['measured', 'estimated']);
const picoUsd = z.number().min(0);

const step = z.int().min(0).describe('number of the step, from 1; 0 before the first');
const turn = z.int().min(1).describe('number of the turn, from 1');
const messageId = text.describe('id of the message in the run');
const messageIds = z.array(text).describe('ids of messages');
const usableTokens = z
  .number()
  .optional()
  .describe('what a request may have before the policy acts; below 0 where a reserve is too large');

const limits = z
  .object({
    contextTokens: tokens.describe('the window; 0 is none'),
    inputTokens: tokens.optional().describe('a cap on input'),
    outputTokens: tokens.optional().describe('the longest answer'),
  } satisfies ShapeOf<Limits>)
  .describe('limits as the policy knows them: `contextTokens`, `inputTokens`, `outputTokens`');

const requestPrices = {
  inputPicoUsd: picoUsd,
  outputPicoUsd: picoUsd,
  cacheReadPicoUsd: picoUsd,
  cacheWritePicoUsd: picoUsd,
};
const prices = z
  .object({
    ...requestPrices,
    tiers: z.array(z.object({ overTokens: tokens, ...requestPrices })).optional(),
  } satisfies ShapeOf<BilledPrices>)
  .optional()
  .describe('list prices of one token in pico-dollars; absent where none is known');

const basis = z
  .object({
    tokenizer: text,
    tokenizerEvidence: evidence.describe("`measured` if it is the model's own"),
    factor: z.number().describe('true tokens per counted token'),
    perMessageTokens: z.number().describe('fixed cost of each message'),
    calibration: evidence,
    calibrationPairs: count.describe('pairs of steps that the calibration rests on'),
    overheadTokens: z.number().describe('system prompt and tools'),
    overhead: evidence,
  } satisfies ShapeOf<TokenBasis>)
  .describe('what true tokens rest on: tokenizer, factor, overhead, and how each is known');

const usage = z
  .object({
    input: z.number(),
    output: z.number(),
    reasoning: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    total: z.number().optional(),
  } satisfies ShapeOf<Usage>)
  .optional()
  .describe('the usage that the policy was given; absent where the provider told none');

const billed = {
  cacheReadTokens: tokens.describe('read from the prompt cache'),
  cacheWriteTokens: tokens.describe('written to it, and billed as such'),
  freshTokens: tokens.describe('sent uncached'),
  costNanoUsd: z.number().min(0).optional().describe('in nano-dollars; absent without a price'),
  latencyMs: z.number().min(0).describe('estimated'),
} satisfies ShapeOf<Billed>;

/** The fields of each event, with units and what absent ones mean. Tokens are true tokens where nothing else is said. */
export const eventShapes = {
  'run-start': {
    session: text.describe('name of the session'),
    format: text.describe('recorded format'),
    isPartial: flag.describe('what lies before the first message is not there'),
    policy: text.describe('name of the policy'),
    model: text.describe('`provider/model`'),
    summarizer: text.describe('name of the summarizer'),
    seed: z.number().describe('of all randomness'),
    mode: z.enum(['open-loop', 'closed-loop']).optional().describe('absent in an open loop'),
    limits,
    usableTokens,
    prices,
    basis,
    recordedCompactions: count.describe('summaries by the recording agent'),
    recordedMicrocompactions: count.describe('its passes that cleared outputs'),
  },
  'turn-start': { turn },
  'step-end': {
    step,
    turn,
    messageId,
    contextTokens: tokens.describe('what the request held'),
    outputTokens: tokens.describe('what the model wrote'),
    recordedContextTokens: tokens.optional().describe('the same as recorded, if it was'),
    viewMessages: count.describe('messages in the view'),
    opensTurn: flag.describe('first request of its turn'),
    reread: count.optional().describe('of an added step: number of the content it reads again'),
    isFileReread: flag.optional().describe('of an added step: whether that is a file'),
    lostTokens: tokens.describe('in the cache behind the point where this request departs'),
    isCold: flag.describe('all that had been cached had run out'),
    reported: usage,
    ...billed,
  },
  'step-refused': {
    step,
    contextTokens: tokens.describe('what the request held'),
    windowTokens: tokens.describe('what the provider takes'),
    statusCode: z.int().optional().describe('HTTP status'),
    isRecognised: flag.describe('the policy knows the error for an overflow'),
  },
  'step-malformed': { step, reason: text.describe('why no provider takes the request') },
  'step-truncated': {
    step,
    contextTokens: tokens.describe('what was sent'),
    keptTokens: tokens.describe('what the provider kept without a word'),
  },
  'request-failed': {
    of: z.enum(['step', 'summary']).describe('which request'),
    step,
    failure: z
      .enum(['fail', 'time-out', 'rate-limit', 'overflow', 'abort'])
      .describe('what befell it'),
    waitMs: z.number().optional().describe('until it is sent again; absent where it is not'),
  },
  'model-changed': {
    step,
    model: text.describe('`provider/model` from here on'),
    limits,
    usableTokens,
    prices,
  },
  overflow: {
    path: z.enum(['after-step', 'before-request', 'refused']).describe('which check'),
    countTokens: z.number().optional().describe('as the policy counted; absent for a refusal'),
    usableTokens: z.number().optional().describe('what it held that against'),
  },
  'prune-end': {
    state: z.enum(['fired', 'below-minimum', 'nothing']).describe('what it came to'),
    partIds: z.array(text).describe('ids of the parts it chose'),
    estimatedTokens: z
      .number()
      .describe('what the policy believed: saved, or short of the minimum'),
    prunedTokens: tokens.describe('what left the view; 0 unless fired'),
    survivingTokens: tokens.describe('behind the first cleared part; 0 unless fired'),
  },
  'summary-end': {
    state: z.enum(['answered', 'failed']).describe('says nothing of whether the policy takes it'),
    reason: text.optional().describe('of a failure'),
    inputTokens: tokens.describe('of the request; 0 if it failed'),
    keptTokens: tokens.optional().describe('where the provider cut the request: what it kept'),
    outputTokens: tokens.describe('of the summary'),
    headMessages: count.describe('messages that were to be summarised'),
    ...billed,
  },
  pivot: {
    messageId: messageId.describe('id of the summary'),
    auto: flag.describe('by a trigger, not by hand'),
    contextBeforeTokens: tokens.describe('a request would have held before'),
    contextAfterTokens: tokens.describe('the next request holds'),
    isReplay: flag.describe('a refused prompt is sent again'),
  },
  'summary-rejected': { reason: text.describe('of the guard that did not let it in') },
  'summary-repeated': { because: text.describe('`too-large`, `next-chunk` or `no-headings`') },
  'usage-ignored': { messageId, reason: text.describe('why no check was made with it') },
  'moved-out': { messageIds },
  'law-violated': {
    law: text.describe('its name'),
    message: text.describe('how it was broken'),
    messageIds,
    isKnown: flag.describe('the policy says that its source breaks it'),
  },
  reference: {
    step: step.describe('the step that needs it'),
    kind: z
      .enum(['declared', 'recalled', 'quoted'])
      .describe('declared, the same call again, or words that stand there only'),
    document: count.describe('number of the content; unchanged content has one number'),
    messageId: messageId.describe('id of the message it is in'),
    partId: text.describe('id of the part'),
    sinceStep: step.describe('the step that wrote it, or that answered the prompt'),
    tokens: tokens.describe('of the content'),
    callTokens: tokens.describe('of the call that brings it back; 0 where none does'),
    isFileRead: flag.describe('the content is that of a file'),
    calls: count.optional().describe('calls of the step that give it again'),
    missedBy: z.enum(['prune', 'pivot']).optional().describe('absent where the request showed it'),
    goneAfter: step.optional().describe('the newest step that was sent with it'),
  },
  eviction: {
    by: z.enum(['prune', 'pivot', 'window']).describe('`window`: a view of the newest messages'),
    parts: count.describe('texts, calls and outputs that left'),
  },
  'stale-kept': {
    tokens: tokens.describe('of outputs in the view that a later write made useless'),
  },
  standing: {
    at: z.enum(['pivot', 'run-end']).describe('when'),
    constraints: count.describe("the user's constraints so far"),
    paths: count.describe('files of the work so far'),
    goneConstraints: z.array(text).describe('ids of constraints that the view names no more'),
    gonePaths: z.array(text).describe('the same of files'),
    fileReads: count.describe('recorded calls so far that read files'),
    callLoops: count.optional().describe('rows of three identical calls so far'),
  },
  'turn-end': { turn },
  'run-end': {
    state: z
      .enum(['completed', 'refused', 'irreducible', 'breaker', 'loop', 'failed', 'skipped'])
      .describe('how it ended'),
    reason: text.optional().describe('why, unless it completed'),
    finalContextTokens: tokens.describe('a next request would hold'),
  },
} satisfies EventShapes;
