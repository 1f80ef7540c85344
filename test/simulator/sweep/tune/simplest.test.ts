import { describe, expect, it } from 'vitest';
import { adviceOf } from '../../../../src/simulator/report/tune/advice-lines.ts';
import { sampleTuneReport } from '../../../support/sample-tune-report.ts';
import { tuneWorld, values } from './tune-world.ts';

/** Costs of a world in which a reserve of 10 halves them, and the other setting does hardly anything. */
const worldOf = (share: number) =>
  tuneWorld((session, reserved, protect) =>
    values((1 + session) * (reserved === 10 ? 0.5 : 1) * (protect === 2 ? 1 - share : 1)),
  );

describe('an advice', () => {
  it('leaves as it is what makes no difference', () => {
    const { advice } = worldOf(0.001);
    expect(advice).toMatchObject({ state: 'change', needless: ['protect'] });
    expect(advice.compared[0]?.settings).toEqual({ reserved: 10, protect: 2 });
    expect(advice.settings).toEqual({ reserved: 10, protect: 1 });
  });

  it('changes what makes one', () => {
    const { advice } = worldOf(0.05);
    expect(advice.settings).toEqual({ reserved: 10, protect: 2 });
    expect(advice).not.toHaveProperty('needless');
  });

  it('says so', () => {
    const { advice, today } = worldOf(0.001);
    const { said, written } = adviceOf(sampleTuneReport({ advice, today }));
    expect(said.at(-1)).toBe('What makes no difference of 1 % stays: protect=1.');
    expect(JSON.stringify(written)).not.toContain('protect');
  });
});
