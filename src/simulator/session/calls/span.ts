/** A part of a text, up to an end that is outside of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
