import { describe, expect, it } from 'vitest';
import { armBlocks } from '../../../src/simulator/report/arm-table.ts';
import type { Arm } from '../../../src/simulator/report/arms.ts';
import { conclude } from '../../../src/simulator/report/verdict.ts';

function unpriced(name: string, tokens: number): Arm {
  const run = { key: 's', session: 's', state: 'completed' as const, isLeast: false };
  return { name, runs: [{ ...run, costUsd: null, losses: 0, compactions: 1, tokens }] };
}

describe('armBlocks', () => {
  it('shows the tokens of arms where no price is known', () => {
    const arms = [unpriced('a', 2_000), unpriced('b', 1_500)];
    const table = armBlocks(arms, conclude(arms)).find(({ type }) => type === 'table');
    expect(table).toMatchObject({
      lead: 'Sums over 1 session:',
      columns: [{ title: 'Policy' }, { title: 'Tokens' }, { title: 'Verdict' }],
    });
    const second = ['1,500', expect.stringMatching(/25 %: not enough data$/)];
    expect(table).toHaveProperty('rows.1', [{ untrusted: 'b' }, ...second]);
  });
});
