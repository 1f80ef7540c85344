import { arrangeTail } from './view-tail.ts';
import { isSummary, type AssistantMessage, type Message, markerOf } from './message.ts';

type History = readonly Message[];

/** What a view rule shows of a history. */
type ViewRule = (history: History) => History;

/** Whether a summary may stand for what precedes its marker. */
type SummaryTest = (summary: AssistantMessage) => boolean;

const isFinished: SummaryTest = (summary) => Boolean(summary.finish);
const isFinishedWithoutError: SummaryTest = (summary) =>
  isFinished(summary) && summary.error === undefined;

/** Everything from the newest summary, finished or not; its marker is hidden. */
const fromNewestSummary: ViewRule = (history) =>
  sliceFrom(history, history.findLastIndex(isSummary));

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
  'rolling-window': (history) => history.slice(-ROLLING_WINDOW_MESSAGES),
} satisfies Record<string, ViewRule>;

/** The name of a view rule. */
export type ViewRuleName = keyof typeof viewRules;

/** The messages that the model still sees; the history itself while nothing is hidden. */
export function filterCompacted(history: History, rule: ViewRuleName): History {
  return viewRules[rule](history);
}

function completeSummaryIndex(history: History): number {
  return history.findLastIndex((message) => isSummary(message) && isFinishedWithoutError(message));
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
    const message = history[index];
    if (message === undefined) continue;
    if (answered.has(message.id) && markerOf(message) !== undefined) return index;
    if (isSummary(message) && isAccepted(message)) answered.add(message.parentId);
  }
  return 0;
}

/** Where the tail of a marker starts: older markers in it count for nothing, a lost start hides nothing. */
function tailIndex(history: History, markerIndex: number): number {
  const marker = history[markerIndex];
  const tailStartId = marker === undefined ? undefined : markerOf(marker)?.tailStartId;
  if (!tailStartId) return markerIndex;
  return history.slice(0, markerIndex + 1).findLastIndex(({ id }) => id === tailStartId);
}

function sliceFrom(history: History, start: number): History {
  return start <= 0 ? history : history.slice(start);
}
