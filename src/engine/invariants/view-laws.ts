/** Laws about the view that a request shows. */

import {
  endAlike,
  findNewest,
  firstItems,
  type Fold,
  foldOver,
  itemAt,
  type List,
  toArray,
} from '../history.ts';
import { isComplete, isSummary, markerOf, type Message } from '../message.ts';
import { historyOf } from '../state.ts';
import { findingsIn, type Law, NOTHING } from './law.ts';
import type { LawName } from '../policy.ts';

interface Pivots {
  /** Indices of markers, the newest of each id. */
  readonly markers: ReadonlyMap<string, number>;
  /** Effective summaries by the markers that they answer, counted; one may stand before its marker. */
  readonly answers: ReadonlyMap<string, number>;
  /** The newest marker that has a summary; 0 where there is none. */
  readonly newest: number;
  /** The marker of the newest summary that has one, and which summary that is. */
  readonly last: { readonly marker: number; readonly nth: number };
}

const pivots: Fold<Message, Pivots> = {
  start: { markers: new Map(), answers: new Map(), newest: 0, last: { marker: 0, nth: -1 } },
  add: (known, message, { index }) => {
    const isAnswer = isComplete(message);
    if (!isAnswer && markerOf(message) === undefined) return known;
    const id = isAnswer ? message.parentId : message.id;
    const { newest, last } = known;
    const markers = isAnswer ? known.markers : new Map([...known.markers, [id, index]]);
    const answers = isAnswer
      ? new Map([...known.answers, [id, known.answers.size]])
      : known.answers;
    const [marker, nth] = [markers.get(id), answers.get(id)];
    if (marker === undefined || nth === undefined) return { ...known, markers, answers };
    return {
      markers,
      answers,
      newest: Math.max(newest, marker),
      last: nth < last.nth ? last : { marker, nth },
    };
  },
};

/** The laws of this file, by name. */
export const viewLaws = {
  'no-boundary-without-text': {
    says: 'A pivot that hides what came before has text in its place.',
    check: {
      request: ({ state, added, from }) => {
        if (from > 0) return NOTHING;
        const history = historyOf(state);
        const behind = added.slice(keptFirstLength(history, added));
        const [first] = behind;
        if (first === undefined || first === itemAt(history, 0)) return NOTHING;
        // The marker at which a view starts, or the newest one whose tail it starts with.
        const marker =
          markerOf(first) === undefined
            ? behind.findLast((message) => markerOf(message)?.tailStartId === first.id)
            : first;
        const summaries = isSummary(first)
          ? [first]
          : behind.filter((message) => isSummary(message) && message.parentId === marker?.id);
        const hasText = summaries.some(({ parts }) =>
          parts.some((part) => part.type === 'text' && part.text.trim() !== ''),
        );
        return hasText ? [] : findingsIn(summaries, 'a pivot without text hides the history');
      },
    },
  },
  'calls-paired': {
    says: 'Each call in a request is followed by its one result, each result has its call, and no id is used twice.',
    check: {
      request: ({ unpaired }) =>
        unpaired.flatMap(({ message, problems }) =>
          problems.flatMap((problem) => findingsIn([message], problem)),
        ),
    },
  },
  'ordered-by-time': {
    says:
      'A view shows messages in chronological order; only a pivot at its start may precede the older tail ' +
      'that it keeps.',
    check: {
      request: ({ state, view, from, added, repeated }) => {
        // The last messages of the history, under ids that nothing else has, are in order whatever stands before them.
        if (repeated.length === 0 && endAlike(view, historyOf(state), added.length)) return NOTHING;
        const history = historyOf(state);
        const firstLength = from === 0 ? keptFirstLength(history, added) : 0;
        const behind = added.slice(firstLength);
        const pivotEnd = from === 0 ? pivotLength(behind) : 0;
        const last = itemAt(view, from - 1);
        const isBehindPivot =
          last !== undefined && isSummary(last) && endsPivot(firstItems(view, from), history);
        const newest = isBehindPivot ? undefined : last;
        const rest = newest === undefined ? behind.slice(pivotEnd) : [newest, ...added];
        const positions = positionsIn(history, newest === undefined ? added : rest);
        const late = [
          ...lateIn(added.slice(0, firstLength), positions),
          ...lateIn(behind.slice(0, pivotEnd), positions),
          ...lateIn(rest, positions),
        ];
        return findingsIn(late, 'messages stand after newer ones');
      },
    },
  },
  'no-message-twice': {
    says: 'No request holds a message twice.',
    check: { request: ({ repeated }) => findingsIn(repeated, 'messages are shown twice') },
  },
  'nothing-before-the-pivot': {
    says: 'A request holds nothing older than the newest pivot and the tail that it keeps.',
    check: {
      request: ({ state, added, from }) => {
        const history = historyOf(state);
        if (from > 0 || startsAtNewestMarker(history, added)) return NOTHING;
        const { newest, last } = foldOver(history, pivots);
        const start = Math.min(shownFrom(history, newest), shownFrom(history, last.marker));
        if (start === 0) return NOTHING;
        const behind = added.slice(keptFirstLength(history, added));
        const positions = positionsIn(history, behind);
        const old = behind.filter(({ id }) => (positions.get(id) ?? start) < start);
        return findingsIn(old, 'messages before the pivot are shown');
      },
    },
  },
} satisfies Partial<Record<LawName, Law>>;

