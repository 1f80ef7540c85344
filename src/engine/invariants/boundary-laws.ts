import { isSummary, type Message, markerOf } from '../message.ts';
import { type Finding, findingsIn, idsOf } from './finding.ts';
import type { ViewFacts } from './law.ts';
import { isEffective } from './pivot-laws.ts';

/** Messages before the newest pivot and the tail that it keeps. A lost tail is not looked for. */
export function findOldMessages({ state, view, from }: ViewFacts): readonly Finding[] {
  if (from > 0) return [];
  const shown = new Set(idsOf(view));
  const old = state.history.slice(0, pivotStart(state.history)).filter(({ id }) => shown.has(id));
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

/** Index of the first message that the newest pivot may show; 0 where there is none, or its tail is lost. */
function pivotStart(history: readonly Message[]): number {
  const answered = new Set(
    history.flatMap((message) => (isEffective(message) ? [message.parentId] : [])),
  );
  const markerIndex = history.findLastIndex(
    (message) => answered.has(message.id) && markerOf(message) !== undefined,
  );
  const marker = history[markerIndex];
  const tailStartId = marker === undefined ? undefined : markerOf(marker)?.tailStartId;
  const tailIndex = history.findIndex(({ id }) => id === tailStartId);
  return Math.max(0, tailStartId ? Math.min(tailIndex, markerIndex) : markerIndex);
}

/** The marker at which a view starts, or the newest one whose tail it starts with. */
function boundaryMarker(view: readonly Message[]): Message | undefined {
  const first = view[0];
  if (first === undefined || markerOf(first) !== undefined) return first;
  return view.findLast((message) => markerOf(message)?.tailStartId === first.id);
}

function summariesOf(view: readonly Message[], marker: Message | undefined): readonly Message[] {
  if (marker === undefined) return [];
  return view.filter((message) => isSummary(message) && message.parentId === marker.id);
}

function hasText(message: Message): boolean {
  return message.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
}
