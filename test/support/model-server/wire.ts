import type { ServedAnswer } from './script.ts';

/** How one interface of a provider words its answers. */
export interface Wire {
  /** A whole answer. */
  toJson(answer: ServedAnswer, model: string): unknown;
  /** The same as events of a stream, each with its name where the interface has names. */
  toEvents(answer: ServedAnswer, model: string): readonly WireEvent[];
  /** An error in the middle of a stream. */
  toErrorEvent(code: string, message: string): WireEvent;
}

/** One event of a stream. */
export interface WireEvent {
  readonly name?: string;
  readonly data: unknown;
}

/** When every served answer was made, in seconds: 2026-01-01. */
export const CREATED_AT = 1_767_225_600;

/** Pieces in which a text is streamed. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,24}/g) ?? [];
}