function endsPivot(first: List<Message>, history: List<Message>): boolean {
  const messages = toArray(first);
  const kept = keptFirstLength(history, messages);
  return kept + pivotLength(messages.slice(kept)) === messages.length;
}

function keptFirstLength(history: List<Message>, view: readonly Message[]): number {
  const marker = view.find((message) => markerOf(message) !== undefined);
  const headEndId = marker && markerOf(marker)?.headEndId;
  if (headEndId === undefined) return 0;
  const end = view.findIndex(({ id }) => id === headEndId) + 1;
  const isFirst = view
    .slice(0, end)
    .every((message, index) => message.id === itemAt(history, index)?.id);
  return isFirst ? end : 0;
}

/** Messages of the pivot at the start of a view; 0 where it starts with none. */
function pivotLength(view: readonly Message[]): number {
  const [first] = view;
  if (first === undefined) return 0;
  if (isSummary(first)) return 1;
  if (markerOf(first) === undefined) return 0;
  return view.findIndex((message) => isSummary(message) && message.parentId === first.id) + 1;
}

function positionsIn(history: List<Message>, messages: readonly Message[]) {
  const wanted = new Set<string>();
  for (const { id } of messages) wanted.add(id);
  const positions = new Map<string, number>();
  findNewest(history, ({ id }, index) => {
    if (wanted.delete(id)) positions.set(id, index);
    return wanted.size === 0;
  });
  return positions;
}

function lateIn(messages: readonly Message[], positions: ReadonlyMap<string, number>) {
  return messages.filter(({ id }, index) => {
    const older = messages[index - 1];
    if (older === undefined) return false;
    return (positions.get(id) ?? Infinity) < (positions.get(older.id) ?? -1);
  });
}

function startsAtNewestMarker(history: List<Message>, view: readonly Message[]): boolean {
  const newestIndex = view.findLastIndex((message) => markerOf(message) !== undefined);
  return newestIndex === 0 && endAlike(history, view, view.length);
}

function shownFrom(history: List<Message>, markerIndex: number): number {
  const marker = itemAt(history, markerIndex);
  const tailStartId = marker === undefined ? undefined : markerOf(marker)?.tailStartId;
  if (!tailStartId) return markerIndex;
  const tailIndex = findNewest(history, ({ id }) => id === tailStartId);
  return Math.max(0, Math.min(tailIndex, markerIndex));
}
