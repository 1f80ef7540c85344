import { mimeIn } from '../reading/data-url.ts';
import type { DraftPart } from '../reading/transcript.ts';
import { type ChatContent, type ChatMessage, contentOf } from './message.ts';

/** What a user or a model wrote, without calls. */
export function toContentParts(message: ChatMessage): readonly DraftPart[] {
  const { reasoning_content: thought = message.reasoning, refusal } = message;
  const reasoning: DraftPart[] = thought ? [{ type: 'reasoning', text: thought }] : [];
  const refusals: DraftPart[] = refusal ? [{ type: 'text', text: refusal }] : [];
  return [...reasoning, ...contentOf(message).flatMap(toPart), ...refusals];
}

/** The texts of a message, one below the other. */
export function textOf(message: ChatMessage): string {
  return contentOf(message)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

function toPart(content: ChatContent): readonly DraftPart[] {
  const { text = content.refusal, image_url: image, input_audio: audio, file } = content;
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  if (image?.url !== undefined) return [toFile(image.url, 'image/*')];
  if (file?.file_data !== undefined) {
    const part = toFile(file.file_data, 'application/octet-stream');
    return [file.filename === undefined ? part : { ...part, filename: file.filename }];
  }
  if (audio?.data === undefined) return [];
  const mime = `audio/${audio.format ?? '*'}`;
  return [toFile(`data:${mime};base64,${audio.data}`, mime)];
}

function toFile(url: string, mime: string) {
  return { type: 'file' as const, mime: mimeIn(url) ?? mime, url };
}
