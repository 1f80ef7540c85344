import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { widthOf } from '../../../src/simulator/report/layout.ts';
import { renderSawtooth } from '../../../src/simulator/report/sawtooth.ts';
import {
  pivot,
  prune,
  refused,
  sent,
  started,
  summary,
  switched,
  unlimited,
} from './run-events.ts';

const stepsOf = (count: number, sizeAt: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => sent(index + 1, sizeAt(index)));
const SIZES = [20_000, 40_000, 60_000, 80_000, 100_000, 30_000, 50_000, 70_000, 90_000, 25_000];
const saw = stepsOf(SIZES.length, (index) => SIZES[index] ?? 0);
const few = stepsOf(8, (index) => (index + 1) * 100);
const thousand = stepsOf(1_000, (index) => 10_000 + (index % 100) * 900);

const DRAWN: readonly (readonly [string, readonly RunEvent[], number?])[] = [
  ['one step', [started(8_000), sent(1, 4_400)]],
  [
    'a saw-tooth with what cut it below',
    [started(95_000), ...saw.slice(0, 5), pivot, ...saw.slice(5, 9), prune('fired'), saw[9]!],
  ],
  [
    'refusals, failures and what the provider cut, kind by kind',
    [
      started(900),
      sent(1, 500),
      { type: 'step-truncated', step: 2, contextTokens: 950, keptTokens: 900 },
      sent(2, 950),
      refused(3, 1_000),
      summary('failed'),
      refused(3, 1_000),
      { type: 'request-failed', of: 'step', step: 4, failure: 'fail' },
      sent(4, 300),
      { type: 'summary-rejected', reason: 'empty' },
      { type: 'step-malformed', step: 5, reason: 'r' },
      summary('answered'),
      prune('nothing'),
      prune('below-minimum'),
      { ...summary('answered'), keptTokens: 900 },
    ],
  ],
  [
    'a thousand steps in 72 columns, the largest of each stretch',
    [
      started(100_000),
      ...thousand.flatMap((step, index) => (index % 100 === 99 ? [step, pivot] : [step])),
    ],
  ],
  [
    'few steps less wide, with marks where they are',
    [started(900), ...few.slice(0, 6), pivot, ...few.slice(6)],
    24,
  ],
  ['the line through columns that rise above it', [started(500), sent(1, 1_000), sent(2, 550)]],
  ['no line where nobody knows what is usable', [started(), sent(1, 100), sent(2, 200)]],
  [
    'the line moved where another model answers',
    [
      started(100_000),
      sent(1, 30_000),
      sent(2, 60_000),
      switched(3, 40_000),
      pivot,
      sent(3, 20_000),
      sent(4, 35_000),
      switched(5),
      sent(5, 50_000),
    ],
  ],
  ['no line that is far above', [started(401), sent(1, 100)]],
];

describe('renderSawtooth', () => {
  it('draws what happened', async () => {
    const charts = DRAWN.map(
      ([title, events, terminalColumns]) =>
        `${title}:\n${renderSawtooth(events, { terminalColumns })}`,
    );
    await expect(charts.join('\n')).toMatchFileSnapshot('../../fixtures/snapshots/sawtooth.txt');
  });

  it('says where no request was sent, and draws a line that is not too far above', () => {
    expect(renderSawtooth([started(100)])).toBe('No request was sent.\n');
    expect(renderSawtooth([])).toBe('No request was sent.\n');
    expect(renderSawtooth([started(400), sent(1, 100)])).toContain('┄ usable 400\n');
  });

  it.each([16, 30, 40, 60, 78, 79, 200])(
    'draws no line wider than a terminal of %i columns, and all its height',
    (terminalColumns) => {
      const events = [started(95_000), ...stepsOf(200, (index) => 10_000 + index), pivot];
      const lines = renderSawtooth(events, { terminalColumns }).trimEnd().split('\n');
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(terminalColumns);
      const axis = lines.find((line) => line.includes('└')) ?? '';
      expect(widthOf(axis)).toBe(Math.min(terminalColumns, widthOf('9.6k ┤') + 72));
      expect(lines.filter((line) => /[┤│]/.test(line))).toHaveLength(10);
    },
  );

  it.each<[string, Partial<RunEvent>, string]>([
    ['has none', {}, 'no usable limit'],
    ['is the control', { policy: 'none', limits: { contextTokens: 0 } }, 'no usable limit'],
    ['may have one that nobody tells', { summarizer: 'own' }, '┄ usable unknown'],
    ['meets a model without a known window', { limits: { contextTokens: 0 } }, '┄ usable unknown'],
    ['has one', { usableTokens: 300 }, '┄ usable 300'],
  ])('says whether the policy has a limit where it %s', (_, fields, words) => {
    const start = { ...unlimited, ...fields } as RunEvent;
    expect(renderSawtooth([start, sent(1, 100), sent(2, 200), pivot])).toMatch(
      new RegExp(`^2 steps · ${words} · C 1 compaction$`, 'm'),
    );
  });

  it.each([1, 2, 23, 24, 25, 36, 37, 71, 72, 73, 144, 145, 5_000])(
    'is at most 72 columns wide with %i steps',
    (count) => {
      const lines = renderSawtooth([...stepsOf(count, () => 1_000), pivot]).split('\n');
      const columns = lines.find((line) => line.includes('└'))?.split('└')[1]?.length ?? 0;
      expect(columns).toBe(Math.min(72, count * Math.max(1, Math.min(3, Math.floor(72 / count)))));
      const mark = lines.find((line) => line.trim() === 'C') ?? '';
      const [full = ''] = lines.filter((line) => line.includes('█'));
      expect(mark.indexOf('C')).toBe(full.lastIndexOf('█') + 1 - columns / Math.min(72, count));
    },
  );
});
