/** Losses in words of the session or by its file: texts, which stay where a session's are. */

import type { RunEvent } from '../events.ts';
import type { References } from '../replay/references/reference.ts';
import { createTouches } from '../replay/references/touches.ts';

/** A need that no request showed. */
export type LossEvent = RunEvent & { readonly type: 'reference' };

/** A loss with its words or its source. */
export interface ToldLoss {
  readonly event: LossEvent;
  /** Its words, where nothing brings it back. */
  readonly words: readonly string[];
  /** Else the file that a step opens, that of the lost part, or its tool. */
  readonly from: string | undefined;
}

const MOST_WORDS = 4;

/** Checks whether an event is a need that no request showed. */
export function isLoss(event: RunEvent): event is LossEvent {
  return event.type === 'reference' && event.missedBy !== undefined;
}

/** Names each loss of a run in a line, in the order of its events; one of which nothing can be said is empty. */
export function nameLosses(events: readonly RunEvent[], references: References): readonly string[] {
  const losses = events.filter(isLoss);
  if (losses.length === 0) return [];
  const tell = createLossTeller(references);
  return losses.map((loss) => {
    const { words, from = '' } = tell(loss);
    const shown = words.slice(0, MOST_WORDS).map((word) => word.replaceAll(/\s+/g, ' '));
    return words.length === 0 ? from : shown.join(', ');
  });
}

/** Tells what losses were, one after another. */
export function createLossTeller(references: References): (event: LossEvent) => ToldLoss {
  const touches = createTouches(references.messages);
  const { all, parts, partNumbers, wordsOf } = references;
  const findOrigin = ({ kind, step, document, partId }: LossEvent) => {
    if (kind === 'path') {
      const opened = all.find((one) => one.step === step && one.document === document);
      return opened?.pieces.slice(0, 1).map(wordsOf)[0];
    }
    const part = parts[partNumbers.get(partId) ?? -1]?.part;
    return part?.type === 'tool' ? (touches.of(part)[0]?.path ?? part.tool) : undefined;
  };
  return (event) => {
    // Rows of words overlap: the first of them tells which they are.
    const pieces = event.kind === 'phrase' ? event.pieces?.slice(0, 1) : event.pieces;
    const words = (pieces ?? []).map(wordsOf);
    return { event, words, from: words.length === 0 ? findOrigin(event) : undefined };
  };
}
