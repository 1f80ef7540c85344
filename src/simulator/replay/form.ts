import type { Message } from '../../engine/index.ts';
import { commonLength, itemsFrom, type List } from '../../engine/internal.ts';
import type { CheckName } from '../provider/checks/checks.ts';
import { createChecker, type RequestChecker } from '../provider/checks/create-checker.ts';
import { NO_CHECKS, setOf } from '../provider/checks/passed.ts';
import type { PageOf } from './pages.ts';
import type { SentPrompt } from './sent-prompt.ts';

/** Looks at the form of one request after another of a session. */
export interface FormChecker {
  /** What a provider would not take about a request with this view, which is sent so; nothing where all is well. */
  fault(view: List<Message>, sent: Pick<SentPrompt, 'passed'>): string | undefined;
}

/** A checker of a session's requests. Each that is not known to pass is looked at from where it differs from the one before. */
export function createFormChecker(names: readonly CheckName[], pageOf: PageOf): FormChecker {
  const asked = setOf(names);
  let checker: RequestChecker | undefined;
  let seen: List<Message> = [];
  let seenLength = 0;
  let found: string | undefined;

  return {
    fault: (view, sent) => {
      if ((asked & ~sent.passed) === NO_CHECKS) return undefined;
      const from = found === undefined ? commonLength(seen, view) : 0;
      if (checker === undefined || from === 0) checker = createChecker(names);
      else if (from < seenLength) takeBack(itemsFrom(seen, from), checker, pageOf);
      const added = itemsFrom(view, from);
      seen = view;
      seenLength = from + added.length;
      found = firstFault(added, checker, pageOf);
      const fault = found ?? checker.end();
      if (fault === undefined) sent.passed |= asked;
      return fault;
    },
  };
}

/** Takes back the newest messages of a request without a fault. */
function takeBack(messages: readonly Message[], checker: RequestChecker, pageOf: PageOf): void {
  for (const message of messages.toReversed()) {
    for (const sent of pageOf(message).rendering.toReversed()) checker.back(sent);
  }
}

/** The first fault of a request; messages behind it are not looked at. */
function firstFault(
  messages: readonly Message[],
  checker: RequestChecker,
  pageOf: PageOf,
): string | undefined {
  for (const message of messages) {
    const { rendering, passed } = pageOf(message);
    for (const sent of rendering) {
      const fault = checker.next(sent, passed);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}
