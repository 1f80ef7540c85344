import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  isReported,
  knownLosses,
  readLosses,
  unseenLosses,
} from '../../../scripts/agreement/losses.ts';
import { isAsWanted } from '../../../scripts/agreement/row.ts';

const SESSIONS = '../shared/sessions';

describe('losses', () => {
  it.each(
    readLosses('agreement/loss-cases.json').flatMap((each) =>
      'name' in each ? [[each.name, each] as const] : [],
    ),
  )('agree with the label: %s', (_, each) => {
    expect(isReported(each)).toBe(each.label);
  });

  it('agree with small cases that no rule was changed for', () => {
    expect(unseenLosses('agreement').filter((row) => !isAsWanted(row))).toEqual([]);
  });

  it.skipIf(!existsSync(SESSIONS))(
    'agree with readers of recorded sessions (skipped without the recordings)',
    () => {
      const rows = knownLosses('agreement', [SESSIONS]);
      expect(rows.length).toBeGreaterThan(knownLosses('agreement', []).length);
      expect(rows.filter((row) => !isAsWanted(row))).toEqual([]);
    },
    120_000,
  );
});
