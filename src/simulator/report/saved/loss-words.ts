/** What was lost, in words of the session or by its file: texts, which are kept only where a session's are. */

import type { RunEvent } from '../../events.ts';
import type { References } from '../../replay/references/reference.ts';
import { createTouches, type Touches } from '../../replay/references/touches.ts';

type Loss = RunEvent & { readonly type: 'reference' };

/** Of one loss; rows of words overlap, so that the first tells which they are. */
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

function nameLoss(
  { kind, pieces = [], partIds }: Loss,
  { wordsOf, parts, partNumbers }: References,
  touches: Touches,
): string {
  const lost = pieces.slice(0, kind === 'phrase' ? 1 : MOST_WORDS).map(wordsOf);
  if (lost.length > 0) return lost.map((words) => words.replaceAll(/\s+/g, ' ')).join(', ');
  const files = partIds.flatMap((id) => {
    const part = parts[partNumbers.get(id) ?? -1]?.part;
    return part === undefined ? [] : touches.of(part).map(({ path }) => path);
  });
  return [...new Set(files)].slice(0, MOST_WORDS).join(', ');
}
