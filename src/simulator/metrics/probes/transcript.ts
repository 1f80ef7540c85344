import { type Message, type ModelContent, render } from '../../../engine/index.ts';

const SHOWN = { clearedOutput: '[cleared]', markerQuestion: '', summaryAs: 'assistant' } as const;

/** Messages as a reader sees them: one paragraph a piece, each after who said it. */
export function transcriptOf(messages: readonly Message[]): string {
  return render(messages, SHOWN)
    .flatMap(({ role, content }) => content.map((piece) => paragraphOf(role, piece)))
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function paragraphOf(role: string, content: ModelContent): string {
  switch (content.type) {
    case 'text':
      return content.text.trim() === '' ? '' : `${role}: ${content.text}`;
    case 'reasoning':
      return '';
    case 'file':
      return `${role}: [file ${content.filename ?? ''}]`;
    case 'tool-call':
      return `call: ${content.tool} ${jsonOf(content.input)}`;
    case 'tool-result':
      return `result: ${content.output}`;
  }
}

function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? '';
  } catch {
    return '';
  }
}
