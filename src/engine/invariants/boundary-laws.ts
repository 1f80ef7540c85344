import { isSummary, type Message, markerOf } from '../message.ts';
import { type Finding, findingsIn, idsOf } from './finding.ts';
import type { ViewFacts } from './law.ts';
import { isEffective } from './pivot-laws.ts';

/** Messages before the newest pivot and the tail that it keeps. A lost tail is not looked for. */
export function findOldMessages({ state, view, from }: ViewFacts): readonly Finding[] {
  if (from > 0) return [];
  const hidden = new Set(idsOf(state.history.slice(0, pivotStart(state.history))));
  const old = view.filter(({ id }) => hidden.has(id));
  return findingsIn(old, 'messages before the pivot are shown');
}

/** A pivot that hides what precedes it and says nothing in its place. */
export function findEmptyBoundary({ state, view, from }: ViewFacts): readonly Finding[] {
  const first = view[0];
  if (from > 0 || first === undefined || first === state.history[0]) return [];
  const summaries = isSummary(first) ? [first] : summariesOf(view, boundaryMarker(view));
  return summaries.some(hasText)
    ? []
    : findingsIn(summaries, 'a pivot without text hides the history');
}

/**
 * Index of the first message that the newest effective pivot may show; 0 where there is none. Rules take
 * the newest marker or the newest summary: where these are not of one pivot, what either shows may be shown.
 */
function pivotStart(history: readonly Message[]): number {
  const summaries = history.filter(isEffective);
  const answered = history.flatMap((message, index) => {
    const byIndex = summaries.findLastIndex((summary) => isSummaryOf(summary, message.id));
    return byIndex < 0 || markerOf(message) === undefined ? [] : [{ index, byIndex }];
  });
  const newestMarker = answered.at(-1);
  const newestSummary = answered.toSorted((one, other) => one.byIndex - other.byIndex).at(-1);
  const starts = [newestMarker, newestSummary].map((pivot) => shownFrom(history, pivot?.index));
  return Math.min(...starts);
}

/** Where what the pivot of a marker shows begins. */
function shownFrom(history: readonly Message[], markerIndex = 0): number {
  const marker = history[markerIndex];
  const tailStartId = marker === undefined ? undefined : markerOf(marker)?.tailStartId;
  if (!tailStartId) return markerIndex;
  const tailIndex = history.findIndex(({ id }) => id === tailStartId);
  return Math.max(0, Math.min(tailIndex, markerIndex));
}

function isSummaryOf(message: Message | undefined, markerId: string): boolean {
  return message !== undefined && isSummary(message) && message.parentId === markerId;
}

/** The marker at which a view starts, or the newest one whose tail it starts with. */
function boundaryMarker(view: readonly Message[]): Message | undefined {
  const first = view[0];
  if (first === undefined || markerOf(first) !== undefined) return first;
  return view.findLast((message) => markerOf(message)?.tailStartId === first.id);
}

function summariesOf(view: readonly Message[], marker: Message | undefined): readonly Message[] {
  return marker === undefined ? [] : view.filter((message) => isSummaryOf(message, marker.id));
}

function hasText(message: Message): boolean {
  return message.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
}
