/** Errors that are shown to the user as one sentence. */

/** The kind of wrong input. */
export type ErrorCode =
  | 'BAD_ADAPTER'
  | 'BAD_CATALOG'
  | 'BAD_CONFIG'
  | 'BAD_FACTS'
  | 'BAD_OPTION'
  | 'BAD_RESULTS'
  | 'BAD_SCENARIO'
  | 'BAD_SESSION'
  | 'CASSETTE_MISS'
  | 'NO_INPUT'
  | 'OVER_BUDGET'
  | 'UNKNOWN_NAME'
  | 'UNREADABLE'
  | 'UNWRITABLE';

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

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The result of a function, or the `HarnessError` it throws; other errors pass through. */
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
