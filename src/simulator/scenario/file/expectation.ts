/** Expectations of a scenario, each with its place in the file. */

import type { RunEvent } from '../../events.ts';

/** Where something stands in a scenario file, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A value with the place that it came from. */
export interface Placed<Value> {
  readonly value: Value;
  readonly at: Place;
}

/** What a number is held against. */
export type Comparison =
  | { readonly op: '=' | '!=' | '<' | '<=' | '>' | '>='; readonly value: number }
  /** Both ends are inside. */
  | { readonly op: 'in'; readonly from: number; readonly to: number }
  /** There is no number. */
  | { readonly op: 'unknown' };

/** What a text is held against. */
export type TextMatch =
  | { readonly op: 'is'; readonly text: string }
  | { readonly op: 'contains'; readonly text: string }
  | { readonly op: 'matches'; readonly pattern: RegExp };

/** One metric of the run; its name is checked where metrics are known. */
export interface MetricExpectation {
  readonly metric: string;
  readonly compare: Comparison;
  readonly at: Place;
}

/** What one field of an event is held against. */
export type FieldMatch =
  | { readonly type: 'number'; readonly compare: Comparison }
  | { readonly type: 'text'; readonly match: TextMatch }
  | { readonly type: 'switch'; readonly value: boolean };

/** How often events like this one occur. */
export interface EventExpectation {
  readonly type: RunEvent['type'];
  /** What its fields must be, by name; others may be anything. */
  readonly fields: ReadonlyMap<string, FieldMatch>;
  /** `>= 1` for an event that must occur, `= 0` for one that must not. */
  readonly times: Comparison;
  readonly at: Place;
}
