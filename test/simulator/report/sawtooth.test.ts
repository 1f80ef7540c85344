import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { widthOf } from '../../../src/simulator/report/prose.ts';
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

/** A chart with a line break before it, so that its margin stands in the snapshot. */
const chart = (...events: readonly RunEvent[]) => `\n${renderSawtooth(events)}`;

describe('renderSawtooth', () => {
  it('says where no request was sent', () => {
    expect(renderSawtooth([started(100)])).toBe('No request was sent.\n');
    expect(renderSawtooth([])).toBe('No request was sent.\n');
  });

  it('draws one step', () => {
    expect(chart(started(8_000), sent(1, 4_400))).toMatchInlineSnapshot(`
      "
        8k ┤┄┄┄
           │
      6.4k ┤
           │
      4.8k ┤▄▄▄
           │███
      3.2k ┤███
           │███
      1.6k ┤███
           │███
         0 └───
      1 step · ┄ usable 8,000
      "
    `);
  });

  it('draws a saw-tooth with what cut it below', () => {
    const sizes = [20, 40, 60, 80, 100, 30, 50, 70, 90, 25];
    const steps = sizes.map((size, index) => sent(index + 1, size * 1_000));
    const events = [
      started(95_000),
      ...steps.slice(0, 5),
      pivot,
      ...steps.slice(5, 9),
      prune('fired'),
      ...steps.slice(9),
    ];
    expect(chart(...events)).toMatchInlineSnapshot(`
      "
      100k ┤┄┄┄┄┄┄┄┄┄┄┄┄███┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
           │            ███         ███
       80k ┤         ██████         ███
           │         ██████      ██████
       60k ┤      █████████      ██████
           │      █████████   █████████
       40k ┤   ████████████   █████████
           │   ████████████████████████▄▄▄
       20k ┤██████████████████████████████
           │██████████████████████████████
         0 └──────────────────────────────
                                    p
                        C
      10 steps · ┄ usable 95,000 · p 1 prune · C 1 compaction
      "
    `);
  });

  it('marks refusals, failures and what the provider cut, kind by kind', () => {
    expect(
      chart(
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
      ),
    ).toMatchInlineSnapshot(`
      "
        1k ┤┄┄┄▄▄▄███┄┄┄┄┄┄
           │   ██████
      0.8k ┤   ██████
           │   ██████
      0.6k ┤   ██████
           │█████████
      0.4k ┤█████████
           │████████████
      0.2k ┤████████████
           │████████████
         0 └───────────────
                  x
                  !  !  !
               ~        ~
      5 steps · ┄ usable 900 · x 2 refusals · ! 4 failures · ~ 2 requests cut by the provider
      "
    `);
  });

  it('draws a thousand steps in 72 columns, the largest of each stretch', () => {
    const steps = Array.from({ length: 1_000 }, (_, index) =>
      sent(index + 1, 10_000 + (index % 100) * 900),
    );
    const events = steps.flatMap((step, index) => (index % 100 === 99 ? [step, pivot] : [step]));
    expect(chart(started(100_000), ...events)).toMatchInlineSnapshot(`
      "
      100k ┤┄┄┄┄┄┄▆▇┄┄┄┄┄▄▇┄┄┄┄┄▂▇┄┄┄┄┄┄▇┄┄┄┄┄┄▇┄┄┄┄┄┄▆▇┄┄┄┄┄▄▇┄┄┄┄┄▂▇┄┄┄┄┄┄▇┄┄┄┄┄┄▇
           │     ▄██    ▂██     ██     ▇█     ▆█     ▄██    ▂██     ██     ▇█     ▆█
       80k ┤    ▂███    ███    ▇██    ▅██    ▄██    ▂███    ███    ▇██    ▅██    ▄██
           │    ████   ████   ▅███   ▄███   ▂███    ████   ████   ▅███   ▄███   ▂███
       60k ┤   █████  ▅████  ▃████  ▂████   ████   █████  ▅████  ▃████  ▂████   ████
           │  ▆█████ ▃█████ ▂█████  █████  █████  ▆█████ ▃█████ ▂█████  █████  █████
       40k ┤ ▃██████▁██████ ██████ ██████ ▆█████ ▃██████▁██████ ██████ ██████ ▆█████
           │▁█████████████████████▆██████▄██████▁█████████████████████▆██████▄██████
       20k ┤████████████████████████████████████████████████████████████████████████
           │████████████████████████████████████████████████████████████████████████
         0 └────────────────────────────────────────────────────────────────────────
                   C      C      C      C      C       C      C      C      C      C
      1,000 steps, up to 14 per column · ┄ usable 100,000 · C 10 compactions
      "
    `);
  });

  it.each([16, 30, 40, 60, 78, 79, 200])(
    'draws no line wider than a terminal of %i columns, and all its height',
    (terminalColumns) => {
      const steps = Array.from({ length: 200 }, (_, index) => sent(index + 1, 10_000 + index));
      const events = [started(95_000), ...steps, pivot];
      const lines = renderSawtooth(events, { terminalColumns }).trimEnd().split('\n');
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(terminalColumns);
      const axis = lines.find((line) => line.includes('└')) ?? '';
      expect(widthOf(axis)).toBe(Math.min(terminalColumns, widthOf('9.6k ┤') + 72));
      expect(lines.filter((line) => /[┤│]/.test(line))).toHaveLength(10);
    },
  );

  it('draws few steps less wide, and marks them where they are', () => {
    const steps = [1, 2, 3, 4, 5, 6, 7, 8].map((step) => sent(step, step * 100));
    const events = [started(900), ...steps.slice(0, 6), pivot, ...steps.slice(6)];
    expect(`\n${renderSawtooth(events, { terminalColumns: 24 })}`).toMatchInlineSnapshot(`
      "
        1k ┤┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
           │
      0.8k ┤              ██
           │            ████
      0.6k ┤          ██████
           │        ████████
      0.4k ┤      ██████████
           │    ████████████
      0.2k ┤  ██████████████
           │████████████████
         0 └────────────────
                      C
      8 steps · ┄ usable 900 ·
      C 1 compaction
      "
    `);
  });

  it('draws the line through columns that rise above it', () => {
    expect(chart(started(500), sent(1, 1_000), sent(2, 550))).toMatchInlineSnapshot(`
      "
        1k ┤███
           │███
      0.8k ┤███
           │███
      0.6k ┤┄┄┄▄▄▄
           │██████
      0.4k ┤██████
           │██████
      0.2k ┤██████
           │██████
         0 └──────
      2 steps · ┄ usable 500
      "
    `);
  });

  it('draws no line where nobody knows what is usable', () => {
    expect(chart(started(), sent(1, 100), sent(2, 200))).toMatchInlineSnapshot(`
      "
       0.2k ┤   ███
            │   ███
      0.16k ┤   ███
            │   ███
      0.12k ┤   ███
            │██████
      0.08k ┤██████
            │██████
      0.04k ┤██████
            │██████
          0 └──────
      2 steps · ┄ usable unknown
      "
    `);
  });

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

  it('moves the line where another model answers', () => {
    const events = [
      started(100_000),
      sent(1, 30_000),
      sent(2, 60_000),
      switched(3, 40_000),
      pivot,
      sent(3, 20_000),
      sent(4, 35_000),
      switched(5),
      sent(5, 50_000),
    ];
    expect(chart(...events)).toMatchInlineSnapshot(`
      "
      100k ┤┄┄┄┄┄┄
           │
       80k ┤
           │
       60k ┤   ███
           │   ███┄┄┄┄┄┄███
       40k ┤   ███   ▄▄▄███
           │██████   ██████
       20k ┤███████████████
           │███████████████
         0 └───────────────
               C
                  m     m
      5 steps · ┄ usable 100,000, then 40,000, then unknown · C 1 compaction · m 2 model changes
      "
    `);
  });

  it('leaves out a line that is far above, and says so', () => {
    expect(chart(started(401), sent(1, 100))).toMatchInlineSnapshot(`
      "
       0.1k ┤███
            │███
      0.08k ┤███
            │███
      0.06k ┤███
            │███
      0.04k ┤███
            │███
      0.02k ┤███
            │███
          0 └───
      1 step · ┄ usable 401 (above the chart)
      "
    `);
    expect(renderSawtooth([started(400), sent(1, 100)])).toContain('┄ usable 400\n');
  });

  it.each([1, 9, 10, 99, 100, 101, 999, 1_000, 123_456, 1_000_000, 7])(
    'has the largest request of %i tokens within ten rows',
    (tokens) => {
      const lines = renderSawtooth([sent(1, tokens)]).split('\n');
      expect(lines).toHaveLength(13);
      expect(lines.slice(0, 10).some((line) => /[▁-█]/.test(line))).toBe(true);
    },
  );

  it.each([1, 2, 23, 24, 25, 36, 37, 71, 72, 73, 144, 145, 5_000])(
    'is at most 72 columns wide with %i steps',
    (count) => {
      const steps = Array.from({ length: count }, (_, index) => sent(index + 1, 1_000));
      const lines = renderSawtooth([...steps, pivot]).split('\n');
      const columns = lines.find((line) => line.includes('└'))?.split('└')[1]?.length ?? 0;
      expect(columns).toBe(Math.min(72, count * Math.max(1, Math.min(3, Math.floor(72 / count)))));
      const mark = lines.find((line) => line.trim() === 'C') ?? '';
      const [full = ''] = lines.filter((line) => line.includes('█'));
      expect(mark.indexOf('C')).toBe(full.lastIndexOf('█') + 1 - columns / Math.min(72, count));
    },
  );
});
