import type { Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';
import type { SdkMessage, SdkPart } from './message.ts';
import { toFile } from './output.ts';

/** Pieces that no model is sent, or that are read elsewhere. */
const SILENT_TYPES = new Set<string | undefined>([
  'redacted-reasoning',
  'source',
  'source-document',
  'source-url',
  'step-start',
  'tool-approval-request',
  'tool-approval-response',
]);
const DATA_PREFIX = 'data-';

/** What a user or a model wrote or attached in one piece. */
export function toContentPart(part: SdkPart, tally: Tally): readonly DraftPart[] {
  const { type = '', mediaType = part.mimeType, url, data = url, filename } = part;
  const text = part.text ?? part.reasoning ?? '';
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  if (type === 'reasoning') return text === '' ? [] : [{ type: 'reasoning', text }];
  if (type === 'file') return [toFile(data, mediaType, filename)];
  if (type === 'image') return [toFile(part.image, mediaType ?? 'image/*', filename)];
  if (!SILENT_TYPES.has(type) && !type.startsWith(DATA_PREFIX)) tally.drop('unknown content part');
  return [];
}

/** Files that older messages hold beside their text. */
export function toAttachments({ experimental_attachments: files }: SdkMessage): DraftPart[] {
  return files.map(({ name, contentType, url }) => toFile(url, contentType, name));
}
