/** Losses in words of the session or by its file: texts, which stay where a session's are. */

import type { RunEvent } from '../events.ts';
import type { References } from '../replay/references/reference.ts';
import { createTouches } from '../replay/references/calls.ts';

export type LossEvent = RunEvent & { readonly type: 'reference' };

export interface ToldLoss {
  readonly event: LossEvent;
  /** Where nothing brings it back. */
  readonly words: readonly string[];
  /** The file of a step or part, or its tool. */
  readonly from: string | undefined;
}

const MOST_WORDS = 4;

export function isLoss(event: RunEvent): event is LossEvent {
  return event.type === 'reference' && event.missedBy !== undefined;
}

/** A line for each loss in order; empty where nothing can be said. */
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
    const words = (event.pieces ?? []).map(wordsOf);
    return { event, words, from: words.length === 0 ? findOrigin(event) : undefined };
  };
}
