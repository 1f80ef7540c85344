/** What became of a part at a request. */
export const PART_STATES = {
  /** As it was recorded. */
  kept: 0,
  /** Shown in another form, as a cleared output is. */
  pruned: 1,
  /** Hidden behind a summary. */
  summarised: 2,
  /** Hidden for another reason. */
  left: 3,
  /** Shown again after it had been hidden, or put there by the policy. */
  injected: 4,
  /** The summary itself, with the question that asked for it. */
  summary: 5,
} as const;

/** The number of a part's state. */
export type PartState = (typeof PART_STATES)[keyof typeof PART_STATES];

/**
 * Parts that follow each other in the order of their coming and change alike: at which request, from 0; what they
 * are now; the first of them, how many; true tokens of each where they are shown, else 0.
 */
export type PartChange = readonly [
  step: number,
  state: PartState,
  first: number,
  count: number,
  tokens: number,
];

/** What the requests of a run showed, part by part, as sizes and states. */
export interface RunView {
  /** What parts are: a `PartKind` each, and of tools `tool NAME`. */
  readonly kinds: readonly string[];
  /** An index of `kinds` for each part that a request showed, in the order of their coming. */
  readonly kind: readonly number[];
  /** True tokens of each when it came. */
  readonly tokens: readonly number[];
  /** How many came with each request. */
  readonly came: readonly number[];
  /** In the order of requests; of parts that are not simply kept, the first is how they came. */
  readonly changes: readonly PartChange[];
  /** Until each request since the one before it, in ms. */
  readonly pauses: readonly number[];
  /** Only of sessions whose texts somebody asked for. */
  readonly texts?: ViewTexts | undefined;
}

/** What parts said to the model, each text once. */
export interface ViewTexts {
  readonly pool: readonly string[];
  /** An index of the pool for each part as it came. */
  readonly parts: readonly number[];
  /** The same for each change; -1 where it hides parts. */
  readonly changes: readonly number[];
}

/** What a part is that no tool made. */
export type PartKind =
  | 'request'
  | 'answer'
  | 'reasoning'
  | 'file'
  | 'note'
  | 'summary'
  | 'summary question'
  | 'resumption';
