import { expect, it } from 'vitest';
import { tuneFormats } from '../../../src/simulator/report/tune.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';
import { terminalOf } from '../../support/terminals.ts';

const { verdict } = sampleTuneReport();
const change = { protect: 1_000, minimum: 2_000, guardTurns: 3 };
const report = sampleTuneReport({ verdict: { ...verdict, state: 'better', change } });

it('begins with the answer, breaks lines where a terminal would, and keeps the rest for details', () => {
  expect(
    tuneFormats.table(report, { ...terminalOf(60), details: false }),
  ).toBe(`9 sessions, opencode-1.2.16 on lab/model: 2 changes tried.
--details: from what

Better: protect=1000, minimum=2000 and guardTurns=3
  cost    unknown; 9 sessions differ
  losses  unknown
  goal    Tokens saved, mean of the sessions tuned on: 2 → –
  sure?   yes
  do      OpenCode reads no key for it; in this program:
          --set protect=1000 --set minimum=2000 --set
          guardTurns=3
`);
  const whole = tuneFormats.table(report, { ...terminalOf(60), details: true });
  expect(whole).toContain('Today (reserved=20) is on the front.');
  expect(tuneFormats.markdown(report)).toContain('`Today (reserved=20) is on the front.`');
});

it('gives programs the facts of the verdict, its sentences and what to write', () => {
  const document = JSON.parse(tuneFormats.json(report));
  expect(document.verdict).toMatchObject({ state: 'better', change });
  expect(document.verdict.sentences[0]).toMatch(/^Better/);
  expect(document.config.set).toEqual(['protect=1000', 'minimum=2000', 'guardTurns=3']);
});
