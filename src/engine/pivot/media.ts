import type { FilePart, Message, Part, TextPart } from '../message.ts';

/** Whether a file is an image or a document that providers weigh by its bytes. */
export function isMedia(part: FilePart): boolean {
  return part.mime.startsWith('image/') || part.mime === 'application/pdf';
}

/** The line that stands for media which is not sent. */
export function mediaNote(part: FilePart): string {
  return `[Attached ${part.mime}: ${part.filename ?? 'file'}]`;
}

/** The messages with media as text, and without the media that tools attached. */
export function stripMedia(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    hasAnyMedia(message.parts) ? { ...message, parts: message.parts.map(withoutMedia) } : message,
  );
}

/** A part with its media as text. */
export function withoutMedia(part: Part): Part {
  if (part.type === 'file' && isMedia(part)) return noteFor(part);
  if (part.type === 'tool' && hasMedia(part) && part.state.status === 'completed') {
    const { attachments: _attachments, ...state } = part.state;
    return { ...part, state };
  }
  return part;
}

/** Parts never change, and runs of one recording share them. */
const withMedia = new WeakMap<readonly Part[], boolean>();

function hasAnyMedia(parts: readonly Part[]): boolean {
  const known = withMedia.get(parts);
  if (known !== undefined) return known;
  const found = parts.some(hasMedia);
  withMedia.set(parts, found);
  return found;
}

function hasMedia(part: Part): boolean {
  if (part.type === 'file') return isMedia(part);
  if (part.type !== 'tool' || part.state.status !== 'completed') return false;
  return (part.state.attachments?.length ?? 0) > 0;
}

function noteFor(part: FilePart): TextPart {
  return { type: 'text', id: part.id, text: mediaNote(part) };
}
