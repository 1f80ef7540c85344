/** Watches the pivots of a run. */

import { type Message, type Move, viewOf } from '../../../engine/index.ts';

/** What became of an attempt to compact. */
export type PivotOutcome =
  | {
      readonly state: 'compacted';
      readonly summaryText: string;
      readonly view: readonly Message[];
      readonly history: readonly Message[];
    }
  | { readonly state: 'failed'; readonly reason: string };

/** The attempt that a move of the engine ended; absent where it ended none. */
export function pivotOutcomeOf({ before, input, next }: Move): PivotOutcome | undefined {
  for (const event of next.events) {
    if (event.type === 'summary-failed') return failed(event.error.message ?? event.error.name);
    if (event.type === 'summary-rejected') return failed(event.reason);
    if (event.type !== 'compacted') continue;
    const { history } = next.state;
    const summary = history.find(({ id }) => id === event.summaryId);
    return {
      state: 'compacted',
      summaryText: summary === undefined ? '' : textOf(summary),
      view: viewOf(next.state),
      history,
    };
  }
  const isAborted = input.type === 'aborted' && before.phase.state === 'summarising';
  return isAborted ? failed('aborted') : undefined;
}

function failed(reason: string): PivotOutcome {
  return { state: 'failed', reason };
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
