import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { knownLosses, unseenLosses } from '../../../scripts/agreement/losses.ts';
import { isAsWanted } from '../../../scripts/agreement/row.ts';

const SESSIONS = ['../shared/sessions', '../rec'];

describe('losses', () => {
  it('agree with small cases, known and unseen', () => {
    const rows = [...knownLosses('agreement', []), ...unseenLosses('agreement')];
    expect(rows.map(({ number }) => number)).toContain('Losses, small cases, kind quoted');
    expect(rows.filter((row) => !isAsWanted(row))).toEqual([]);
  });

  it.skipIf(!existsSync(SESSIONS[0] ?? ''))(
    'agree with readers of recorded sessions (skipped without the recordings)',
    () => {
      const rows = [...knownLosses('agreement', SESSIONS), ...unseenLosses('agreement', SESSIONS)];
      expect(rows.length).toBeGreaterThan(knownLosses('agreement', []).length);
      expect(rows.filter((row) => !isAsWanted(row))).toEqual([]);
    },
    120_000,
  );
});
