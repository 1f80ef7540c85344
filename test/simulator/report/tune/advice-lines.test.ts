import { describe, expect, it } from 'vitest';
import { adviceLines } from '../../../../src/simulator/report/tune/advice-lines.ts';
import type { Advice } from '../../../../src/simulator/report/tune/tune-report.ts';
import { sampleTuneReport } from '../../../support/sample-tune-report.ts';

const BROKEN = ['refused in 1 of 9 sessions'];
const TODAYS = ['loop in 2 of 9 sessions'];

describe('adviceLines', () => {
  it.each<[string, Partial<Advice>, readonly string[]]>([
    ['keeps', { state: 'keep' }, ["Keep today's settings."]],
    [
      'keeps what the knee would break',
      { state: 'keep', broken: BROKEN },
      ["Keep today's settings.", 'The knee breaks a constraint: refused in 1 of 9 sessions.'],
    ],
    [
      'knows no way where both break a constraint',
      { state: 'nothing feasible', broken: BROKEN, brokenByToday: TODAYS },
      [
        "Neither the knee nor today's settings keep the constraints.",
        'The knee breaks a constraint: refused in 1 of 9 sessions.',
        "Today's settings break a constraint: loop in 2 of 9 sessions.",
      ],
    ],
    [
      'changes what breaks a constraint today, and says what to write',
      { state: 'change', brokenByToday: TODAYS, settings: { protect: 5_000 } },
      [
        "Change the settings: the knee keeps the constraints, today's do not.",
        "Today's settings break a constraint: loop in 2 of 9 sessions.",
        '',
        'Without a key in a configuration; in this program:',
        '--set protect=5000',
      ],
    ],
  ])('%s', (_, advice, expected) => {
    const report = sampleTuneReport();
    expect(adviceLines({ ...report, advice: { ...report.advice, ...advice } })).toEqual(expected);
  });
});
