import type { RunEvent } from './events.ts';
import { EVICTION_CAUSES } from './eviction-cause.ts';

/** What a field of an event holds: any number, a text, a switch, one of these texts, texts, or fields of its own. */
export type FieldKind = 'number' | 'text' | 'switch' | 'texts' | 'object' | readonly string[];

/** The fields of one type of event: those of every such event, and those that may be absent. */
export interface EventFields {
  readonly always: Readonly<Record<string, FieldKind>>;
  readonly sometimes?: Readonly<Record<string, FieldKind>>;
}

type KindOf<Value> = [Value] extends [boolean]
  ? 'switch'
  : [Value] extends [number]
    ? 'number'
    : [Value] extends [string]
      ? string extends Value
        ? 'text'
        : readonly Value[]
      : [Value] extends [readonly string[]]
        ? 'texts'
        : 'object';

type SometimesIn<Event> = {
  readonly [Field in keyof Event as Event extends Record<Field, Event[Field]>
    ? never
    : Field]-?: KindOf<NonNullable<Event[Field]>>;
};
type AlwaysIn<Event> = {
  readonly [Field in Exclude<keyof Event, keyof SometimesIn<Event> | 'type'>]: KindOf<Event[Field]>;
};
type FieldsIn<Event> = { readonly always: AlwaysIn<Event> } & ([keyof SometimesIn<Event>] extends [
  never,
]
  ? { readonly sometimes?: never }
  : { readonly sometimes: SometimesIn<Event> });

/** What is known of any request that was billed, but for what it cost. */
const BILLED = {
  cacheReadTokens: 'number',
  cacheWriteTokens: 'number',
  freshTokens: 'number',
  latencyMs: 'number',
} as const;

/** The types of events with the fields of each; the compiler holds them to `RunEvent`. */
export const eventFields = {
  'run-start': {
    always: {
      session: 'text',
      format: 'text',
      isPartial: 'switch',
      policy: 'text',
      model: 'text',
      summarizer: 'text',
      seed: 'number',
      limits: 'object',
      basis: 'object',
      recordedCompactions: 'number',
      recordedMicrocompactions: 'number',
    },
    sometimes: { mode: ['open-loop', 'closed-loop'], usableTokens: 'number', prices: 'object' },
  },
  'turn-start': { always: { turn: 'number' } },
  'step-end': {
    always: {
      step: 'number',
      turn: 'number',
      messageId: 'text',
      contextTokens: 'number',
      outputTokens: 'number',
      viewMessages: 'number',
      opensTurn: 'switch',
      lostTokens: 'number',
      isCold: 'switch',
      ...BILLED,
    },
    sometimes: {
      recordedContextTokens: 'number',
      reread: 'number',
      isFileReread: 'switch',
      reported: 'object',
      costNanoUsd: 'number',
    },
  },
  'step-refused': {
    always: {
      step: 'number',
      contextTokens: 'number',
      windowTokens: 'number',
      isRecognised: 'switch',
    },
    sometimes: { statusCode: 'number' },
  },
  'step-malformed': { always: { step: 'number', reason: 'text' } },
  'step-truncated': { always: { step: 'number', contextTokens: 'number', keptTokens: 'number' } },
  'request-failed': {
    always: {
      of: ['step', 'summary'],
      step: 'number',
      failure: ['fail', 'time-out', 'rate-limit', 'overflow', 'abort'],
    },
    sometimes: { waitMs: 'number' },
  },
  'model-changed': {
    always: { step: 'number', model: 'text', limits: 'object' },
    sometimes: { usableTokens: 'number', prices: 'object' },
  },
  overflow: {
    always: { path: ['after-step', 'before-request', 'refused'] },
    sometimes: { countTokens: 'number', usableTokens: 'number' },
  },
  'prune-end': {
    always: {
      state: ['fired', 'below-minimum', 'nothing'],
      partIds: 'texts',
      estimatedTokens: 'number',
      prunedTokens: 'number',
      survivingTokens: 'number',
    },
  },
  'summary-end': {
    always: {
      state: ['answered', 'failed'],
      inputTokens: 'number',
      outputTokens: 'number',
      headMessages: 'number',
      ...BILLED,
    },
    sometimes: { reason: 'text', keptTokens: 'number', costNanoUsd: 'number' },
  },
  pivot: {
    always: {
      messageId: 'text',
      auto: 'switch',
      contextBeforeTokens: 'number',
      contextAfterTokens: 'number',
      isReplay: 'switch',
    },
  },
  'summary-rejected': { always: { reason: 'text' } },
  'summary-repeated': { always: { because: 'text' } },
  'usage-ignored': { always: { messageId: 'text', reason: 'text' } },
  'moved-out': { always: { messageIds: 'texts' } },
  'law-violated': {
    always: { law: 'text', message: 'text', messageIds: 'texts', isKnown: 'switch' },
  },
  reference: {
    always: {
      step: 'number',
      kind: ['declared', 'recalled', 'quoted'],
      document: 'number',
      messageId: 'text',
      partId: 'text',
      sinceStep: 'number',
      tokens: 'number',
      callTokens: 'number',
      isFileRead: 'switch',
    },
    sometimes: { calls: 'number', missedBy: EVICTION_CAUSES, goneAfter: 'number' },
  },
  eviction: { always: { by: EVICTION_CAUSES, parts: 'number' } },
  'stale-kept': { always: { tokens: 'number' } },
  standing: {
    always: {
      at: ['pivot', 'moved-out', 'run-end'],
      constraints: 'number',
      paths: 'number',
      goneConstraints: 'texts',
      gonePaths: 'texts',
      fileReads: 'number',
      callLoops: 'number',
    },
  },
  'turn-end': { always: { turn: 'number' } },
  'run-end': {
    always: {
      state: ['completed', 'refused', 'irreducible', 'breaker', 'loop', 'failed', 'skipped'],
      finalContextTokens: 'number',
    },
    sometimes: { reason: 'text' },
  },
} as const satisfies {
  readonly [Type in RunEvent['type']]: FieldsIn<Extract<RunEvent, { readonly type: Type }>>;
};

/** Every type of event. */
export const EVENT_TYPES = Object.keys(eventFields) as readonly RunEvent['type'][];
