import { isComplete, type Message, markerOf } from '../message.ts';
import { firstItems, type Fold, foldOver, grow, type List, toArray } from '../history.ts';

type History = List<Message>;

/** The view, or nothing while it is the history itself. */
type ViewFold = Fold<Message, History | undefined>;

const summaryFirst = createFold({ showsMarker: false });
const markerFirst = createFold({ showsMarker: true });

/**
 * The newest complete summary, then what its marker kept of the view before it, then what came after; markers that
 * were worked off are hidden. Source: design document 004, which hides what was summarised and nothing else.
 */
export function showSummaryFirst(history: History): History {
  return foldOver(history, summaryFirst) ?? history;
}

/** The newest complete summary behind its marker and what was put between the two, then as `showSummaryFirst`. Source: Codex, which quotes prompts there. */
export function showMarkerFirst(history: History): History {
  return foldOver(history, markerFirst) ?? history;
}

/** A kept message may have been kept before: each summary goes by the view before it. */
function createFold({ showsMarker }: { readonly showsMarker: boolean }): ViewFold {
  return {
    start: undefined,
    add: (view, message, { list, index }) => {
      if (!isComplete(message)) return view === undefined ? undefined : grow(view, message);
      const before = toArray(view ?? firstItems(list, index));
      const markerIndex = before.findIndex(({ id }) => id === message.parentId);
      if (markerIndex < 0) return [message];
      const marker = before[markerIndex];
      if (!showsMarker) return [message, ...keptOf(before, marker)];
      const older = before.slice(0, markerIndex);
      return [...before.slice(markerIndex), message, ...keptOf(older, marker)];
    },
  };
}

/** What a view showed from the start of a summary's tail on. */
function keptOf(before: readonly Message[], marker: Message | undefined): readonly Message[] {
  const tailStartId = marker && markerOf(marker)?.tailStartId;
  const start = before.findIndex(({ id }) => id === tailStartId);
  return start < 0 ? [] : before.slice(start).filter((message) => markerOf(message) === undefined);
}
