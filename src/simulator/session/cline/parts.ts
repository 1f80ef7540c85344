import type { FilePart } from '../../../engine/index.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';
import { blocksOf, type ClineBlock } from './message.ts';

/** How a notice begins that stands in a prompt for what was compacted behind it. */
const NOTICE_START = '<SYSTEM_NOTICE>';

/** What a user or a model wrote or attached, without calls and results. */
export function toContentParts(blocks: readonly ClineBlock[], tally: Tally): DraftPart[] {
  return blocks.flatMap((block) => toPart(block, tally));
}

/** Pictures in the content of a result. */
export function filesIn(content: unknown): readonly FilePart[] {
  if (typeof content === 'string') return [];
  return blocksOf(content).flatMap((block) => (block.type === 'image' ? [toImage(block)] : []));
}

function toPart(block: ClineBlock, tally: Tally): readonly DraftPart[] {
  const { type, text = '', thinking = '', path = '', content } = block;
  if (type === 'text') return text === '' ? [] : [toText(text)];
  if (type === 'thinking') return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  if (type === 'image') return [toImage(block)];
  if (type === 'file' && typeof content === 'string') {
    return [{ type: 'text', text: `${path}\n${content}`, synthetic: true }];
  }
  if (type !== 'redacted_thinking') tally.drop('unknown content block');
  return [];
}

function toText(text: string): DraftPart {
  const isNotice = text.startsWith(NOTICE_START);
  return { type: 'text', text, ...(isNotice && { synthetic: true }) };
}

function toImage({ source, data = source?.data ?? '', mediaType }: ClineBlock): FilePart {
  const mime = mediaType ?? source?.media_type ?? 'image/png';
  return { type: 'file', id: '', mime, url: source?.url ?? `data:${mime};base64,${data}` };
}
