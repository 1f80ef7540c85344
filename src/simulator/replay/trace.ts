import { known } from '../lib/expect.ts';
import type { AssistantMessage, Message, Usage, UserMessage } from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import type { CheckName } from '../provider/checks.ts';
import type { RecordedCompaction } from '../session/session.ts';
import type { CountText } from './count.ts';
import type { TextFaults } from './recording-faults.ts';
import type { References } from './references/reference.ts';
import type { PartSizes, Resized } from './sizes.ts';

/** A recorded cache that outlived its entries' lifetime, or lost all beginnings of more than so many tokens. */
export type CacheFate = 'outlived' | { readonly keptTokens: number };

/** One recorded model request, ready to be replayed. */
export interface TraceStep {
  /** The answer and its tool results; its recorded usage is taken off. */
  readonly message: AssistantMessage;
  /** True tokens of what the model wrote. */
  readonly outputTokens: number;
  /** Those of them that it thought. */
  readonly reasoningTokens: number;
  /** The context as the recording agent's provider reported it; absent where it reported none. */
  readonly recordedContextTokens?: number;
  /** Sizes that hold from its request on; absent where none change. */
  readonly resized?: Resized;
  /** The fate of the provider's cache by then, where the recording shows another one than its lifetime gives; absent elsewhere. */
  readonly cacheFate?: CacheFate;
  /** All that a provider reported of it; absent where none did, as for a session that was generated. */
  readonly recordedUsage?: Usage;
}

/** A user message and the steps until the next one. */
export interface TraceTurn {
  readonly message: UserMessage;
  readonly steps: readonly TraceStep[];
}

/** A session compiled for replay, without any compaction. */
export interface Trace {
  readonly session: string;
  readonly format: string;
  readonly isPartial: boolean;
  readonly turns: readonly TraceTurn[];
  readonly basis: TokenBasis;
  /** True tokens of the parts whose recorded contexts tell; the others are scaled by `basis`. */
  readonly sizes: PartSizes;
  readonly count: CountText;
  /** The earlier content that its steps need; computed on first use. */
  readonly references: () => References;
  /** Checks of form that the recording does not pass by itself, so that no policy is held to them. */
  readonly ownFaults: readonly CheckName[];
  /** Compactions of the recording agent, kept aside as ground truth. */
  readonly recordedCompactions: readonly RecordedCompaction[];
  /** Faults that only texts show; absent where there are none. */
  readonly textFaults?: TextFaults;
  /** How its provider cached, as far as the recording tells. */
  readonly recordedCache: {
    readonly ttlMs: number | undefined;
    /** Its usage does not tell cached tokens apart. */
    readonly isUnknown: boolean;
  };
}

/** A session that is ready to be replayed. */
export const TraceShape = known<Trace>(
  'what `compileSession` gives',
  'turns',
  'basis',
  'references',
);

/** The messages of some turns, in order. */
export function messagesOf(turns: readonly TraceTurn[]): readonly Message[] {
  return turns.flatMap(({ message, steps }) => [message, ...steps.map((step) => step.message)]);
}

/** Steps of all turns. */
export function countSteps({ turns }: Trace): number {
  return turns.reduce((total, { steps }) => total + steps.length, 0);
}
