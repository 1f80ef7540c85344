/** Laws about pivots: they shrink the next request, or say why they cannot. */

import { historyOf } from '../state.ts';
import { viewOf } from '../loop/decide.ts';
import { isComplete, isSummary, type Message } from '../message.ts';
import { isAsked, isRequest, newestRequest } from '../request.ts';
import { commonLength, findNewest, itemAt, itemsFrom } from '../history.ts';
import { compareHistories, isAutomatic, pendingMarkerId } from './append-laws.ts';
import { type Finding, findingsIn } from './finding.ts';
import type { PivotFacts } from './law.ts';

/** A floor that no pivot can bring below what is usable. */
export function findHighFloor({ before, sizes = {} }: PivotFacts): readonly Finding[] {
  const { usableTokens, floorTokens } = sizes;
  if (usableTokens === undefined || floorTokens === undefined) return [];
  return usableTokens > floorTokens
    ? []
    : [about(before, `${floorTokens} tokens cannot be removed of ${usableTokens} usable ones`)];
}

/** A pivot after which the next request is no smaller. */
export function findGrowth({ before, outcome, sizes = {} }: PivotFacts): readonly Finding[] {
  const { contextBeforeTokens, contextAfterTokens } = sizes;
  if (contextBeforeTokens === undefined || contextAfterTokens === undefined) return [];
  return outcome === 'failed' || contextAfterTokens < contextBeforeTokens
    ? []
    : [
        about(
          before,
          `the context went from ${contextBeforeTokens} to ${contextAfterTokens} tokens`,
        ),
      ];
}

/** An automatic pivot that follows another pivot without a step between them. */
export function findRepetition({ before, outcome }: PivotFacts): readonly Finding[] {
  const history = historyOf(before);
  const index = findPending(before);
  if (outcome === 'failed' || !isAutomatic(itemAt(history, index))) return [];
  const lastIndex = findNewest(
    history,
    (message, position) => position < index && (isStep(message) || isComplete(message)),
  );
  const last = itemAt(history, lastIndex);
  return last !== undefined && isSummary(last)
    ? findingsIn([last], 'no step lies between two compactions')
    : [];
}

/** A request that nobody has worked on yet and that an automatic pivot hides, or shows twice. */
export function findLostRequest({ before, after, outcome }: PivotFacts): readonly Finding[] {
  if (outcome === 'failed') return [];
  const history = historyOf(before);
  const marker = itemAt(history, findPending(before));
  const request = isAutomatic(marker) ? newestRequest(history) : undefined;
  if (request === undefined) return [];
  const { added } = compareHistories(history, historyOf(after));
  const isShown = (message: Message) =>
    message.id === request.id ||
    (added.some(({ id }) => id === message.id) && isCopy(message, request));
  const shown = viewOf(after).filter(isShown).length;
  return shown === 1 ? [] : findingsIn([request], `the newest request is shown ${shown} times`);
}

/** A summary request that its model cannot take. */
export function findOversizedRequest({ before, sizes = {} }: PivotFacts): readonly Finding[] {
  const { summaryInputTokens, summaryWindowTokens } = sizes;
  if (summaryInputTokens === undefined || !summaryWindowTokens) return [];
  return summaryInputTokens <= summaryWindowTokens
    ? []
    : [about(before, `${summaryInputTokens} tokens were sent to ${summaryWindowTokens}`)];
}

/** A failed attempt that left something behind, or took something else than its marker with it. */
export function findTraces({ before, after, outcome }: PivotFacts): readonly Finding[] {
  if (outcome === 'compacted') return [];
  const [history, restored] = [historyOf(before), historyOf(after)];
  const index = findPending(before);
  const kept = index < 0 ? history.length : index;
  const behind = itemsFrom(history, kept + 1);
  const isRestored =
    restored.length === kept + behind.length &&
    commonLength(history, restored) >= kept &&
    behind.every((message, place) => itemAt(restored, kept + place) === message);
  return isRestored ? [] : [about(before, 'a failed summary changed the history')];
}

/** Where the marker stands that a session is working off; -1 where there is none. */
function findPending(state: PivotFacts['before']): number {
  const markerId = pendingMarkerId(state);
  return findNewest(historyOf(state), ({ id }) => id === markerId);
}

function about(state: PivotFacts['before'], message: string): Finding {
  const markerId = pendingMarkerId(state);
  return { message, messageIds: markerId === undefined ? [] : [markerId] };
}

function isStep(message: Message): boolean {
  return message.role === 'assistant' && !isSummary(message);
}

/** Whether a new message says all that a request did, whatever it puts around it. */
function isCopy(message: Message, request: Message): boolean {
  if (!isRequest(message)) return false;
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return request.parts
    .filter(isAsked)
    .every((part) => part.type !== 'text' || texts.some((text) => text.includes(part.text)));
}
