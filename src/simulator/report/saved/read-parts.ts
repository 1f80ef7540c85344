import {
  checkpointText,
  isCheckpoint,
  isCleared,
  isSent,
  isSummary,
  markerOf,
  type Message,
  type ModelContent,
  type Part,
  type RenderPolicy,
  renderPart,
} from '../../../engine/index.ts';
import { countPart } from '../../replay/count.ts';
import type { Trace } from '../../replay/trace.ts';
import type { PartKind } from './run-view.ts';

/** A part as a request shows it. */
export interface ShownPart {
  /** The same wherever the part is shown, in whatever form. */
  readonly key: string;
  readonly kind: string;
  /** True tokens. */
  readonly tokens: number;
  /** Whether what a tool gave has been cleared. */
  readonly isCleared: boolean;
  /** What it says to the model. */
  readonly text: () => string;
}

/** What a message shows of itself, part by part. */
export type ReadParts = (message: Message, standing: Standing) => readonly ShownPart[];

/** Whether a message stands in the session, or is the policy's own. */
export interface Standing {
  readonly isOwn: boolean;
}

const KINDS: Readonly<Record<Exclude<Part['type'], 'tool'>, PartKind>> = {
  text: 'answer',
  reasoning: 'reasoning',
  file: 'file',
  'step-start': 'note',
  'step-finish': 'note',
  compaction: 'summary question',
  subtask: 'note',
};

/** A reader of the messages of one run. */
export function createPartReader(
  { basis, count }: Pick<Trace, 'basis' | 'count'>,
  render: RenderPolicy,
): ReadParts {
  const toTrue = (counted: number) => Math.round(basis.factor * counted);
  return (message, standing) => {
    if (isCheckpoint(message, render)) {
      const text = checkpointText(message, render);
      const key = keyOf(message, '');
      return [
        { key, kind: 'summary', tokens: toTrue(count(text)), isCleared: false, text: () => text },
      ];
    }
    if (!isSent(message)) return [];
    return message.parts.flatMap((part) => {
      const contents = renderPart(part, message.role, render);
      if (contents.length === 0) return [];
      const shown: ShownPart = {
        key: keyOf(message, part.id),
        kind: kindOf(part, message, standing),
        tokens: toTrue(countPart(part, message.role, { render, count })),
        isCleared: isCleared(part),
        text: () => contents.map(textOf).join('\n'),
      };
      return [shown];
    });
  };
}

function keyOf({ id }: Message, partId: string): string {
  return JSON.stringify([id, partId]);
}

function kindOf(part: Part, message: Message, { isOwn }: Standing): string {
  if (part.type === 'tool') return `tool ${part.tool}`;
  if (isSummary(message)) return 'summary' satisfies PartKind;
  if (markerOf(message) !== undefined) return 'summary question' satisfies PartKind;
  if (isOwn) return 'resumption' satisfies PartKind;
  if (part.type !== 'text') return KINDS[part.type];
  if (part.synthetic === true) return 'note' satisfies PartKind;
  return (message.role === 'user' ? 'request' : 'answer') satisfies PartKind;
}

function textOf(content: ModelContent): string {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return content.text;
    case 'file':
      return `[${content.mime}${content.filename === undefined ? '' : ` ${content.filename}`}]`;
    case 'tool-call':
      return `${content.tool} ${JSON.stringify(content.input) ?? ''}`;
    case 'tool-result':
      return [content.output, ...content.attachments.map(({ mime }) => `[${mime}]`)].join('\n');
  }
}
