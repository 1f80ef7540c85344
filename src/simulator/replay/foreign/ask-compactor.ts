import type { ModelMessage } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { noteBroken } from '../broken-laws.ts';
import { checkChange } from './laws.ts';
import { readMessages } from './read-messages.ts';
import { replaceMessages, type RunningForeign } from './running-foreign.ts';

/**
 * Asks the compactor what is to be sent, and tells what it changed and which laws that breaks. What it throws is
 * thrown on.
 */
export async function* askCompactor(
  running: RunningForeign,
  refused?: string,
): AsyncGenerator<RunEvent, void, void> {
  const { options, store, scale, usage, messages: before } = running;
  const answer: unknown = await options.compactor({
    messages: [...before],
    limits: options.model.limits,
    ...(usage && { usage }),
    ...(refused !== undefined && { refused }),
  });
  const after = readMessages(answer, (message) => store.find(message)).map((message) =>
    store.keep(message),
  );
  if (isSame(before, after)) return;
  const contextBeforeTokens = scale.contextTokens(before);
  const contextAfterTokens = scale.contextTokens(after);
  replaceMessages(running, after);
  yield {
    type: 'pivot',
    messageId: options.env.newId('compacted'),
    auto: true,
    contextBeforeTokens,
    contextAfterTokens,
    isReplay: false,
  };
  const { newestRequest, unanswered } = running;
  const isRefused = refused !== undefined;
  const sizes = { contextBeforeTokens, contextAfterTokens };
  const change = { before, after, ...sizes, newestRequest, unanswered, isRefused };
  for (const { law, message } of checkChange(change)) {
    noteBroken(running, law);
    yield { type: 'law-violated', law, message, messageIds: [], isKnown: false };
  }
}

function isSame(some: readonly ModelMessage[], others: readonly ModelMessage[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
