import { describe, expect, it } from 'vitest';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import { planted } from '../../../support/facts.ts';

const port = planted({ id: 'old', kind: 'number', subject: 'the port', value: '1001', serial: 1 });
const facts = [
  port,
  { ...port, id: 'new', value: '2002', supersedes: 'old', step: 2, serial: 2 },
  { ...port, id: 'timeout', subject: 'the timeout', value: '57' },
  planted({ id: 'ban', kind: 'constraint', subject: 'freeze', value: 'zr7k', polarity: 'dont' }),
  planted({ id: 'task', kind: 'todo', subject: '', value: 'fill_qx7', todoState: 'done' }),
  planted({
    id: 'decoy',
    kind: 'number',
    role: 'distractor',
    about: 'new',
    subject: 'the port of the pump',
    value: '3003',
  }),
];
const artifacts = [{ path: 'src/a.ts', operation: 'create' }] as const;
const REPEATS = 20_000;

describe('a sentence without end', () => {
  it.each([
    'not ',
    'never not ',
    'forbidden x ',
    'without a, ',
    '没有',
    '禁止がな',
    '| 1001 ',
    '|-',
    'timeout port 57 ',
    'earlier 1001 ',
    '(1001, ',
    'zr7k not ',
    'done fill_qx7 ',
    'port pump ',
    'moved to 1001 from ',
    'now 1001 ',
    '- 1001\n',
    'must create ',
    'src/a.ts must not be ',
    '~~fill_qx7 ',
    '1001 2002 ',
    '~~~~~',
    '+++++',
    '.~.~',
  ])('of %j is scored in time', (piece) => {
    const text = `The port 1001, freeze zr7k ${piece.repeat(REPEATS)} port 2002, fill_qx7`;
    expect(scoreText({ text, facts, artifacts }).facts).toHaveLength(4);
  });
});
