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
      let fault: string | undefined;
      for (const run of runs) {
        // Each check sees each message, also after a fault of another.
        const found = run.next(message);
        fault ??= found;
      }
      index += 1;
      return fault === undefined ? undefined : `Message ${index - 1} ${fault}.`;
    },
    end: () => {
      for (const run of runs) {
        const fault = run.end?.();
        if (fault !== undefined) return `The request ${fault}.`;
      }
      return undefined;
    },
    back: (message) => {
      for (const run of runs) run.back?.(message);
      index -= 1;
    },
  };
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
