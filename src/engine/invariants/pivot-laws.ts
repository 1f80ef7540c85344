/** Laws about pivots: they shrink the next request, or say why they cannot. */

import { viewOf } from '../decide.ts';
import {
  commonLength,
  findNewest,
  grownItems,
  hasGrown,
  itemAt,
  itemsFrom,
  type List,
  partingOf,
} from '../history.ts';
import { isAsked, isRequest, newestRequest } from '../latest.ts';
import { isComplete, isSummary, markerOf, type Message } from '../message.ts';
import { historyOf, type LoopState } from '../state.ts';
import { type Finding, findingsIn, idsOf, type Law, NOTHING } from './law.ts';
import type { LawName } from '../policy.ts';

/** The laws of this file, by name. */
export const pivotLaws = {
  'usable-above-floor': {
    says: 'A request may hold more than what no pivot can remove.',
    check: {
      pivot: ({ before, sizes = {} }) => {
        const { usableTokens = Infinity, floorTokens = -Infinity } = sizes;
        if (usableTokens > floorTokens) return NOTHING;
        return about(
          before,
          `${floorTokens} tokens cannot be removed of ${usableTokens} usable ones`,
        );
      },
    },
  },
  'pivot-lowers-context': {
    says: 'A pivot makes the next request smaller.',
    check: {
      pivot: ({ before, outcome, sizes = {} }) => {
        const { contextBeforeTokens: from = Infinity, contextAfterTokens: to = -Infinity } = sizes;
        if (outcome === 'failed' || to < from) return NOTHING;
        return about(before, `the context went from ${from} to ${to} tokens`);
      },
    },
  },
  'one-compaction-per-step': {
    says: 'At least one step lies between any compaction and the next automatic one.',
    check: {
      pivot: ({ before, outcome }) => {
        const history = historyOf(before);
        const index = findPending(before);
        if (outcome === 'failed' || !isAutomatic(itemAt(history, index))) return [];
        const lastIndex = findNewest(
          history,
          (message, position) =>
            position < index &&
            message.role === 'assistant' &&
            (message.summary !== true || isComplete(message)),
        );
        const last = itemAt(history, lastIndex);
        return last !== undefined && isSummary(last)
          ? findingsIn([last], 'no step lies between two compactions')
          : [];
      },
    },
  },
  'newest-request-visible': {
    says: 'After an automatic pivot the newest real request is visible or replayed, exactly once.',
    check: {
      pivot: ({ before, after, outcome }) => {
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
        return shown === 1
          ? []
          : findingsIn([request], `the newest request is shown ${shown} times`);
      },
    },
  },
  'auto-off-means-never': {
    says: 'With auto off, compactions are queued only by hand.',
    check: {
      append: ({ before, after }) => {
        if (after.policy.trigger.auto) return NOTHING;
        const { added } = compareHistories(historyOf(before), historyOf(after));
        const queued = added.filter(isAutomatic);
        return findingsIn(queued, 'a compaction was queued with auto off');
      },
    },
  },
  'summary-request-fits': {
    says: 'A summary request fits the window of its model.',
    check: {
      pivot: ({ before, sizes = {} }) => {
        const { summaryInputTokens, summaryWindowTokens } = sizes;
        if (summaryInputTokens === undefined || !summaryWindowTokens) return [];
        if (summaryInputTokens <= summaryWindowTokens) return NOTHING;
        return about(before, `${summaryInputTokens} tokens were sent to ${summaryWindowTokens}`);
      },
    },
  },
  'failed-summary-changes-nothing': {
    says: 'A failed or aborted summary leaves the history as it was before its marker.',
    check: {
      pivot: ({ before, after, outcome }) => {
        if (outcome === 'compacted') return [];
        const [history, restored] = [historyOf(before), historyOf(after)];
        const index = findPending(before);
        const kept = index < 0 ? history.length : index;
        const behind = itemsFrom(history, kept + 1);
        const isRestored =
          restored.length === kept + behind.length &&
          commonLength(history, restored) >= kept &&
          behind.every((message, place) => itemAt(restored, kept + place) === message);
        return isRestored ? NOTHING : about(before, 'a failed summary changed the history');
      },
    },
  },
  'history-only-grows': {
    says: 'No message is lost or moved, except the marker of an ended attempt and what a person has undone.',
    check: {
      append: ({ before, after, revertTo }) => {
        const { before: old, after: now } = partingOf(historyOf(before), historyOf(after));
        if (old.every(({ id }, index) => id === now[index]?.id)) return NOTHING;
        const { lost, moved } = compareHistories(historyOf(before), historyOf(after));
        const undoneFrom = before.history.findIndex(({ id }) => id === revertTo);
        const undone = new Set(undoneFrom < 0 ? [] : idsOf(before.history.slice(undoneFrom)));
        const missing = lost.filter(({ id }) => id !== pendingMarkerId(before) && !undone.has(id));
        return [
          ...findingsIn(missing, 'messages are gone'),
          ...findingsIn(moved, 'messages have changed places'),
        ];
      },
    },
  },
} satisfies Partial<Record<LawName, Law>>;

/** Tests if a history only gained messages, none forbidden. */
export function hasOnlyGrown(before: LoopState, after: LoopState): boolean {
  const [older, newer] = [historyOf(before), historyOf(after)];
  if (older.items === newer.items && older.length === newer.length) return true;
  const isGrown = hasGrown(newer, older);
  if (after.policy.trigger.auto) return isGrown || older.length === 0;
  return isGrown && !grownItems(newer, older).some(isAutomatic);
}

function about(state: LoopState, message: string): readonly Finding[] {
  const markerId = pendingMarkerId(state);
  return [{ message, messageIds: markerId === undefined ? [] : [markerId] }];
}

function pendingMarkerId({ phase }: LoopState): string | undefined {
  return phase.state === 'summarising' ? phase.markerId : undefined;
}

function findPending(state: LoopState): number {
  const markerId = pendingMarkerId(state);
  return findNewest(historyOf(state), ({ id }) => id === markerId);
}

function isAutomatic(message: Message | undefined): boolean {
  return message !== undefined && markerOf(message)?.auto === true;
}

function compareHistories(before: List<Message>, after: List<Message>) {
  const { before: oldRest, after: newRest } = partingOf(before, after);
  if (oldRest.length === 0) return { lost: [], added: newRest, moved: [] };
  const [oldIds, newIds] = [new Set(idsOf(oldRest)), new Set(idsOf(newRest))];
  const kept = oldRest.filter(({ id }) => newIds.has(id));
  const found = newRest.filter(({ id }) => oldIds.has(id));
  return {
    lost: oldRest.filter(({ id }) => !newIds.has(id)),
    added: newRest.filter(({ id }) => !oldIds.has(id)),
    moved: kept.filter(({ id }, index) => found[index]?.id !== id),
  };
}

function isCopy(message: Message, request: Message): boolean {
  if (!isRequest(message)) return false;
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return request.parts
    .filter(isAsked)
    .every((part) => part.type !== 'text' || texts.some((text) => text.includes(part.text)));
}
