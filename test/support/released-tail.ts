import { jsonEstimator } from '../../src/engine/estimate.ts';
import { markerOf, type Message, type Policy } from '../../src/engine/index.ts';

/** How a release chooses the tail: its turns, and whether one may be divided. */
export interface ReleasedTail {
  readonly turns: number;
  readonly splits: boolean;
}

/** The index at which the tail of some messages starts; 0 where there is none. Source: OpenCode release history, section 5. */
export function tailStart(
  messages: readonly Message[],
  { turns, splits }: ReleasedTail,
  { policy, budget }: { readonly policy: Policy; readonly budget: number },
): number {
  const estimate = jsonEstimator(policy);
  const sizeOf = (start: number, end: number) => estimate(messages.slice(start, end));
  const starts = messages.flatMap((message, index) => (isPrompt(message) ? [index] : []));
  let [keep, end, left] = [0, messages.length, budget];
  for (const start of starts.toReversed().slice(0, turns)) {
    const tokens = sizeOf(start, end);
    if (tokens > left) return splits && left > 0 ? (divide(start, end, left) ?? keep) : keep;
    [keep, end, left] = [start, start, left - tokens];
  }
  return keep;

  function divide(start: number, until: number, room: number): number | undefined {
    const inside = Array.from({ length: until - start - 1 }, (_, index) => start + 1 + index);
    return inside.find((from) => sizeOf(from, until) <= room);
  }
}

function isPrompt(message: Message): boolean {
  return message.role === 'user' && markerOf(message) === undefined;
}
