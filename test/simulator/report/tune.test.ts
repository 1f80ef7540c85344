import { expect, it } from 'vitest';
import { tuneFormats } from '../../../src/simulator/report/tune.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';
import { terminalOf } from '../../support/terminals.ts';

const { verdict } = sampleTuneReport();
const change = { protect: 1_000, minimum: 2_000, guardTurns: 3 };
const report = sampleTuneReport({ verdict: { ...verdict, state: 'better', change } });

it('begins with the answer, breaks sentences where a terminal would, and nothing to be written', () => {
  const lines = tuneFormats.table(report, terminalOf(40)).split('\n');
  expect(lines.slice(0, 11)).toEqual([
    'Better on one side only: protect=1000,',
    'minimum=2000 and guardTurns=3.',
    'OpenCode reads no key that sets protect,',
    'minimum and guardTurns so.',
    '',
    'To have protect=1000 minimum=2000',
    'guardTurns=3, write:',
    '',
    'Without a key that the agent reads; in this program:',
    '--set protect=1000 --set minimum=2000 --set guardTurns=3',
    '',
  ]);
});

it('gives programs the facts of the verdict, its sentences and what to write', () => {
  const document = JSON.parse(tuneFormats.json(report));
  expect(document.verdict).toMatchObject({ state: 'better', change, sessionsNeeded: null });
  expect(document.verdict.sentences[0]).toMatch(/^Better/);
  expect(document.config.set).toEqual(['protect=1000', 'minimum=2000', 'guardTurns=3']);
});
