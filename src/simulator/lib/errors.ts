/** Errors that are shown to the user as one sentence. */

/** What kind of wrong input a `HarnessError` reports. */
export type ErrorCode =
  | 'BAD_ADAPTER'
  | 'BAD_CATALOG'
  | 'BAD_CONFIG'
  | 'BAD_OPTION'
  | 'BAD_RESULTS'
  | 'BAD_SCENARIO'
  | 'BAD_SESSION'
  | 'BAD_VECTORS'
  | 'CASSETTE_MISS'
  | 'NO_INPUT'
  | 'OVER_BUDGET'
  | 'UNKNOWN_NAME'
  | 'UNREADABLE'
  | 'UNWRITABLE';

/** What an error tells of another that it comes from; ES2020 has no name for it. */
interface ErrorCause {
  readonly cause?: unknown;
}

/** Wrong input from outside; its message is for the user and needs no stack. */
export class HarnessError extends Error {
  override readonly name = 'HarnessError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorCause) {
    super(message, options);
    this.code = code;
  }
}

/** What was thrown, as a sentence for the user. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a function gives, or the wrong input that it met; any other fault is thrown on. */
export function unlessWrongInput<Value>(read: () => Value): Value | HarnessError {
  try {
    return read();
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
}

/** A setting or an argument that is wrong. */
export function badOption(message: string, options?: ErrorCause): HarnessError {
  return new HarnessError('BAD_OPTION', message, options);
}
