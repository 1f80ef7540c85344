import type { ToolState } from '../../../engine/index.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftMessage, DraftPart } from '../reading/transcript.ts';

/** What somebody said, was given or gave back, and how its loss is told. */
interface Content {
  readonly value: unknown;
  readonly loss: string;
}

/** What `opencode export --sanitize` writes in place of texts. */
const REDACTED = /^\[redacted:/;
/** Arguments of tools are not nested deeper. */
const MAX_DEPTH = 8;

/**
 * Counts what the recorder redacted: how long it was is gone. Where no text and no output is left, nothing of the
 * session but its usage says how large it was.
 */
export function countRedacted(drafts: readonly DraftMessage[], tally: Tally): void {
  const contents = drafts.flatMap(({ parts }) => parts.flatMap(contentsOf));
  const redacted = contents.filter(({ value }) => isRedacted(value));
  for (const { loss } of redacted) tally.repair(loss);
  const isTextLeft = contents.some(({ value }) => isText(value) && !isRedacted(value));
  if (redacted.length > 0 && !isTextLeft) {
    tally.repair('session redacted to its usage by the recorder');
  }
}

function contentsOf(part: DraftPart): readonly Content[] {
  if (part.type === 'text' || part.type === 'reasoning') {
    return [{ value: part.text, loss: 'text redacted by the recorder' }];
  }
  if (part.type !== 'tool') return [];
  const input = { value: part.state.input, loss: 'tool input redacted by the recorder' };
  return [input, ...outputsOf(part.state)];
}

/** Errors are left as they were. */
function outputsOf(state: ToolState): readonly Content[] {
  if (state.status !== 'completed') return [];
  return [{ value: state.output, loss: 'tool output redacted by the recorder' }];
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isRedacted(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value === 'string') return REDACTED.test(value);
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => isRedacted(each, depth - 1));
}
