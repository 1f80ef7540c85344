import type { Message, Part, ToolState } from '../../../engine/index.ts';
import { leavesOf } from '../../summarizer/head-text.ts';

/** All that a model still sees of a session: summary, tail and outputs that were not cleared, one text a line. */
export function viewText(view: readonly Message[]): string {
  return view.flatMap(({ parts }) => parts.flatMap(partTexts)).join('\n');
}

/** All that a text may be made from: what the messages say, with the names of tools, of what they were given, and of files. */
export function sourceText(messages: readonly Message[]): string {
  return messages.flatMap(({ parts }) => parts.flatMap(sourceTexts)).join('\n');
}

/** What a part says; nothing where it is not sent. */
export function partTexts(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  if (part.type === 'reasoning') return [part.text];
  if (part.type === 'subtask') return [part.prompt];
  if (part.type !== 'tool') return [];
  return [...stringsOf(part.state.input), ...resultTexts(part.state)];
}

function sourceTexts(part: Part): readonly string[] {
  if (part.type === 'file') return [part.filename ?? ''];
  if (part.type !== 'tool') return partTexts(part);
  return [part.tool, ...leavesOf(part.state.input), ...resultTexts(part.state)];
}

function resultTexts(state: ToolState): readonly string[] {
  if (state.status === 'error') return [state.error, state.partialOutput ?? ''];
  return state.status === 'completed' && state.compactedAt === undefined ? [state.output] : [];
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
