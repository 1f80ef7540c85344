import { z } from 'zod';
import { list, maybeNumber, maybeText } from '../reading/lenient.ts';
import type { RecordedCompaction } from '../session.ts';
import type { HandsEvent } from './event.ts';

/** Where the messages of the events before began, by event id and in order. */
export type EventPlaces = ReadonlyMap<number, number>;

const argsSchema = z.object({
  forgotten_event_ids: list,
  forgotten_events_start_id: maybeNumber,
  forgotten_events_end_id: maybeNumber,
  summary: maybeText,
});

/** A condensation: events are forgotten, and a summary may stand in their place. */
export function toCompaction(
  { args }: HandsEvent,
  places: EventPlaces,
  messageIndex: number,
): RecordedCompaction {
  const { summary, ...forgotten } = argsSchema.parse(args);
  const firstKept = firstKeptPlace(lastForgottenId(forgotten), places);
  return {
    kind: 'full',
    trigger: 'auto',
    messageIndex,
    ...(summary !== undefined && { summary }),
    ...(firstKept !== undefined && { firstKeptMessageIndex: firstKept }),
  };
}

function lastForgottenId({
  forgotten_event_ids: ids,
  forgotten_events_end_id: endId,
}: Omit<z.infer<typeof argsSchema>, 'summary'>): number | undefined {
  const numbers = ids.filter((id) => typeof id === 'number');
  return endId ?? numbers.reduce<number | undefined>((a, b) => Math.max(a ?? b, b), undefined);
}

function firstKeptPlace(lastId: number | undefined, places: EventPlaces): number | undefined {
  if (lastId === undefined) return undefined;
  return [...places].find(([id]) => id > lastId)?.[1];
}
