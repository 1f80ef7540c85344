import { describe, expect, it } from 'vitest';
import { armBlocks, toArmRows } from '../../../src/simulator/report/arm-table.ts';
import type { Arm, ArmRun } from '../../../src/simulator/report/arms.ts';
import { conclude } from '../../../src/simulator/report/verdict.ts';

/** An arm over the sessions s0, s1 and so on, by what each cost. */
function arm(name: string, runs: readonly Partial<ArmRun>[]): Arm {
  return {
    name,
    runs: runs.map((run, index) => ({
      key: `s${index}`,
      session: `s${index}`,
      state: 'completed',
      costUsd: 10,
      losses: 1,
      compactions: 2,
      isLeast: false,
      ...run,
    })),
  };
}

const armsOf = (...arms: readonly Arm[]) => toArmRows(arms, conclude(arms));

describe('toArmRows', () => {
  it('sums arms over the sessions that the baseline completed, and says where one failed', () => {
    const { over, rows } = armsOf(
      arm('one', [{ costUsd: 1 }, { costUsd: 2 }, { costUsd: 4 }]),
      arm('other', [{ costUsd: 8 }, { state: 'refused', costUsd: 99 }, { costUsd: 16 }]),
    );
    expect(over).toBe('Sums over 3 sessions, re-reads included');
    expect(rows).toMatchObject([
      { costUsd: 7, losses: 3, compactions: 6 },
      {
        costUsd: 24,
        losses: 2,
        says: 'against $5.00; fails in 1 of 3',
        isNoPeer: true,
      },
    ]);
  });

  it('marks what is impossible, and counts it nowhere', () => {
    const { rows } = armsOf(
      arm('none', [{ costUsd: 30, state: 'impossible', losses: 0 }, { losses: 0 }]),
      arm('one', [{ costUsd: 20 }, {}]),
    );
    expect(rows[0]).toMatchObject({
      costUsd: 10,
      says: 'against $10.00; fails in 1 of 2',
      isImpossible: true,
      isNoPeer: true,
    });
    expect(rows[1]).toMatchObject({ isImpossible: false });
  });

  it('knows no sum of which a part is unknown, and says where one is the least', () => {
    const { rows } = armsOf(
      arm('recorded', [{ losses: null, isLeast: true }, { losses: null }]),
      arm('one', [{ costUsd: 20 }, {}]),
    );
    expect(rows[0]).toMatchObject({ costUsd: 20, losses: null, isLeast: true });
    expect(rows[1]).toMatchObject({ costUsd: 30, losses: 2 });
    expect(rows[0]?.says).toBe('');
  });
});

describe('armBlocks', () => {
  it('shows the tokens of arms where no price is known', () => {
    const arms = [
      arm('a', [{ costUsd: null, tokens: 2_000 }]),
      arm('b', [{ costUsd: null, tokens: 1_500 }]),
    ];
    const table = armBlocks(arms, conclude(arms)).find(({ type }) => type === 'table');
    expect(table).toMatchObject({
      lead: 'Sums over 1 session:',
      columns: [{ title: 'Policy' }, { title: 'Tokens' }, { title: 'Verdict' }],
    });
    const second = ['1,500', expect.stringMatching(/25 %: not enough data$/)];
    expect(table).toHaveProperty('rows.1', [{ untrusted: 'b' }, ...second]);
  });
});
