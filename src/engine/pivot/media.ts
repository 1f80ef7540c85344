import { type FilePart, isCompleted, type Message, type Part, type TextPart } from '../message.ts';

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
    message.parts.some(hasMedia) ? { ...message, parts: message.parts.map(withoutMedia) } : message,
  );
}

/** A part with its media as text. */
export function withoutMedia(part: Part): Part {
  if (part.type === 'file' && isMedia(part)) return noteFor(part);
  if (isCompleted(part) && hasMedia(part)) {
    const { attachments: _attachments, ...state } = part.state;
    return { ...part, state };
  }
  return part;
}

/** Whether a part is media, or a tool attached some to it. */
export function hasMedia(part: Part): boolean {
  if (part.type === 'file') return isMedia(part);
  return isCompleted(part) && (part.state.attachments?.length ?? 0) > 0;
}

function noteFor(part: FilePart): TextPart {
  return { type: 'text', id: part.id, text: mediaNote(part) };
}
