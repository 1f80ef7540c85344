import { type Message, type ModelContent, render } from '../../engine/index.ts';

/** Cleared outputs and markers say nothing of the head itself. */
const SILENT = { clearedOutput: '', markerQuestion: '', summaryAs: 'assistant' } as const;

/** Everything that a head says, text by text: what was written, what tools were given and what they gave. */
export function headTexts(messages: readonly Message[]): readonly string[] {
  return render(messages, SILENT)
    .flatMap(({ content }) => content.flatMap(textsOf))
    .filter((text) => text !== '');
}

/** The keys and values of an input of unknown shape, in order. It needs no stack, however deep the input is. */
export function leavesOf(input: unknown): readonly string[] {
  const leaves: string[] = [];
  const waiting: unknown[] = [input];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'object' && value !== null) {
      const keyed = Object.entries(value).toReversed();
      for (const [key, child] of keyed) waiting.push(child, ...(Array.isArray(value) ? [] : [key]));
    } else if (isLeaf(value)) leaves.push(String(value));
  }
  return leaves;
}

function textsOf(content: ModelContent): readonly string[] {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return [content.text];
    case 'file':
      return [content.filename ?? ''];
    case 'tool-call':
      return [content.tool, ...leavesOf(content.input)];
    case 'tool-result':
      return [content.output];
  }
}

function isLeaf(value: unknown): value is string | number | bigint | boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}
