import type { RunEvent } from '../../../src/simulator/events.ts';

type TextsOf<Event> = Readonly<Record<Exclude<keyof Event, 'type'>, string>>;
type EventTexts = {
  readonly [Type in RunEvent['type']]: TextsOf<Extract<RunEvent, { readonly type: Type }>>;
};

/** Of any request that was billed. */
const BILLED = {
  cacheReadTokens: 'read from the prompt cache',
  cacheWriteTokens: 'written to it, and billed as such',
  freshTokens: 'sent uncached',
  costNanoUsd: 'in nano-dollars; absent without a price',
  latencyMs: 'estimated',
};

/** What each field of an event is, with its unit. Tokens are true tokens where nothing else is said. */
export const eventTexts: EventTexts = {
  'run-start': {
    session: 'name of the session',
    format: 'recorded format',
    isPartial: 'what lies before the first message is not there',
    policy: 'name of the policy',
    model: '`provider/model`',
    summarizer: 'name of the summarizer',
    seed: 'of all randomness',
    mode: 'absent in an open loop',
    limits: 'limits as the policy knows them: `contextTokens`, `inputTokens`, `outputTokens`',
    usableTokens:
      'what a request may have before the policy acts; below 0 where a reserve is too large',
    prices: 'list prices of one token in pico-dollars; absent where none is known',
    basis: 'what true tokens rest on: tokenizer, factor, overhead, and how each is known',
    recordedCompactions: 'summaries by the recording agent',
    recordedMicrocompactions: 'its passes that cleared outputs',
  },
  'turn-start': {
    turn: 'number of the turn, from 1',
  },
  'step-end': {
    step: 'number of the step, from 1; 0 before the first',
    turn: 'number of the turn, from 1',
    messageId: 'id of the message in the run',
    contextTokens: 'what the request held',
    outputTokens: 'what the model wrote',
    recordedContextTokens: 'the same as recorded, if it was',
    viewMessages: 'messages in the view',
    opensTurn: 'first request of its turn',
    reread: 'of an added step: number of the content it reads again',
    isFileReread: 'of an added step: whether that is a file',
    lostTokens: 'in the cache behind the point where this request departs',
    isCold: 'all that had been cached had run out',
    reported: 'the usage that the policy was given; absent where the provider told none',
    ...BILLED,
  },
  'step-refused': {
    step: 'number of the step, from 1; 0 before the first',
    contextTokens: 'what the request held',
    windowTokens: 'what the provider takes',
    statusCode: 'HTTP status',
    isRecognised: 'the policy knows the error for an overflow',
  },
  'step-malformed': {
    step: 'number of the step, from 1; 0 before the first',
    reason: 'why no provider takes the request',
  },
  'step-truncated': {
    step: 'number of the step, from 1; 0 before the first',
    contextTokens: 'what was sent',
    keptTokens: 'what the provider kept without a word',
  },
  'request-failed': {
    of: 'which request',
    step: 'number of the step, from 1; 0 before the first',
    failure: 'what befell it',
    waitMs: 'until it is sent again; absent where it is not',
  },
  'model-changed': {
    step: 'number of the step, from 1; 0 before the first',
    model: '`provider/model` from here on',
    limits: 'limits as the policy knows them: `contextTokens`, `inputTokens`, `outputTokens`',
    usableTokens:
      'what a request may have before the policy acts; below 0 where a reserve is too large',
    prices: 'list prices of one token in pico-dollars; absent where none is known',
  },
  overflow: {
    path: 'which check',
    countTokens: 'as the policy counted; absent for a refusal',
    usableTokens: 'what it held that against',
  },
  'prune-end': {
    state: 'what it came to',
    partIds: 'ids of the parts it chose',
    estimatedTokens:
      'what the policy believed that it saves; below the minimum, what it would have saved',
    prunedTokens: 'what left the view; 0 unless fired',
    survivingTokens: 'behind the first cleared part; 0 unless fired',
  },
  'summary-end': {
    state: 'says nothing of whether the policy takes it',
    reason: 'of a failure',
    inputTokens: 'of the request; 0 if it failed',
    keptTokens: 'where the provider cut the request: what it kept',
    outputTokens: 'of the summary',
    headMessages: 'messages that were to be summarised',
    ...BILLED,
  },
  pivot: {
    messageId: 'id of the summary',
    auto: 'by a trigger, not by hand',
    contextBeforeTokens: 'a request would have held before',
    contextAfterTokens: 'the next request holds',
    isReplay: 'a refused prompt is sent again',
  },
  'summary-rejected': {
    reason: 'of the guard that did not let it in',
  },
  'summary-repeated': {
    because: '`too-large`, `next-chunk` or `no-headings`',
  },
  'usage-ignored': {
    messageId: 'id of the message in the run',
    reason: 'why no check was made with it',
  },
  'moved-out': {
    messageIds: 'ids of messages',
  },
  'law-violated': {
    law: 'its name',
    message: 'how it was broken',
    messageIds: 'ids of messages',
    isKnown: 'the policy says that its source breaks it',
  },
  reference: {
    step: 'the step that needs it',
    kind: 'declared, the same call again, or words that stand there only',
    document: 'number of the content; unchanged content has one number',
    messageId: 'id of the message it is in',
    partId: 'id of the part',
    sinceStep: 'the step that wrote it, or that answered the prompt',
    tokens: 'of the content',
    callTokens: 'of the call that brings it back; 0 where none does',
    isFileRead: 'the content is that of a file',
    calls: 'calls of the step that give it again',
    missedBy: 'what it left the view by; absent where the request showed it',
    goneAfter: 'the newest step that was sent with it',
  },
  eviction: {
    by: '`failed-summary`: the summary failed, and the view is cut all the same; `window`: a view of the newest messages; `memory`: they moved to an external memory',
    parts: 'texts, calls and outputs that left',
  },
  'stale-kept': {
    tokens: 'of outputs in the view that a later write made useless',
  },
  standing: {
    at: 'when',
    constraints: "the user's constraints so far",
    paths: 'files of the work so far',
    goneConstraints: 'ids of constraints that the view names no more',
    gonePaths: 'the same of files',
    fileReads: 'recorded calls so far that read files',
    callLoops: 'rows of three identical calls so far',
  },
  'turn-end': {
    turn: 'number of the turn, from 1',
  },
  'run-end': {
    state: 'how it ended',
    reason: 'why, unless it completed',
    finalContextTokens: 'a next request would hold',
  },
};
