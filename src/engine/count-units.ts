/** Messages and events: what some policies count in the place of tokens. */

import { type Fold, foldOver, type List } from './history.ts';
import { markerOf, type Message } from './message.ts';

/** Messages, with each result as one of its own; or events: each call, each result, each text alone, and the system prompt. */
export type CountUnit = 'messages' | 'events';

const unitsOf: Readonly<Record<CountUnit, (message: Message) => number>> = {
  messages: (message) => 1 + callsIn(message),
  events: (message) => Math.max(1, 2 * callsIn(message)),
};

const UNITS_BEFORE: Readonly<Record<CountUnit, number>> = { messages: 0, events: 1 };

const totals: Readonly<Record<CountUnit, Fold<Message, number>>> = {
  messages: totalOf('messages'),
  events: totalOf('events'),
};

/** Units of a message; a marker, which no model is shown, has none. */
export function countMessage(message: Message, unit: CountUnit): number {
  return markerOf(message) === undefined ? unitsOf[unit](message) : 0;
}

/** Units of a view, with what stands before its first message. */
export function countView(view: List<Message>, unit: CountUnit): number {
  return foldOver(view, totals[unit]);
}

/** Units that stand in front of the first message of a view. */
export function unitsBefore(unit: CountUnit): number {
  return UNITS_BEFORE[unit];
}

function totalOf(unit: CountUnit): Fold<Message, number> {
  return {
    start: UNITS_BEFORE[unit],
    add: (total, message) => total + countMessage(message, unit),
  };
}

function callsIn({ parts }: Message): number {
  return parts.filter(({ type }) => type === 'tool').length;
}
