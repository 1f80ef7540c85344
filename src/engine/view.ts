import { arrangeTail } from './view-tail.ts';
import { isSummary, type AssistantMessage, type Message, markerOf } from './message.ts';
import { type Fold, foldOver } from './series/fold.ts';
import { findNewest, firstItems, grow, isSeries, itemAt, itemsFrom } from './series/series.ts';

type History = readonly Message[];

/** What a view rule shows of a history. */
type ViewRule = (history: History) => History;

/** Whether a summary may stand for what precedes its marker. */
type SummaryTest = (summary: AssistantMessage) => boolean;

const isFinished: SummaryTest = (summary) => Boolean(summary.finish);
const isFinishedWithoutError: SummaryTest = (summary) =>
  isFinished(summary) && summary.error === undefined;

/** Everything from the newest summary, finished or not; its marker is hidden. */
const fromNewestSummary: ViewRule = (history) => sliceFrom(history, findNewest(history, isSummary));

/** Everything from the newest marker that an accepted summary answers. */
function fromMarker(isAccepted: SummaryTest): ViewRule {
  return (history) => sliceFrom(history, boundaryIndex(history, isAccepted));
}

/** Everything from the tail of that marker, in order of time; the whole history if the tail is gone. */
function fromTail(isAccepted: SummaryTest): ViewRule {
  return (history) => {
    const markerIndex = boundaryIndex(history, isAccepted);
    return sliceFrom(history, tailIndex(history, markerIndex));
  };
}

/** Messages that a rolling window shows. Source: design document 004. */
const ROLLING_WINDOW_MESSAGES = 50;

const chronologicalWithTail = fromTail(isFinishedWithoutError);

/** View rules by the release from which each holds, then those of documents. Source: OpenCode release history (F1–F6). */
export const viewRules = {
  /** F1: a slice of the stored messages. */
  'v0.8.0': fromNewestSummary,
  /** F2: the same, found while reading backwards. */
  'v1.0.40': fromNewestSummary,
  /** F3; design documents 000 and 002. */
  'v1.0.69': fromMarker(isFinished),
  /** F4; design document 003. */
  'v1.2.16': fromMarker(isFinishedWithoutError),
  /** F5. */
  'v1.14.19': chronologicalWithTail,
  /** F6. */
  'v1.14.40': (history) => arrangeTail(chronologicalWithTail(history)),
  /** The newest complete checkpoint and what came after it. */
  'v2.0': (history) => sliceFrom(history, completeSummaryIndex(history)),
  /** The newest complete summary, then what it kept, then what came after; its marker is hidden. Also document 001. */
  'document-004': summaryFirst,
  /** The newest messages, whatever they are. Design document 004, rolling window. */
  'rolling-window': (history) =>
    itemsFrom(history, Math.max(0, history.length - ROLLING_WINDOW_MESSAGES)),
} satisfies Record<string, ViewRule>;

/** A view with a history that grows; nothing while it is the history itself. */
type ViewFold = Fold<Message, History | undefined>;

const rulesInTime = mapRules(
  (rule): ViewRule =>
    (history) => {
      const view = rule(history);
      return view === history ? history : sortByTime(view, history);
    },
);

/** Where a window slides with every message, no view comes out of the one before. */
const folds: ReadonlyMap<ViewRule, ViewFold> = new Map(
  [viewRules, rulesInTime].flatMap((rules) =>
    Object.entries(rules)
      .filter(([name]) => name !== 'rolling-window')
      .map(([, rule]) => [rule, createViewFold(rule)] as const),
  ),
);

/** The name of a view rule. */
export type ViewRuleName = keyof typeof viewRules;

/** The messages that the model still sees; the history itself while nothing is hidden. */
export function filterCompacted(history: History, rule: ViewRuleName): History {
  return follow(history, viewRules[rule]);
}

/** The same in order of time, wherever the rule puts a tail. */
export function viewInTime(history: History, rule: ViewRuleName): History {
  return follow(history, rulesInTime[rule]);
}

/** The messages of a view in the order of the history. */
export function sortByTime(view: History, history: History): History {
  const shown = new Set(view);
  let unseen = shown.size;
  const start = findNewest(history, (message) => {
    if (shown.has(message)) unseen -= 1;
    return unseen === 0;
  });
  return itemsFrom(history, Math.max(0, start)).filter((message) => shown.has(message));
}

function completeSummaryIndex(history: History): number {
  return findNewest(history, (message) => isSummary(message) && isFinishedWithoutError(message));
}

function summaryFirst(history: History): History {
  const summaryIndex = completeSummaryIndex(history);
  const summary = history[summaryIndex];
  if (summary === undefined) return history;
  const marker = history.find(({ id }) => isSummary(summary) && id === summary.parentId);
  const tailStartId = marker && markerOf(marker)?.tailStartId;
  const tailStart = history.findIndex(({ id }) => id === tailStartId);
  const tail = tailStart < 0 ? [] : history.slice(tailStart, summaryIndex);
  const kept = tail.filter((message) => markerOf(message) === undefined);
  return [summary, ...kept, ...history.slice(summaryIndex + 1)];
}

function boundaryIndex(history: History, isAccepted: SummaryTest): number {
  const answered = new Set<string>();
  for (let index = history.length - 1; index > 0; index -= 1) {
    const message = itemAt(history, index);
    if (message === undefined) continue;
    if (answered.has(message.id) && markerOf(message) !== undefined) return index;
    if (isSummary(message) && isAccepted(message)) answered.add(message.parentId);
  }
  return 0;
}

/** Where the tail of a marker starts: older markers in it count for nothing, a lost start hides nothing. */
function tailIndex(history: History, markerIndex: number): number {
  const marker = itemAt(history, markerIndex);
  const tailStartId = marker === undefined ? undefined : markerOf(marker)?.tailStartId;
  if (!tailStartId) return markerIndex;
  return findNewest(history, ({ id }, index) => index <= markerIndex && id === tailStartId);
}

function sliceFrom(history: History, start: number): History {
  return start <= 0 ? history : itemsFrom(history, start);
}

/** What a rule shows; of a history that grew, by what it showed before. */
function follow(history: History, rule: ViewRule): History {
  const fold = isSeries(history) ? folds.get(rule) : undefined;
  return fold === undefined ? rule(history) : (foldOver(history, fold) ?? history);
}

/** Only a marker or a summary changes what a view shows of older messages. */
function createViewFold(rule: ViewRule): ViewFold {
  return {
    start: undefined,
    add: (view, message, { list, index }) => {
      if (!isSummary(message) && markerOf(message) === undefined) {
        return view === undefined ? undefined : grow(view, message);
      }
      const history = firstItems(list, index + 1);
      const shown = rule(history);
      return shown === history ? undefined : shown;
    },
  };
}

function mapRules(change: (rule: ViewRule) => ViewRule): Readonly<Record<ViewRuleName, ViewRule>> {
  const entries = Object.entries(viewRules).map(([name, rule]) => [name, change(rule)]);
  return Object.fromEntries(entries) as Record<ViewRuleName, ViewRule>;
}
