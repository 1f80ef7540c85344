import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import {
  createPartReader,
  type ShownPart,
} from '../../../../src/simulator/report/saved/read-parts.ts';
import { PART_STATES } from '../../../../src/simulator/report/saved/run-view.ts';
import { createViewLog } from '../../../../src/simulator/report/saved/view-log.ts';
import { step, text, user } from '../../../support/history.ts';
import { traceOf } from '../../replay/lab.ts';

const { pruned, left, injected, summary } = PART_STATES;

/** How a part is shown by a request; nothing where it is not. */
type Look = Partial<Pick<ShownPart, 'tokens' | 'isCleared' | 'kind'>>;

/** What becomes of one part that requests show like this, one after another. */
function statesOf(looks: readonly (Look | undefined)[], isRecorded = true) {
  const shownBy = new Map(looks.map((look, index) => [`m${index}`, look]));
  const log = createViewLog({
    read: ({ id }) => {
      const look = shownBy.get(id);
      if (look === undefined) return [];
      return [{ key: 'p', kind: 'answer', tokens: 100, isCleared: false, text: () => id, ...look }];
    },
    isRecorded: () => isRecorded,
    hasTexts: true,
  });
  for (const index of looks.keys()) {
    const view = [user(`m${index}`)];
    log.add({ view, history: view, hasPivot: false, sentAt: -index });
  }
  return log.end();
}

describe('createViewLog', () => {
  it.each<[string, readonly (Look | undefined)[], readonly (readonly number[])[]]>([
    ['a part that stays', [{}, {}], []],
    ['one that comes cleared', [{ isCleared: true, tokens: 9 }], [[0, pruned, 0, 1, 9]]],
    ['one that is cleared', [{}, { isCleared: true, tokens: 9 }], [[1, pruned, 0, 1, 9]]],
    [
      'one that is rewritten, and stays so',
      [{}, { tokens: 50 }, { tokens: 50 }],
      [[1, pruned, 0, 1, 50]],
    ],
    [
      'one that goes and comes back',
      [{}, undefined, {}],
      [
        [1, left, 0, 1, 0],
        [2, injected, 0, 1, 100],
      ],
    ],
    [
      'one that comes back and is cleared then',
      [{}, undefined, { isCleared: true, tokens: 9 }],
      [
        [1, left, 0, 1, 0],
        [2, pruned, 0, 1, 9],
      ],
    ],
    ['a summary', [{ kind: 'summary' }], [[0, summary, 0, 1, 100]]],
  ])('tells of %s', (...[, looks, changes]) => {
    expect(statesOf(looks).changes).toEqual(changes);
  });

  it('tells what a policy puts there from what was recorded', () => {
    expect(statesOf([{}], false).changes).toEqual([[0, injected, 0, 1, 100]]);
  });

  it('has no pause that runs backwards', () => {
    expect(statesOf([{}, {}, {}]).pauses).toEqual([0, 0, 0]);
  });

  it('has the text of every form', () => {
    const { texts, tokens } = statesOf([{}, undefined, { isCleared: true, tokens: 9 }]);
    expect(texts).toEqual({ pool: ['m0', 'm2'], parts: [0], changes: [-1, 1] });
    expect(tokens).toEqual([100]);
  });
});

describe('createPartReader', () => {
  const read = createPartReader(traceOf([]), policies.none.render);

  it('shows nothing of a step that failed before it wrote anything', () => {
    const failed = { error: { name: 'APIError', message: 'overloaded' } };
    expect(read(step('s1', [text('t1', 'half')], failed), { isOwn: false })).toEqual([]);
    expect(read(step('s1', [text('t1', 'whole')]), { isOwn: false })).toHaveLength(1);
  });
});
