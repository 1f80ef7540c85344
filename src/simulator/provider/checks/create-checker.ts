import type { CheckRun, RequestMessage } from './check.ts';
import { type CheckName, checks } from './checks.ts';

/** Several checks on their way through one request; what they find are sentences. */
export type RequestChecker = Required<CheckRun>;

/** Checks at the start of a request. Of several faults in one message, that of the check named first is told. */
export function createChecker(names: readonly CheckName[]): RequestChecker {
  const runs: readonly CheckRun[] = names.map((name) => checks[name].start());
  let index = 0;
  return {
    next: (message) => {
      // Each check sees each message, also after a fault of another.
      const fault = runs.map((run) => run.next(message)).find(isFault);
      const subject = `Message ${index++}`;
      return fault === undefined ? undefined : `${subject} ${fault}.`;
    },
    end: () => {
      const fault = runs.map((run) => run.end?.()).find(isFault);
      return fault === undefined ? undefined : `The request ${fault}.`;
    },
    back: (message) => {
      for (const run of runs) run.back?.(message);
      index -= 1;
    },
  };
}

function isFault(fault: string | undefined): fault is string {
  return fault !== undefined;
}

/** The first fault of a whole request. */
export function findFault(
  messages: readonly RequestMessage[],
  names: readonly CheckName[],
): string | undefined {
  const checker = createChecker(names);
  for (const message of messages) {
    const fault = checker.next(message);
    if (fault !== undefined) return fault;
  }
  return checker.end();
}
