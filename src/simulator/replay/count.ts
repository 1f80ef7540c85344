import {
  isSent,
  type Message,
  type ModelContent,
  type Part,
  policies,
  renderPart,
  type RenderPolicy,
} from '../../engine/index.ts';
import { sum } from '../lib/collections.ts';

/** Counts the tokens of a text with a model's tokenizer. */
export type CountText = (text: string) => number;

/** Tokens of an image or another attachment that is not text: its text is not recorded. Source: OpenCode 2.0's estimate for images. */
const MEDIA_TOKENS = 1_500;

/** A recording holds whole outputs; how a policy would show cleared ones does not matter here. */
export const RECORDED: RenderPolicy = policies.none.render;

/** Counted tokens of everything that a part puts into a request, before calibration; as recorded by default. */
export function countPart(
  part: Part,
  role: 'user' | 'assistant',
  { count, render = RECORDED }: { readonly count: CountText; readonly render?: RenderPolicy },
): number {
  return sum(renderPart(part, role, render).map((content) => countContent(content, count)));
}

/** Counted tokens of what the model itself wrote in a part: text, reasoning or a call, never a result. */
export function countWritten(part: Part, count: CountText): number {
  if (part.type === 'text' && part.synthetic === true) return 0;
  const contents = renderPart(part, 'assistant', RECORDED);
  const own = contents.filter(({ type }) => type !== 'tool-result');
  return sum(own.map((content) => countContent(content, count)));
}

/** True tokens of what the model itself wrote in some parts, each rounded by itself. */
export function trueWritten(
  parts: readonly Part[],
  { factor, count }: { readonly factor: number; readonly count: CountText },
): number {
  return sum(parts.map((part) => Math.round(factor * countWritten(part, count))));
}

/** Counted tokens of messages that a recorded context grew by, and how many they are. */
export function countAdded(
  messages: readonly Message[],
  count: CountText,
): { readonly countedTokens: number; readonly messages: number } {
  const sent = messages.filter(isSent);
  const tokens = sent.flatMap(({ parts, role }) =>
    parts.map((part) => countPart(part, role, { count })),
  );
  return { countedTokens: sum(tokens), messages: sent.length };
}

/** Counted tokens of one piece of a model message, before calibration. */
export function countContent(content: ModelContent, count: CountText): number {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return count(content.text);
    case 'file':
      return MEDIA_TOKENS;
    case 'tool-call':
      return count(`${content.tool} ${JSON.stringify(content.input) ?? ''}`);
    case 'tool-result':
      return count(content.output) + content.attachments.length * MEDIA_TOKENS;
  }
}

/** Bytes of one piece of a model message, data URLs included. */
export function bytesOfContent(content: ModelContent): number {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return Buffer.byteLength(content.text);
    case 'file':
      return Buffer.byteLength(content.url);
    case 'tool-call':
      return Buffer.byteLength(JSON.stringify(content.input) ?? '');
    case 'tool-result':
      return (
        Buffer.byteLength(content.output) +
        sum(content.attachments.map(({ url }) => Buffer.byteLength(url)))
      );
  }
}
