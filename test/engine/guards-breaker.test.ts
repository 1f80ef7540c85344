import { describe, expect, it } from 'vitest';
import { isIneffective, type LoopInput, type PolicyName } from '../../src/engine/index.ts';
import { text, user } from '../support/history.ts';
import {
  compact,
  OVER,
  refused,
  said,
  stepped,
  summarised,
  summaryFailed,
} from '../support/script.ts';
import { guarded, linesOf, lastLines, answered, overflown } from '../support/guarded.ts';

describe('isIneffective', () => {
  it('is a pivot that leaves 95 % of the context, or more', () => {
    expect(isIneffective({ beforeTokens: 1_000, afterTokens: 950 })).toBe(true);
    expect(isIneffective({ beforeTokens: 1_000, afterTokens: 949 })).toBe(false);
  });
});

describe('the breaker', () => {
  const failures = { maxFailures: 2 };
  const hint: LoopInput = {
    type: 'user-message',
    message: user('hint', text('h', 'go on', { synthetic: true })),
  };
  /** Steps that the host goes on with, whatever the policy says. */
  const failing = [
    ...overflown,
    summaryFailed,
    stepped('s2', OVER),
    summaryFailed,
    stepped('s3', OVER),
  ];

  it('of failures stops after as many in a row', () => {
    const lines = linesOf(guarded('document-002', failures), failing);
    expect(lines.slice(3)).toEqual([
      ['overflow after-step', 'marker-queued auto', expect.stringMatching(/^summarise /)],
      ['summary-failed', 'stop summary-failed'],
      ['overflow after-step', 'stop breaker: 2 failed compactions in a row'],
    ]);
    expect(lastLines(guarded('document-002'), failing)?.[1]).toBe('marker-queued auto');
  });

  it('of failures also stops an attempt that is waiting to be tried again', () => {
    const waiting = [
      ...overflown,
      summaryFailed,
      stepped('s2', 1),
      summaryFailed,
      stepped('s3', 1),
    ];
    const unfinished = waiting.map((input) =>
      input.type === 'step-finished' && input.message.id !== 's1'
        ? { ...input, message: { ...input.message, finish: '' } }
        : input,
    );
    expect(lastLines(guarded('opencode-1.2.16', failures), unfinished)).toEqual([
      'stop breaker: 2 failed compactions in a row',
    ]);
    expect(lastLines(guarded('opencode-1.2.16'), unfinished)?.[0]).toMatch(/^summarise /);
  });

  it('of failures counts rejected summaries, and starts again after a good one', () => {
    const policy = guarded('document-002', { ...failures, rejectEmptySummary: true });
    const rejected = [...overflown, answered(''), stepped('s2', OVER), answered('')];
    expect(lastLines(policy, [...rejected, stepped('s3', OVER)])?.at(-1)).toMatch(/^stop breaker/);
    const mended = [
      ...overflown,
      answered(''),
      stepped('s2', OVER),
      summarised(),
      stepped('s3', OVER),
      answered(''),
    ];
    expect(lastLines(policy, [...mended, stepped('s4', OVER)])?.at(-1)).toMatch(/^summarise /);
  });

  it('of pivots without effect stops after as many in a row', () => {
    const words = 'x'.repeat(4_000);
    const rounds = [1, 2].flatMap((round) => [stepped(`s${round}`, OVER), answered(words)]);
    const inputs = [said('u1'), ...rounds, stepped('s3', OVER)];
    expect(lastLines(guarded('document-002', { maxIneffective: 2 }), inputs)).toEqual([
      'overflow after-step',
      'stop breaker: 2 compactions in a row without effect',
    ]);
    expect(lastLines(guarded('document-002', { maxIneffective: 3 }), inputs)?.[1]).toBe(
      'marker-queued auto',
    );
  });

  it('of pivots without effect starts again after one that had some', () => {
    const words = 'x'.repeat(4_000);
    const answers = [answered(words), answered('All.'), answered(words)];
    const rounds = answers.flatMap((answer, index) => [stepped(`s${index}`, OVER), answer]);
    const inputs = [said('u1'), ...rounds, stepped('s4', OVER)];
    expect(lastLines(guarded('document-002', { maxIneffective: 2 }), inputs)?.[1]).toBe(
      'marker-queued auto',
    );
  });

  it.each([
    ['starts again when a person asks for something', said('u2'), 'marker-queued auto'],
    ['goes on when a program speaks', hint, 'stop breaker: 2 compactions in a row without effect'],
  ])('of pivots without effect %s', (_, input, expected) => {
    const rounds = [1, 2].flatMap((round) => [
      stepped(`s${round}`, OVER),
      answered('x'.repeat(4_000)),
    ]);
    const inputs = [said('u1'), ...rounds, input, stepped('s3', OVER)];
    expect(lastLines(guarded('document-002', { maxIneffective: 2 }), inputs)?.[1]).toBe(expected);
  });

  it.each<PolicyName>(['document-002', 'document-000', 'opencode-0.8', 'opencode-1.2.16'])(
    'of refills stops when each of the next two steps fills up again, wherever that is checked: %s',
    (name) => {
      const rounds = [1, 2, 3].flatMap((round) => [stepped(`s${round}`, OVER), summarised()]);
      const inputs = [said('u1', 'x'.repeat(4_000)), ...rounds, stepped('s4', OVER)];
      expect(lastLines(guarded(name, { maxRefilled: 3 }), inputs)?.at(-1)).toBe(
        'stop breaker: 3 compactions in a row filled up again by the next steps',
      );
      expect(lastLines(guarded(name, { maxRefilled: 4 }), inputs)?.at(-1)).toMatch(/^summarise /);
      const rested = (...quiet: string[]) => [
        ...inputs.slice(0, -1),
        ...quiet.map((id) => stepped(id, 1)),
        stepped('s4', OVER),
      ];
      const last = (script: readonly LoopInput[]) =>
        lastLines(guarded(name, { maxRefilled: 3 }), script)?.at(-1);
      expect(last(rested('q1'))).toMatch(/^stop breaker/);
      expect(last(rested('q1', 'q2'))).toMatch(/^summarise /);
    },
  );

  it('of refills stops a request that is refused after each compaction', () => {
    const rounds = [1, 2].flatMap(() => [refused, summarised()]);
    const inputs = [said('u1'), ...rounds, refused];
    expect(lastLines(guarded('opencode-1.2.16', { maxRefilled: 2 }), inputs)).toEqual([
      'overflow refused',
      'stop breaker: 2 compactions in a row filled up again by the next steps',
    ]);
    expect(lastLines(guarded('opencode-1.2.16'), inputs)?.[1]).toBe('marker-queued auto');
  });

  it('counts failures over turns, whoever speaks in between', () => {
    const policy = guarded('document-002', failures);
    const open = failing.slice(0, -1);
    expect(lastLines(policy, [...open, said('u2'), stepped('s3', OVER)])?.at(-1)).toMatch(
      /^stop breaker/,
    );
    expect(lastLines(policy, [...open, hint, stepped('s3', OVER)])?.at(-1)).toMatch(
      /^stop breaker/,
    );
  });

  it('keeps nobody from compacting by hand', () => {
    const inputs = [...failing.slice(0, -1), compact];
    expect(lastLines(guarded('document-002', failures), inputs)).toEqual([
      'marker-queued manual',
      expect.stringMatching(/^summarise /),
    ]);
  });
});
