import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/nesting.ts';
import { mimeIn } from '../reading/data-url.ts';
import { list, toText } from '../reading/lenient.ts';

/** What a tool gave, as the model was sent it. */
export interface SdkOutput {
  readonly output: string;
  readonly isError: boolean;
  readonly attachments: readonly FilePart[];
}

/** The output in a message that was sent: a value with its kind. */
export function toSentOutput(recorded: unknown): SdkOutput {
  if (!isObject(recorded) || typeof recorded['type'] !== 'string') return toPlainOutput(recorded);
  const { type, value, reason } = recorded;
  if (type === 'execution-denied') return { ...toPlainOutput(reason), isError: true };
  if (type === 'content') return toPiecedOutput(value);
  return { ...toPlainOutput(value), isError: type === 'error-text' || type === 'error-json' };
}

/** An output that is a text already, or is sent as JSON. */
export function toPlainOutput(value: unknown): SdkOutput {
  return { output: toSentText(value), isError: false, attachments: [] };
}

/** A file from an address, a data address or base64. */
export function toFile(source: unknown, mime: string | undefined, name?: string): FilePart {
  const text = typeof source === 'string' ? source : '';
  const isAddress = /^[a-z]+:/i.test(text);
  const known = mime ?? mimeIn(text) ?? 'application/octet-stream';
  const url = isAddress ? text : `data:${known};base64,${text}`;
  return { type: 'file', id: '', mime: known, url, ...(name !== undefined && { filename: name }) };
}

function toPiecedOutput(value: unknown): SdkOutput {
  const pieces = list.parse(value).filter(isObject);
  const texts = pieces.flatMap(({ text }) => (typeof text === 'string' ? text : []));
  const files = pieces.filter((piece) => 'data' in piece || 'url' in piece);
  const attachments = files.map(({ data, url, mediaType, filename }) =>
    toFile(data ?? url, toText(mediaType), toText(filename)),
  );
  return { output: texts.join('\n'), isError: false, attachments };
}

function toSentText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : toJsonText(value);
}
