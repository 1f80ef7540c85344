/** What was lost, in words of the session or by its file: texts, which are kept only where a session's are. */

import type { RunEvent } from '../../events.ts';
import type { References } from '../../replay/references/reference.ts';
import { createTouches, type Touches } from '../../replay/references/touches.ts';

type Loss = RunEvent & { readonly type: 'reference' };

/** Of one loss. */
const MOST_WORDS = 4;

/** Names each loss of a run, in the order of its events; one of which nothing can be said is empty. */
export function nameLosses(events: readonly RunEvent[], references: References): readonly string[] {
  const losses = events.filter(isLoss);
  if (losses.length === 0) return [];
  const touches = createTouches(references.messages);
  return losses.map((loss) => nameLoss(loss, references, touches));
}

/** Checks whether an event is a need that no request showed. */
export function isLoss(event: RunEvent): event is Loss {
  return event.type === 'reference' && event.missedBy !== undefined;
}

/** Its words where nothing brings it back, else the file that a step opens, that of the lost part, or its tool. */
function nameLoss(loss: Loss, references: References, touches: Touches): string {
  const { kind, pieces = [], partId } = loss;
  const { all, parts, partNumbers, wordsOf } = references;
  const words = (lost: readonly number[]) =>
    lost.map((piece) => wordsOf(piece).replaceAll(/\s+/g, ' ')).join(', ');
  // Rows of words overlap, so that the first tells which they are.
  if (pieces.length > 0) return words(pieces.slice(0, kind === 'phrase' ? 1 : MOST_WORDS));
  if (kind === 'path') {
    const opened = all.find(
      ({ step, document }) => step === loss.step && document === loss.document,
    );
    return words(opened?.pieces.slice(0, 1) ?? []);
  }
  const part = parts[partNumbers.get(partId) ?? -1]?.part;
  if (part?.type !== 'tool') return '';
  return touches.of(part)[0]?.path ?? part.tool;
}
