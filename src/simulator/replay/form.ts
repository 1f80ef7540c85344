import { commonLength, itemsFrom, type Message } from '../../engine/index.ts';
import type { CheckName } from '../provider/checks/checks.ts';
import { createChecker, type RequestChecker } from '../provider/checks/create-checker.ts';
import type { RenderingOf } from './books.ts';

/** Looks at the form of one request after another of a session. */
export interface FormChecker {
  /** What a provider would not take about a request with this view; nothing where all is well. */
  fault(view: readonly Message[]): string | undefined;
}

/** A checker of a session's requests. Requests that only grew are looked at from where they grew. */
export function createFormChecker(names: readonly CheckName[], renderingOf: RenderingOf): FormChecker {
  let checker: RequestChecker = createChecker(names);
  let seen: readonly Message[] = [];
  let found: string | undefined;

  return {
    fault: (view) => {
      const isGrown = found === undefined && commonLength(seen, view) === seen.length;
      const added = itemsFrom(view, isGrown ? seen.length : 0);
      if (!isGrown) checker = createChecker(names);
      seen = view;
      found = firstFault(added, checker, renderingOf);
      return found ?? checker.end();
    },
  };
}

/** The first fault of a request; messages behind it are not looked at. */
function firstFault(
  messages: readonly Message[],
  checker: RequestChecker,
  renderingOf: RenderingOf,
): string | undefined {
  for (const message of messages) {
    for (const sent of renderingOf(message)) {
      const fault = checker.next(sent);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}
