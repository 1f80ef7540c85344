import type { RequestMessage } from './check.ts';
import { type CheckName, checks } from './checks.ts';
import { type CheckSet, localOf, NO_CHECKS, setOf } from './passed.ts';

/** Several checks on their way through one request; what they find are sentences. */
export interface RequestChecker {
  /** What is wrong with the next message; local checks that its exchange passes by itself are made only where something is open. */
  next(message: RequestMessage, passed?: CheckSet): string | undefined;
  end(): string | undefined;
  back(message: RequestMessage): void;
}

/** Checks at the start of a request. Of several faults in one message, that of the check named first is told. */
export function createChecker(names: readonly CheckName[]): RequestChecker {
  const runs = names.map((name) => ({ local: localOf(setOf([name])), run: checks[name].start() }));
  let index = 0;
  return {
    next: (message, passed = NO_CHECKS) => {
      let fault: string | undefined;
      for (const { local, run } of runs) {
        if ((passed & local) !== NO_CHECKS && run.isSettled?.() !== false) continue;
        // Each check sees each message, also after a fault of another.
        const found = run.next(message);
        fault ??= found;
      }
      index += 1;
      return fault === undefined ? undefined : `Message ${index - 1} ${fault}.`;
    },
    end: () => {
      for (const { run } of runs) {
        const fault = run.end?.();
        if (fault !== undefined) return `The request ${fault}.`;
      }
      return undefined;
    },
    back: (message) => {
      for (const { run } of runs) run.back?.(message);
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
