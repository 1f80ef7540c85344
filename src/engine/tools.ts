/** What a transition may use of the outside world: one moment and fresh ids. */
export interface Tools {
  /** The current time in ms. */
  readonly now: number;
  /** An id that no message or part has yet. */
  readonly newId: (prefix: string) => string;
}
