import type { AssistantMessage, FilePart, Message, Part } from '../message.ts';
import { shortenOutputs } from '../pivot/shorten.ts';
import { type ModelContent, renderFile } from './part.ts';

/** For whom a view is rendered. Left out, every message is the asked model's own, and results hold their media. */
export interface RenderOptions {
  /** AI SDK package of the provider that is asked. */
  readonly providerPackage?: string;
  /** `provider/model` that is asked. */
  readonly model?: string;
  /** Longest tool output, in characters. */
  readonly toolOutputChars?: number;
}

const MOVED_MEDIA = 'Attached media from tool result:';
/** Providers that take media inside of tool results, and what they do not take. Source: OpenCode 1.18. */
const MEDIA_IN_RESULTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['@ai-sdk/anthropic', []],
  ['@ai-sdk/openai', []],
  ['@ai-sdk/google-vertex/anthropic', []],
  ['@ai-sdk/amazon-bedrock', ['application/pdf']],
]);
/** The one provider that refuses empty texts between blocks that it has signed. */
const STRICT_SIGNER = 'anthropic';

/** The view as the asked model may see it: outputs cut, what another model thought as text, no gap between signed thoughts. */
export function fitView(view: readonly Message[], options: RenderOptions): readonly Message[] {
  const { toolOutputChars } = options;
  const short = toolOutputChars === undefined ? view : shortenOutputs(view, toolOutputChars);
  return short.map((message) => (message.role === 'user' ? message : fitStep(message, options)));
}

/** Results without the media that the provider does not take in them, and that media as a user's content. */
export function moveMedia(
  results: readonly ModelContent[],
  { providerPackage }: RenderOptions,
): { readonly results: readonly ModelContent[]; readonly moved: readonly ModelContent[] } {
  if (providerPackage === undefined) return { results, moved: [] };
  const refused = MEDIA_IN_RESULTS.get(providerPackage);
  const isTaken = ({ mime }: FilePart) => refused !== undefined && !refused.includes(mime);
  const files = results
    .flatMap((result) => (result.type === 'tool-result' ? result.attachments : []))
    .filter((file) => !isTaken(file));
  if (files.length === 0) return { results, moved: [] };
  return {
    results: results.map((result) =>
      result.type === 'tool-result'
        ? { ...result, attachments: result.attachments.filter(isTaken) }
        : result,
    ),
    moved: [{ type: 'text', text: MOVED_MEDIA }, ...files.map(renderFile)],
  };
}

function fitStep(message: AssistantMessage, { model }: RenderOptions): AssistantMessage {
  const isForeign = model !== undefined && message.model !== undefined && message.model !== model;
  if (isForeign) return { ...message, parts: message.parts.map(toPlainText) };
  return message.parts.some(isStrictlySigned)
    ? { ...message, parts: message.parts.map(fillText) }
    : message;
}

function toPlainText(part: Part): Part {
  return part.type === 'reasoning' ? { type: 'text', id: part.id, text: part.text } : part;
}

function isStrictlySigned(part: Part): boolean {
  return part.type === 'reasoning' && part.signedBy === STRICT_SIGNER;
}

function fillText(part: Part): Part {
  return part.type === 'text' && part.text === '' ? { ...part, text: ' ' } : part;
}
