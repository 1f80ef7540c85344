import type { CheckRun, RequestMessage } from './check.ts';
import { type CheckName, checks } from './checks.ts';

/** Several checks on their way through one request; what they find are sentences. */
export interface RequestChecker {
  /** What is wrong with the next message; checks that its exchange passes by itself are made only where something is open. */
  next(message: RequestMessage, passed?: ReadonlySet<CheckName>): string | undefined;
  end(): string | undefined;
  back(message: RequestMessage): void;
}

const LOCAL = (Object.keys(checks) as CheckName[]).filter(
  (name) => checks[name].scope !== 'request',
);
const ALL_LOCAL: ReadonlySet<CheckName> = new Set(LOCAL);
const NONE: ReadonlySet<CheckName> = new Set();

/** Checks at the start of a request. Of several faults in one message, that of the check named first is told. */
export function createChecker(names: readonly CheckName[]): RequestChecker {
  const runs = names.map((name) => ({ name, run: checks[name].start() }));
  let index = 0;
  return {
    next: (message, passed = NONE) => {
      let fault: string | undefined;
      for (const { name, run } of runs) {
        if (passed.has(name) && run.isSettled?.() !== false) continue;
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

/** The checks that an exchange passes by itself, of those that need to see nothing else. */
export function passedAlone(exchange: readonly RequestMessage[]): ReadonlySet<CheckName> {
  const passed = LOCAL.filter((name) => passes(exchange, checks[name].start()));
  return passed.length === LOCAL.length ? ALL_LOCAL : new Set(passed);
}

function passes(exchange: readonly RequestMessage[], run: CheckRun): boolean {
  return exchange.every((message) => run.next(message) === undefined) && run.end?.() === undefined;
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
