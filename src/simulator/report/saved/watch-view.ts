import { type Move, type RenderPolicy, viewOf } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import type { Trace } from '../../replay/trace.ts';
import { createPartReader } from './read-parts.ts';
import type { RunView } from './run-view.ts';
import { createViewLog, type ShownRequest } from './view-log.ts';

/** Watches a run for what its requests show. */
export interface ViewWatch {
  readonly onTransition: (move: Move) => void;
  /** What they showed, given the events of the whole run. */
  readonly tell: (events: readonly RunEvent[]) => RunView;
}

/** What is to be watched. */
export interface WatchOptions {
  readonly render: RenderPolicy;
  /** Whether texts are kept, too. */
  readonly hasTexts: boolean;
}

/** A request that was answered. */
interface Shot extends Omit<ShownRequest, 'hasPivot'> {
  readonly messageId: string;
}

/** A watch over one run of a trace. */
export function watchView(
  trace: Pick<Trace, 'basis' | 'count'>,
  { render, hasTexts }: WatchOptions,
): ViewWatch {
  const shots: Shot[] = [];
  const recorded = new Set<string>();
  return {
    onTransition: ({ before, input }) => {
      if (input.type !== 'user-message' && input.type !== 'step-finished') return;
      const { id: messageId, createdAt: sentAt } = input.message;
      recorded.add(messageId);
      if (input.type !== 'step-finished') return;
      shots.push({ messageId, sentAt, view: viewOf(before), history: before.history });
    },
    tell: (events) => {
      const read = createPartReader(trace, render);
      const log = createViewLog({ read, isRecorded: (id) => recorded.has(id), hasTexts });
      let [next, hasPivot] = [0, false];
      for (const event of events) {
        if (event.type === 'pivot') hasPivot = true;
        if (event.type !== 'step-end') continue;
        // What failed in between is no step.
        const at = shots.findIndex(
          ({ messageId }, index) => index >= next && messageId === event.messageId,
        );
        const shot = shots[at];
        if (shot === undefined) continue;
        next = at + 1;
        log.add({ ...shot, hasPivot });
        hasPivot = false;
        // An answer to nothing but a need for what was lost brings it back.
        if (event.reread !== undefined) recorded.delete(event.messageId);
      }
      return log.end();
    },
  };
}
