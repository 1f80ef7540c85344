import { quoted } from '../../lib/names.ts';
import type { CheckRun, RequestCheck, RequestMessage } from './check.ts';

/** Each call has its result in the messages right after it, and each result its call before it. */
export const callsPaired: RequestCheck = {
  describes:
    'Each call is answered directly after its message, and each result answers such a call',
  source: 'claude-code, gemini-cli#8661, openclaw#4739',
  scope: 'exchange',
  start: () => {
    const openIds = new Set<string>();
    return {
      next: (message) => findUnanswered(message, openIds) ?? findUnasked(message, openIds),
      isSettled: () => openIds.size === 0,
      end: () => (openIds.size > 0 ? `ends without ${resultsFor(openIds)}` : undefined),
      back: ({ content }) => {
        for (const part of content.toReversed()) {
          if (part.type === 'tool-call') openIds.delete(part.callId);
          if (part.type === 'tool-result') openIds.add(part.callId);
        }
      },
    } satisfies CheckRun;
  },
};

function findUnanswered({ role }: RequestMessage, openIds: ReadonlySet<string>) {
  return role !== 'tool' && openIds.size > 0 ? `comes before ${resultsFor(openIds)}` : undefined;
}

/** Notes the calls and results of a message on the way. */
function findUnasked({ content }: RequestMessage, openIds: Set<string>): string | undefined {
  let fault: string | undefined;
  for (const part of content) {
    if (part.type === 'tool-call') openIds.add(part.callId);
    if (part.type === 'tool-result' && !openIds.delete(part.callId)) {
      fault ??= `has a result for ${quoted(part.callId)}, which no open call has`;
    }
  }
  return fault;
}

function resultsFor(openIds: ReadonlySet<string>): string {
  const [first = ''] = openIds;
  const others = openIds.size > 1 ? ` and ${openIds.size - 1} more` : '';
  return `the result for ${quoted(first)}${others}`;
}
