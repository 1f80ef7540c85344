/** Charts of a page and views of requests as plain data; only a page draws them. */

import * as z from 'zod';
import { sum } from '../lib/collections.ts';
import type { Immutable } from '../lib/json.ts';
import type { Unit } from '../lib/units.ts';

export interface PlotAxis {
  readonly label: string;
  readonly unit: Unit;
}

/** Left out where either value that is drawn is unknown. */
export interface PlotPoint {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly says?: string;
  readonly mark?: string | undefined;
  readonly isHollow?: boolean;
}

/** The step is from 0. */
export type Moment = readonly [step: number, kind: MomentKind, words: string];

export type MomentKind =
  | 'overflow'
  | 'prune'
  | 'pivot'
  | 'summary'
  | 'refusal'
  | 'failure'
  | 'miss'
  | 'lost'
  | 'law'
  | 'model'
  | 'end';

/** Without events, only the context is known. */
export interface TimelineRun {
  readonly name: string;
  /** Before the policy acts; `null` where it has no limit. */
  readonly usable: number | null;
  readonly isHollow?: boolean;
  readonly context: readonly number[];
  readonly cached?: readonly number[];
  readonly written?: readonly number[];
  readonly output?: readonly number[];
  readonly flags?: Readonly<Record<number, string>>;
  readonly moments: readonly Moment[];
  readonly view?: RunView | undefined;
}

/** A chart of a page: points on two of several axes, contexts over the steps, or numbers with intervals. */
export type Plot =
  | {
      readonly kind: 'scatter';
      readonly title: string;
      readonly axes: readonly PlotAxis[];
      readonly points: readonly PlotPoint[];
      /** Values of the first axis that have no other. */
      readonly lines?: readonly { readonly name: string; readonly at: number }[];
      readonly note?: string;
    }
  | { readonly kind: 'timeline'; readonly title: string; readonly runs: readonly TimelineRun[] }
  | {
      readonly kind: 'bars';
      readonly title: string;
      readonly unit: Unit;
      readonly bars: readonly {
        readonly name: string;
        readonly value: number | null;
        readonly low: number | null;
        readonly high: number | null;
      }[];
    };

export const PART_STATES = {
  /** As it was recorded. */
  kept: 0,
  /** Shown in another form, as a cleared output is. */
  pruned: 1,
  summarised: 2,
  left: 3,
  /** Shown again after it had been hidden, or put there by the policy. */
  injected: 4,
  /** The summary itself, with the question that asked for it. */
  summary: 5,
} as const;

export type PartState = (typeof PART_STATES)[keyof typeof PART_STATES];

const Index = z.int().min(0);
const TextIndex = z.int().min(-1);
const States = new Set<number>(Object.values(PART_STATES));
const State = z
  .custom<PartState>((value) => typeof value === 'number' && States.has(value))
  .meta({ enum: [...States] });

export const ViewShape = z
  .object({
    /** Of tools `tool NAME`. */
    kinds: z.array(z.string()),
    /** Of `kinds`, for each part in the order of its coming. */
    kind: z.array(Index),
    /** True tokens of each when it came. */
    tokens: z.array(z.number()),
    /** With each request. */
    came: z.array(Index),
    /**
     * Parts that follow each other and change alike: at which request, from 0; their state now; the first, how many; true tokens of
     * each where they are shown, else 0. Of parts that are not simply kept, the first is how they came.
     */
    changes: z.array(z.tuple([Index, State, Index, Index, z.number()])),
    /** In ms, before each request. */
    pauses: z.array(z.number()),
    /** Only of sessions whose texts somebody asked for: each once, and its index for each part as it came and each change; -1 is hidden. */
    texts: z
      .object({
        pool: z.array(z.string()),
        parts: z.array(TextIndex),
        changes: z.array(TextIndex),
        /** At each miss; absent where it was not saved. */
        losses: z.array(z.string()).exactOptional(),
      })
      .exactOptional(),
  })
  .refine(({ kinds, kind, tokens, came, changes, pauses, texts }) => {
    const parts = kind.length;
    // Every number names something that exists.
    return (
      tokens.length === parts &&
      sum(came) === parts &&
      pauses.length === came.length &&
      kind.every((index) => index < kinds.length) &&
      changes.every(([step, , first, many]) => step < came.length && first + many <= parts) &&
      (texts === undefined ||
        ([...texts.parts, ...texts.changes].every((index) => index < texts.pool.length) &&
          texts.parts.length === parts &&
          texts.changes.length === changes.length))
    );
  }, 'does not fit together');

export type RunView = Immutable<z.output<typeof ViewShape>>;
