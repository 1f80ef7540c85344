import type { Message, Part } from '../../../engine/index.ts';

/** All that a model still sees of a session: summary, tail and outputs that were not cleared, one text a line. */
export function viewText(view: readonly Message[]): string {
  return view.flatMap(({ parts }) => parts.flatMap(partTexts)).join('\n');
}

/** What a part says; nothing where it is not sent. */
export function partTexts(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  if (part.type === 'reasoning') return [part.text];
  if (part.type === 'subtask') return [part.prompt];
  if (part.type !== 'tool') return [];
  const { state } = part;
  const input = stringsOf(state.input);
  if (state.status === 'error') return [...input, state.error, state.partialOutput ?? ''];
  if (state.status !== 'completed' || state.compactedAt !== undefined) return input;
  return [...input, state.output];
}

/** Every text and number in a value, however deep. */
function stringsOf(value: unknown): readonly string[] {
  const found: string[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'number') found.push(String(next));
    else if (typeof next === 'object' && next !== null)
      waiting.push(...Object.values(next).toReversed());
  }
  return found;
}
