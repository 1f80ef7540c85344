import * as fc from 'fast-check';
import { type Message, markerOf } from '../../src/engine/index.ts';
import { pivotedHistories, toolHistories } from './arbitraries.ts';
import { user } from './history.ts';

type Histories = fc.Arbitrary<readonly Message[]>;

/** Histories whose markers keep tails that start anywhere before them. */
export function withTails(histories: Histories): Histories {
  const starts = fc.array(fc.nat({ max: 30 }), { minLength: 30, maxLength: 30 });
  return fc
    .tuple(histories, starts)
    .map(([history, places]) =>
      history.map((message, index) => startTail(message, history[places[index]! % (index + 1)]!)),
    );
}

/** Histories with and without pivots, tails and tools. */
export const anyHistories = fc.oneof(
  pivotedHistories,
  withTails(fc.oneof(pivotedHistories, toolHistories)),
  toolHistories,
);

function startTail(message: Message, { id }: Message): Message {
  const marker = markerOf(message);
  return marker === undefined ? message : user(message.id, { ...marker, tailStartId: id });
}
