import type { ViewPolicy, ViewRuleName, WindowSize } from './policy.ts';
import { type AssistantMessage, isComplete, isSummary, markerOf, type Message } from './message.ts';
import { showMarkerFirst, showSummaryFirst } from './view/summary-first.ts';
import { arrangeTail } from './view/tail.ts';
import {
  findNewest,
  firstItems,
  type Fold,
  foldOver,
  grow,
  itemAt,
  itemsFrom,
  type List,
  startsWith,
  toArray,
} from './history.ts';

type History = List<Message>;

/** A rule by which a view shows a history. */
export type ViewRule = (history: readonly Message[], size?: WindowSize) => readonly Message[];

type ListRule = (history: History, size?: WindowSize) => History;

/** Whether a summary may stand for what precedes its marker. */
type SummaryTest = (summary: AssistantMessage) => boolean;

/** A view with a history that grows; nothing while it is the history itself. */
type ViewFold = Fold<Message, History | undefined>;

type RuleTable<Value> = Readonly<Record<ViewRuleName, Value>>;

const isFinished: SummaryTest = (summary) => Boolean(summary.finish);

/** Everything from the newest summary, finished or not; its marker is hidden. */
const fromNewestSummary: ListRule = (history) => sliceFrom(history, findNewest(history, isSummary));

/** Messages that a rolling window shows where a policy does not say how many. Source: design document 004. */
export const ROLLING_WINDOW_MESSAGES = 50;

const chronologicalWithTail = fromTail(isComplete);

/** View rules by the release from which each holds, then those of documents. Source: OpenCode release history (F1–F6). */
const rules = {
  /** F1: a slice of the stored messages. */
  'v0.8.0': fromNewestSummary,
  /** F2: the same, found while reading backwards. */
  'v1.0.40': fromNewestSummary,
  /** F3; design documents 000 and 002. */
  'v1.0.69': fromMarker(isFinished),
  /** F4; design document 003. */
  'v1.2.16': fromMarker(isComplete),
  /** F5. */
  'v1.14.19': chronologicalWithTail,
  /** F6. */
  'v1.14.40': (history) => arrangeTail(chronologicalWithTail(history)),
  /** The newest complete checkpoint and what came after it. */
  'v2.0': (history) => sliceFrom(history, completeSummaryIndex(history)),
  /** The newest complete summary, then what was kept of the view before it, then what came after. Also document 001. */
  'document-004': showSummaryFirst,
  /** The newest complete summary behind its marker and what is quoted there, then as `document-004`. Other agents. */
  'marker-first': showMarkerFirst,
  /** The newest messages, whatever they are. Design document 004, rolling window. */
  'rolling-window': (history, { windowMessages = ROLLING_WINDOW_MESSAGES } = {}) =>
    sliceFrom(history, history.length - windowMessages),
} satisfies Record<ViewRuleName, ListRule>;

/** The view rules, over arrays. */
export const viewRules: RuleTable<ViewRule> = mapRules(
  (rule): ViewRule =>
    (history, size) =>
      toArray(rule(history, size)),
);

const follow = mapRules(createFollower);
const followInTime = mapRules((rule, name) =>
  createFollower((history, size) => {
    const view = rule(history, size);
    return view === history ? history : sortByTime(view, history);
  }, name),
);

/** The messages that the model still sees; the history itself while nothing is hidden. */
export function filterCompacted(
  history: readonly Message[],
  rule: ViewRuleName,
): readonly Message[] {
  return toArray(follow[rule](history));
}

/** The messages that the model still sees under a policy, which may say how many a window holds. */
export function viewUnder(history: History, policy: ViewPolicy): History {
  return follow[policy.view](history, policy);
}

/** The messages that the model still sees under a policy, in order of time wherever the rule puts a tail. */
export function viewInTime(history: History, policy: ViewPolicy): History {
  return followInTime[policy.view](history, policy);
}

/** The messages of a view in the order of the history. */
export function sortByTime(view: History, history: History): History {
  const shown = new Set(toArray(view));
  let unseen = shown.size;
  const start = findNewest(history, (message) => {
    if (shown.has(message)) unseen -= 1;
    return unseen === 0;
  });
  return itemsFrom(history, Math.max(0, start)).filter((message) => shown.has(message));
}

/** Everything from the newest marker that an accepted summary answers. */
function fromMarker(isAccepted: SummaryTest): ListRule {
  return (history) => sliceFrom(history, boundaryIndex(history, isAccepted));
}

/** Everything from the tail of that marker, in order of time; the whole history if the tail is gone. */
function fromTail(isAccepted: SummaryTest): ListRule {
  return (history) => {
    const markerIndex = boundaryIndex(history, isAccepted);
    return sliceFrom(history, tailIndex(history, markerIndex));
  };
}

function completeSummaryIndex(history: History): number {
  return findNewest(history, isComplete);
}

function boundaryIndex(history: History, isAccepted: SummaryTest): number {
  const answered = new Set<string>();
  const index = findNewest(history, (message) => {
    if (markerOf(message) !== undefined && answered.has(message.id)) return true;
    if (isSummary(message) && isAccepted(message)) answered.add(message.parentId);
    return false;
  });
  return Math.max(0, index);
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

/**
 * What a rule shows; of a history that grew, by what it showed before. Where a window slides with every
 * message, no view comes out of the one before.
 */
function createFollower(rule: ListRule, name: ViewRuleName): ListRule {
  if (name === 'rolling-window') return rule;
  const fold = createViewFold(rule);
  // An array has no views before it, and is looked at as a whole.
  return (history) =>
    Array.isArray(history) ? rule(history) : (foldOver(history, fold) ?? history);
}

/** Only a marker or a summary changes what a view shows of older messages. */
function createViewFold(rule: ListRule): ViewFold {
  return {
    start: undefined,
    add: (view, message, { list, index }) => {
      if (!isSummary(message) && markerOf(message) === undefined) {
        return view === undefined ? undefined : grow(view, message);
      }
      const history = index + 1 === list.length ? list : firstItems(list, index + 1);
      const shown = rule(history);
      if (shown === history) return undefined;
      // What was worked out over a view that only grew holds on.
      const isGrown =
        view !== undefined && shown.length === view.length + 1 && startsWith(shown, view);
      return isGrown ? grow(view, message) : shown;
    },
  };
}

function mapRules<Value>(map: (rule: ListRule, name: ViewRuleName) => Value): RuleTable<Value> {
  const names = Object.keys(rules) as ViewRuleName[];
  const entries = names.map((name) => [name, map(rules[name], name)]);
  return Object.fromEntries(entries) as RuleTable<Value>;
}
