import { expect, it } from 'vitest';
import type { CopyCandidate } from '../../../src/simulator/session/repeats/copies.ts';
import { withOperationCount } from '../../support/count-operations.ts';

const SESSIONS = 100;
/** Comparing all with all would make it four. */
const MOST_GROWTH = 2.3;

const load = () => import('../../../src/simulator/session/repeats/repeats.ts');

it.each<[string, Partial<CopyCandidate>]>([
  ['their first message', {}],
  ['what stands behind a summary', { isPartial: true }],
])(
  'looking for forks among sessions that share only %s takes time by their number',
  async (_, over) => {
    const growth = await withOperationCount(load, ({ findRepeats }, count) => {
      const operationsOf = (sessions: number) =>
        count.during(() => {
          const found = findRepeats(
            Array.from({ length: sessions }, (__, index) => candidate(index, over)),
          );
          expect(found).toEqual({ copies: [], shared: [], families: new Map() });
        });
      operationsOf(1);
      return operationsOf(2 * SESSIONS) / operationsOf(SESSIONS);
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  },
);

/** The same prompt, before which another one may stand, and an answer that no other has. */
function candidate(index: number, over: Partial<CopyCandidate>): CopyCandidate {
  const own = 10 * index;
  const prompts = over.isPartial ? [own + 2, 1] : [1];
  const ofMessages = Float64Array.from([...prompts, own + 3, own + 4]);
  const least = prompts.length + 1;
  const name = `session-${index}`;
  return {
    name,
    format: 'pi',
    sessionId: name,
    isSide: false,
    isPartial: false,
    idMarks: ofMessages,
    marks: { ofMessages, least },
    size: 10,
    ...over,
  };
}
