import { expect, it } from 'vitest';
import { tuneFormats } from '../../../src/simulator/report/tune.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';
import { terminalOf } from '../../support/terminals.ts';

it('breaks sentences where a terminal would, and nothing that is to be written', () => {
  const { advice, ...report } = sampleTuneReport();
  const settings = { protect: 1_000, minimum: 2_000, guardTurns: 3 };
  const change = { ...advice, state: 'change' as const, settings };
  const lines = tuneFormats.table({ ...report, advice: change }, terminalOf(40)).split('\n');
  expect(lines.slice(lines.indexOf('Change the settings: a member of the'))).toEqual([
    'Change the settings: a member of the',
    'front is better, and nothing is worse.',
    'To have protect=1000 minimum=2000',
    'guardTurns=3, write:',
    '',
    'Without a key in opencode.json; in this program:',
    '--set protect=1000 --set minimum=2000 --set guardTurns=3',
    '',
  ]);
});
