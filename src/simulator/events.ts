/** Events of a run, the only record that everything else is computed from. */

import type { Limits, Usage } from '../engine/index.ts';

/** Whether a number was read off a recording or a reply, or worked out from a stand-in. */
export type Evidence = 'measured' | 'estimated';

/** Which check found a session over its limit. */
export type OverflowPath = 'after-step' | 'before-request' | 'refused';

/** How a run ended. */
export type RunState =
  | 'completed'
  | 'refused'
  | 'irreducible'
  | 'breaker'
  | 'loop'
  | 'failed'
  | 'skipped';

/** Whether every recorded step is replayed and no other, or steps are added that read again what was lost. */
export type RunMode = 'open-loop' | 'closed-loop';

/** What true tokens of a run rest on. */
export interface TokenBasis {
  readonly tokenizer: string;
  /** Whether the tokenizer is the model's own. */
  readonly tokenizerEvidence: Evidence;
  /** True tokens per counted token. */
  readonly factor: number;
  /** Fixed cost of each message. */
  readonly perMessageTokens: number;
  readonly calibration: Evidence;
  /** Consecutive steps that the calibration rests on. */
  readonly calibrationPairs: number;
  /** System prompt and tool definitions. */
  readonly overheadTokens: number;
  readonly overhead: Evidence;
}

/** How counted tokens become true ones. */
export type TokenScale = Pick<TokenBasis, 'factor' | 'perMessageTokens'>;

/** How the input of a request came about and what the request cost, in true tokens. */
export interface Billed {
  /** Read from the prompt cache. */
  readonly cacheReadTokens: number;
  /** Written to it and billed as such. */
  readonly cacheWriteTokens: number;
  readonly freshTokens: number;
  /** Absent where the model has no known price. */
  readonly costNanoUsd?: number | undefined;
  /** An estimate. */
  readonly latencyMs: number;
}

/** List prices with which a request is billed, for one token in pico-dollars. */
export interface RequestPrices {
  readonly inputPicoUsd: number;
  readonly outputPicoUsd: number;
  readonly cacheReadPicoUsd: number;
  readonly cacheWritePicoUsd: number;
}

/** List prices with which a run is billed. */
export interface BilledPrices extends RequestPrices {
  /** Those of requests that are larger than a size, smallest first; absent where the size does not matter. */
  readonly tiers?: readonly BilledTier[] | undefined;
}

/** The prices of all tokens of a request that is larger than a size. */
export interface BilledTier extends RequestPrices {
  readonly overTokens: number;
}

/** What went wrong with a request, or was made to. */
export type FailureType = 'fail' | 'time-out' | 'rate-limit' | 'overflow' | 'abort';

