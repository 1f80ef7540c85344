import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { list, maybeText } from '../reading/lenient.ts';
import type { DraftPart } from '../reading/transcript.ts';
import { type AtifStep, isImage, toText } from './record.ts';

const imageSchema = z.object({ source: z.object({ media_type: maybeText, path: z.string() }) });

/** What a step says: its reasoning, its text and its pictures. */
export function toStepParts({ message, reasoning_content: thought = '' }: AtifStep): DraftPart[] {
  const text = toText(message);
  const parts: DraftPart[] = [];
  if (thought !== '') parts.push({ type: 'reasoning', text: thought });
  if (text !== '') parts.push({ type: 'text', text });
  return [...parts, ...filesIn(message)];
}

/** The pictures in a content. */
export function filesIn(content: unknown): readonly FilePart[] {
  const images = list.parse(content).filter(isImage);
  return images.flatMap((image) => {
    const source = imageSchema.safeParse(image).data?.source;
    if (source === undefined) return [];
    return [{ type: 'file', id: '', mime: source.media_type ?? 'image/*', url: source.path }];
  });
}
