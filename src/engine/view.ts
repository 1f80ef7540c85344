import {
  commonLength,
  findNewest,
  firstItems,
  type Fold,
  foldOver,
  grow,
  itemAt,
  itemsFrom,
  type List,
  toArray,
} from './history.ts';
import { type AssistantMessage, isComplete, isSummary, markerOf, type Message } from './message.ts';

type History = List<Message>;

/** The name of a view rule. */
export type ViewRuleName = keyof typeof rules;

/** The view of a policy. */
export interface ViewPolicy extends WindowSize {
  readonly view: ViewRuleName;
}

interface WindowSize {
  /** How many messages a rolling window shows; 50 where absent. */
  readonly windowMessages?: number;
}

/** A rule by which a view shows a history. */
export type ViewRule = (history: readonly Message[], size?: WindowSize) => readonly Message[];

type ListRule = (history: History, size?: WindowSize) => History;
type SummaryTest = (summary: AssistantMessage) => boolean;
type ViewFold = Fold<Message, History | undefined>;
type RuleTable<Value> = Readonly<Record<ViewRuleName, Value>>;

const isFinished: SummaryTest = (summary) => Boolean(summary.finish);
const tailStartOf = (message: Message) => markerOf(message)?.tailStartId;
const fromNewestSummary: ListRule = (history) => sliceFrom(history, findNewest(history, isSummary));

/** Messages that a rolling window shows where a policy does not say how many. Source: design document 004. */
export const ROLLING_WINDOW_MESSAGES = 50;

const chronologicalWithTail: ListRule = (history) =>
  sliceFrom(history, tailIndex(history, boundaryIndex(history, isComplete)));
const summaryFirst = createFold({ showsMarker: false });
const markerFirst = createFold({ showsMarker: true });

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
  'v2.0': (history) => sliceFrom(history, findNewest(history, isComplete)),
  /** The newest complete summary, then what was kept of the view before it, then what came after. Also document 001. */
  'document-004': (history) => foldOver(history, summaryFirst) ?? history,
  /** The newest complete summary behind its marker and what is quoted there, then as `document-004`. Other agents. */
  'marker-first': (history) => foldOver(history, markerFirst) ?? history,
  /** The newest messages, whatever they are. Design document 004, rolling window. */
  'rolling-window': (history, { windowMessages = ROLLING_WINDOW_MESSAGES } = {}) =>
    sliceFrom(history, history.length - windowMessages),
} satisfies Record<string, ListRule>;

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

/** The messages that the model still sees under a policy. */
export function viewUnder(history: History, policy: ViewPolicy): History {
  return follow[policy.view](history, policy);
}

/** The messages that the model still sees, in order of time. */
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

function sliceFrom(history: History, start: number): History {
  return start <= 0 ? history : itemsFrom(history, start);
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

function tailIndex(history: History, markerIndex: number): number {
  const marker = itemAt(history, markerIndex);
  const tailStartId = marker === undefined ? undefined : markerOf(marker)?.tailStartId;
  if (!tailStartId) return markerIndex;
  return findNewest(history, ({ id }, index) => index <= markerIndex && id === tailStartId);
}

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
      const first = firstOf(older, marker);
      return [...first, ...before.slice(markerIndex), message, ...keptOf(older, marker)];
    },
  };
}

function firstOf(before: readonly Message[], marker: Message | undefined): readonly Message[] {
  const headEndId = marker && markerOf(marker)?.headEndId;
  if (headEndId === undefined) return [];
  const end = before.findIndex(({ id }) => id === headEndId);
  return before
    .slice(0, end + 1)
    .filter((message) => markerOf(message) === undefined && !isSummary(message));
}

function keptOf(before: readonly Message[], marker: Message | undefined): readonly Message[] {
  const tailStartId = marker && markerOf(marker)?.tailStartId;
  const start = before.findIndex(({ id }) => id === tailStartId);
  return start < 0 ? [] : before.slice(start).filter((message) => markerOf(message) === undefined);
}

function fromMarker(isAccepted: SummaryTest): ListRule {
  return (history) => sliceFrom(history, boundaryIndex(history, isAccepted));
}

/** Moves the newest marker and summary before their tail, also of a failed attempt. Source: OpenCode issue 42282. */
function arrangeTail(list: List<Message>): List<Message> {
  const view = toArray(list);
  const markerIndex = view.findLastIndex((message) => tailStartOf(message) !== undefined);
  const marker = view[markerIndex];
  if (marker === undefined) return list;
  const tailIndex = view.findIndex(({ id }) => id === tailStartOf(marker));
  const summaryIndex = view.findIndex(
    (message, index) => index > markerIndex && isSummary(message) && message.parentId === marker.id,
  );
  if (tailIndex < 0 || tailIndex >= markerIndex || summaryIndex < 0) return list;
  return [
    ...view.slice(markerIndex, summaryIndex + 1),
    ...view.slice(tailIndex, markerIndex),
    ...view.slice(summaryIndex + 1),
  ];
}

function mapRules<Value>(map: (rule: ListRule, name: ViewRuleName) => Value): RuleTable<Value> {
  const names = Object.keys(rules) as ViewRuleName[];
  const entries = names.map((name) => [name, map(rules[name], name)]);
  return Object.fromEntries(entries) as RuleTable<Value>;
}

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
      if (!isSummary(message) && markerOf(message) === undefined)
        return view === undefined ? undefined : grow(view, message);
      const history = index + 1 === list.length ? list : firstItems(list, index + 1);
      const shown = rule(history);
      if (shown === history) return undefined;
      // Results over a view that only grew still hold.
      const isGrown =
        view !== undefined &&
        shown.length === view.length + 1 &&
        commonLength(shown, view) === view.length;
      return isGrown ? grow(view, message) : shown;
    },
  };
}