/** What happened in a run. Events carry ids, sizes and reasons, never texts. */
export type RunEvent =
  | {
      readonly type: 'run-start';
      readonly session: string;
      readonly format: string;
      readonly isPartial: boolean;
      readonly policy: string;
      readonly model: string;
      readonly summarizer: string;
      readonly seed: number;
      /** Absent in an open loop. */
      readonly mode?: RunMode | undefined;
      readonly limits: Limits;
      /** What a request may have before the policy acts; absent where the policy has no limit. */
      readonly usableTokens?: number | undefined;
      /** Absent where the model has no known price. */
      readonly prices?: BilledPrices | undefined;
      readonly basis: TokenBasis;
      readonly recordedCompactions: number;
      readonly recordedMicrocompactions: number;
    }
  | { readonly type: 'turn-start'; readonly turn: number }
  | ({
      readonly type: 'step-end';
      readonly step: number;
      readonly turn: number;
      readonly messageId: string;
      /** True tokens that the request held. */
      readonly contextTokens: number;
      /** True tokens of what the model wrote. */
      readonly outputTokens: number;
      /** As the recording has it; absent where it has none. */
      readonly recordedContextTokens?: number | undefined;
      readonly viewMessages: number;
      /** The first request of its turn. */
      readonly opensTurn: boolean;
      /** Number of the content that the step does nothing but read again; absent of a recorded step. */
      readonly reread?: number | undefined;
      /** Whether that is the content of a file. */
      readonly isFileReread?: boolean | undefined;
      /** Tokens that lay live in the cache behind the point where this request departs from the one before it. */
      readonly lostTokens: number;
      /** Everything that had been cached of the session had run out. */
      readonly isCold: boolean;
      /** The usage that the policy was given; absent where the provider reports none. */
      readonly reported?: Usage | undefined;
    } & Billed)
  | {
      readonly type: 'step-refused';
      readonly step: number;
      readonly contextTokens: number;
      readonly windowTokens: number;
      readonly statusCode?: number;
      /** Whether the policy knows the error for a request that was too large. */
      readonly isRecognised: boolean;
    }
  /** A request that no provider would take, whatever its size. */
  | { readonly type: 'step-malformed'; readonly step: number; readonly reason: string }
  /** The provider cut a request that was too large, and said nothing. */
  | {
      readonly type: 'step-truncated';
      readonly step: number;
      readonly contextTokens: number;
      readonly keptTokens: number;
    }
  /** A request that got no answer. */
  | {
      readonly type: 'request-failed';
      readonly of: 'step' | 'summary';
      readonly step: number;
      readonly failure: FailureType;
      /** Until it is sent again; absent where it is not. */
      readonly waitMs?: number;
    }
  /** From here on another model is asked. */
  | {
      readonly type: 'model-changed';
      readonly step: number;
      readonly model: string;
      readonly limits: Limits;
      readonly usableTokens?: number;
      /** Absent where the model has no known price. */
      readonly prices?: BilledPrices | undefined;
    }
  | {
      readonly type: 'overflow';
      readonly path: OverflowPath;
      /** As the policy counted; absent for a refusal, which no count explains. */
      readonly countTokens?: number;
      readonly usableTokens?: number;
    }
  | {
      readonly type: 'prune-end';
      readonly state: 'fired' | 'below-minimum' | 'nothing';
      readonly partIds: readonly string[];
      /** What the policy believed that it saves; below the minimum, what it would have saved. */
      readonly estimatedTokens: number;
      /** True tokens that left the view; 0 unless fired. */
      readonly prunedTokens: number;
      /** True tokens of the view behind the first part that was cleared; 0 unless fired. */
      readonly survivingTokens: number;
    }
  | ({
      readonly type: 'summary-end';
      /** `answered` says nothing of whether the policy takes the answer. */
      readonly state: 'answered' | 'failed';
      readonly reason?: string;
      /** True tokens of the request; 0 when it failed, for nothing is billed then. */
      readonly inputTokens: number;
      /** Those that the model was given; absent where the provider cut nothing without a word. */
      readonly keptTokens?: number;
      readonly outputTokens: number;
      readonly headMessages: number;
    } & Billed)
  | {
      readonly type: 'pivot';
      readonly messageId: string;
      readonly auto: boolean;
      readonly contextBeforeTokens: number;
      readonly contextAfterTokens: number;
      readonly isReplay: boolean;
    }
  /** An answer that a guard of the policy does not let in. */
  | { readonly type: 'summary-rejected'; readonly reason: string }
  /** A summary request that is asked again: smaller, for the next chunk, or with a reminder. */
  | { readonly type: 'summary-repeated'; readonly because: string }
  /** A reported usage that no check was made with. */
  | { readonly type: 'usage-ignored'; readonly messageId: string; readonly reason: string }
  /** Messages that moved to external memory. */
  | { readonly type: 'moved-out'; readonly messageIds: readonly string[] }
  | {
      readonly type: 'law-violated';
      readonly law: string;
      readonly message: string;
      readonly messageIds: readonly string[];
      /** Whether the policy says that its source breaks this law. */
      readonly isKnown: boolean;
    }
  /** A step needs what an earlier part holds; told just before the end of the step. */
  | {
      readonly type: 'reference';
      readonly step: number;
      /** As declared by a generated session, by the same call again, or by words that stand there only. */
      readonly kind: 'declared' | 'recalled' | 'quoted';
      /** Number of the content; what is read again unchanged is the same content. */
      readonly document: number;
      readonly messageId: string;
      readonly partId: string;
      /** Step that wrote the part, or that followed the user's message. */
      readonly sinceStep: number;
      /** True tokens of the content. */
      readonly tokens: number;
      /** True tokens of the call that brings it back; 0 where no call does. */
      readonly callTokens: number;
      readonly isFileRead: boolean;
      /** Calls of the step that give the content again; absent where none does. */
      readonly calls?: number | undefined;
      /** What cleared its output or took its message out of the view; absent where the request showed the part. */
      readonly missedBy?: EvictionCause | undefined;
      /** The newest step that was sent with the missed part in the view; absent where none was. */
      readonly goneAfter?: number | undefined;
    }
  /** Texts and calls of the recording that left the view, or whose outputs did; told where there are any. */
  | {
      readonly type: 'eviction';
      readonly by: EvictionCause;
      readonly parts: number;
    }
  /** From here on the view holds that many tokens of outputs that a later write made useless. */
  | { readonly type: 'stale-kept'; readonly tokens: number }
  /**
   * The user's constraints and the files of the work so far, and which of them no message, call or summary in
   * the view names any more, whatever stands in its outputs: of those that were there before a pivot or before messages
   * moved out, or of all at the end of a run. A constraint that an output of a generated session declares is there with that output, too.
   */
  | {
      readonly type: 'standing';
      readonly at: 'pivot' | 'moved-out' | 'run-end';
      readonly constraints: number;
      readonly paths: number;
      readonly goneConstraints: readonly string[];
      readonly gonePaths: readonly string[];
      /** Recorded calls so far that read files. */
      readonly fileReads: number;
      /** Rows of three identical calls or more so far, but for calls whose content is asked for as often in the session. */
      readonly callLoops: number;
    }
  | { readonly type: 'turn-end'; readonly turn: number }
  | {
      readonly type: 'run-end';
      readonly state: RunState;
      readonly reason?: string;
      /** True tokens that a next request would hold. */
      readonly finalContextTokens: number;
    };

/** Receives the events of a run in order. */
export type Sink = (event: RunEvent) => void;

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

/** One of them. */
export type EvictionCause = (typeof EVICTION_CAUSES)[number];

/** What is known of any request that was billed, but for what it cost. */
const BILLED = {
  cacheReadTokens: 'number',
  cacheWriteTokens: 'number',
  freshTokens: 'number',
  latencyMs: 'number',
} as const;

/**
 * What takes parts out of a view: a prune that clears outputs, a pivot that puts a summary in the place of messages, a
 * summary that failed, which hides messages all the same in some releases, a window that shows the newest messages only,
 * or a move to external memory.
 */
const EVICTION_CAUSES = ['prune', 'pivot', 'failed-summary', 'window', 'memory'] as const;

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

/** Whether parts leave without a prune or a pivot. */
export function isSlide(cause: EvictionCause): boolean {
  return cause !== 'prune' && cause !== 'pivot';
}
