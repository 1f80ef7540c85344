import { type AssistantMessage, isComplete, type Message, markerOf } from './message.ts';
import { type Fold, foldOver } from './series/fold.ts';
import { firstItems, grow } from './series/series.ts';

type History = readonly Message[];

/** The view, or nothing while it is the history itself. A kept message may have been kept before: each summary goes by the view before it. */
const summaryFirst: Fold<Message, History | undefined> = {
  start: undefined,
  add: (view, message, { list, index }) => {
    if (!isComplete(message)) return view === undefined ? undefined : grow(view, message);
    return [message, ...keptOf(view ?? firstItems(list, index), message)];
  },
};

/**
 * The newest complete summary, then what its marker kept of the view before it, then what came after; markers that
 * were worked off are hidden. Source: design document 004, which hides what was summarised and nothing else.
 */
export function showSummaryFirst(history: History): History {
  return foldOver(history, summaryFirst) ?? history;
}

/** What a view showed from the start of a summary's tail on. */
function keptOf(before: History, { parentId }: AssistantMessage): History {
  const marker = before.find(({ id }) => id === parentId);
  const tailStartId = marker && markerOf(marker)?.tailStartId;
  const start = before.findIndex(({ id }) => id === tailStartId);
  return start < 0 ? [] : before.slice(start).filter((message) => markerOf(message) === undefined);
}
