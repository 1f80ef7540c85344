import type { RunEvent } from '../../events.ts';

/** How a field is held against what is expected: any number, a text, a switch, or one of these texts. */
export type FieldKind = 'number' | 'text' | 'switch' | readonly string[];

type KindOf<Value> = [Value] extends [boolean]
  ? 'switch'
  : [Value] extends [number]
    ? 'number'
    : [Value] extends [string]
      ? string extends Value
        ? 'text'
        : readonly Value[]
      : never;

/** Every field that a scenario can name; lists and objects are none. */
type FieldsOf<Event> = {
  readonly [Field in keyof Event as Field extends 'type'
    ? never
    : KindOf<NonNullable<Event[Field]>> extends never
      ? never
      : Field]-?: KindOf<NonNullable<Event[Field]>>;
};

/** What is known of any request that was billed. */
const BILLED = {
  cacheReadTokens: 'number',
  cacheWriteTokens: 'number',
  freshTokens: 'number',
  costNanoUsd: 'number',
  latencyMs: 'number',
} as const;

/** The types of events with what can be expected of each. */
export const eventFields = {
  'run-start': {
    session: 'text',
    format: 'text',
    isPartial: 'switch',
    policy: 'text',
    model: 'text',
    summarizer: 'text',
    seed: 'number',
    mode: ['open-loop', 'closed-loop'],
    usableTokens: 'number',
    recordedCompactions: 'number',
    recordedMicrocompactions: 'number',
  },
  'turn-start': { turn: 'number' },
  'step-end': {
    step: 'number',
    turn: 'number',
    messageId: 'text',
    contextTokens: 'number',
    outputTokens: 'number',
    recordedContextTokens: 'number',
    viewMessages: 'number',
    opensTurn: 'switch',
    reread: 'number',
    isFileReread: 'switch',
    lostTokens: 'number',
    isCold: 'switch',
    ...BILLED,
  },
  'step-refused': {
    step: 'number',
    contextTokens: 'number',
    windowTokens: 'number',
    statusCode: 'number',
    isRecognised: 'switch',
  },
  'step-malformed': { step: 'number', reason: 'text' },
  'step-truncated': { step: 'number', contextTokens: 'number', keptTokens: 'number' },
  'request-failed': {
    of: ['step', 'summary'],
    step: 'number',
    failure: ['fail', 'time-out', 'rate-limit', 'overflow', 'abort'],
    waitMs: 'number',
  },
  'model-changed': { step: 'number', model: 'text', usableTokens: 'number' },
  overflow: {
    path: ['after-step', 'before-request', 'refused'],
    countTokens: 'number',
    usableTokens: 'number',
  },
  'prune-end': {
    state: ['fired', 'below-minimum', 'nothing'],
    estimatedTokens: 'number',
    prunedTokens: 'number',
    survivingTokens: 'number',
  },
  'summary-end': {
    state: ['answered', 'failed'],
    reason: 'text',
    inputTokens: 'number',
    keptTokens: 'number',
    outputTokens: 'number',
    headMessages: 'number',
    ...BILLED,
  },
  pivot: {
    messageId: 'text',
    auto: 'switch',
    contextBeforeTokens: 'number',
    contextAfterTokens: 'number',
    isReplay: 'switch',
  },
  'summary-rejected': { reason: 'text' },
  'summary-repeated': { because: 'text' },
  'usage-ignored': { messageId: 'text', reason: 'text' },
  'moved-out': {},
  'law-violated': { law: 'text', message: 'text', isKnown: 'switch' },
  reference: {
    step: 'number',
    kind: ['declared', 'recalled', 'quoted'],
    document: 'number',
    messageId: 'text',
    partId: 'text',
    sinceStep: 'number',
    tokens: 'number',
    callTokens: 'number',
    isFileRead: 'switch',
    calls: 'number',
    missedBy: ['prune', 'pivot'],
    goneAfter: 'number',
  },
  eviction: { by: ['prune', 'pivot', 'window'], parts: 'number' },
  'stale-kept': { tokens: 'number' },
  standing: {
    at: ['pivot', 'run-end'],
    constraints: 'number',
    paths: 'number',
    fileReads: 'number',
    callLoops: 'number',
  },
  'turn-end': { turn: 'number' },
  'run-end': {
    state: ['completed', 'refused', 'irreducible', 'breaker', 'loop', 'failed', 'skipped'],
    reason: 'text',
    finalContextTokens: 'number',
  },
} as const satisfies {
  readonly [Type in RunEvent['type']]: FieldsOf<Extract<RunEvent, { readonly type: Type }>>;
};

/** What can be expected of an event of that type. */
export function fieldsOf(type: RunEvent['type']): Readonly<Record<string, FieldKind>> {
  return eventFields[type];
}
