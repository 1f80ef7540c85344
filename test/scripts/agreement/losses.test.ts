import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agreementOfLosses, isReported, readCases } from '../../../scripts/agreement/losses.ts';
import { isAsWanted } from '../../../scripts/agreement/row.ts';

const SESSIONS = '../shared/sessions';

describe('losses', () => {
  it.each(readCases('agreement/loss-cases.json').map((each) => [each.name, each] as const))(
    'agree with the label: %s',
    (_, each) => {
      expect(isReported(each)).toBe(each.label);
    },
  );

  it.skipIf(!existsSync(SESSIONS))(
    'agree with readers of recorded sessions (skipped without the recordings)',
    async () => {
      const rows = await agreementOfLosses('agreement', SESSIONS);
      expect(rows).toHaveLength(4);
      expect(rows.filter((row) => !isAsWanted(row))).toEqual([]);
    },
    120_000,
  );

  it('has rows of its own cases where no recording is there', async () => {
    const rows = await agreementOfLosses('agreement', 'no-such-folder');
    expect(rows.map(({ number }) => number)).toEqual(['Losses, small cases']);
  });
});
