import { describe, expect, it } from 'vitest';
import { type Limits, type Policy, policies, resolvePolicy } from '../../../src/engine/index.ts';
import { step, tool, usage } from '../../support/history.ts';
import { final, LIMITS, play, said, stepped, summarised, turnEnded } from '../../support/script.ts';
import { between, classic, from, until, named, lastLines } from '../../support/releases.ts';

const { 'opencode-1.14.40': twice, 'opencode-2.0': newest } = policies;

/** The smallest count at which a policy compacts after a first step. */
function threshold(policy: Policy, limits: Limits): number {
  const compacts = (count: number) =>
    lastLines(policy, [said('u1'), stepped('s1', count)], limits).lines.some((line) =>
      line.startsWith('marker-queued'),
    );
  return Array.from({ length: 200 }, (_, count) => count).findIndex(compacts);
}

/** A turn of 500 measured tokens, and a prompt of that many more. */
const turn = (words: number) => [said('u1'), final('s1', 500), said('u2', 'x'.repeat(4 * words))];

describe('the check for an overflow', () => {
  it.each(named(until('opencode-1.1.54')))('compacts above what is usable: %s', (_, policy) => {
    expect(threshold(policy, LIMITS)).toBe(101);
  });

  it.each(named(from('opencode-1.1.57')))('compacts at what is usable: %s', (_, policy) => {
    expect(threshold(policy, LIMITS)).toBe(100);
  });

  it('takes a reserve from a window without an input cap in 1.1.57 only', () => {
    const reached = named(classic).map(([name, policy]) => {
      const reserving = resolvePolicy(policy, { trigger: { reservedTokens: 10 } });
      return [name, threshold(reserving, LIMITS)];
    });
    expect(reached.filter(([, tokens]) => tokens !== 100 && tokens !== 101)).toEqual([
      ['opencode-1.1.57', 140],
    ]);
  });

  it('takes a reserve from an input cap from 1.1.57 on', () => {
    const reach = (policy: Policy) => {
      const reserving = resolvePolicy(policy, { trigger: { reservedTokens: 10 } });
      return threshold(reserving, { ...LIMITS, inputTokens: 120 });
    };
    const capped = between('opencode-1.1.23', 'opencode-1.1.54');
    expect(new Set(until('opencode-1.0.224').map(reach))).toEqual(new Set([101]));
    expect(new Set(capped.map(reach))).toEqual(new Set([121]));
    expect(new Set(from('opencode-1.1.57').map(reach))).toEqual(new Set([110]));
  });

  it('counts cache writes from 1.1.57 on', () => {
    const counting = classic.filter((policy) => {
      const wrote = stepped('s1', 0, { finish: 'tool-calls', usage: usage({ cacheWrite: 500 }) });
      return lastLines(policy, [said('u1'), wrote]).lines.length > 1;
    });
    expect(counting).toEqual(from('opencode-1.1.57'));
  });

  it('of 2.0 counts what came after the measured step', () => {
    const limits = { contextTokens: 1_000, outputTokens: 100 };
    const policy = resolvePolicy(newest, { trigger: { reservedTokens: 100 } });
    expect(lastLines(policy, turn(399), limits).lines).toEqual(['request u1 s1 u2']);
    expect(lastLines(policy, turn(400), limits).lines[0]).toBe('overflow before-request');
  });

  it('of 2.0 counts also what the measured step was given by its tools', () => {
    const limits = { contextTokens: 1_000, outputTokens: 100 };
    const policy = resolvePolicy(newest, { trigger: { reservedTokens: 100 } });
    const given = (tokens: number) => {
      const options = { finish: 'tool-calls', usage: usage({ input: 500 }) };
      const message = step('s1', [tool('t1', 4 * tokens)], options);
      return lastLines(policy, [said('u1'), { type: 'step-finished', message }], limits).lines[0];
    };
    expect(given(399)).toBe('request u1 s1');
    expect(given(400)).toBe('overflow before-request');
  });

  it.each<[string, Policy, string[], string]>([
    [
      '0.8 at the next turn',
      policies['opencode-0.8'],
      ['stop finished'],
      'overflow before-request',
    ],
    [
      '1.1.57 at once',
      policies['opencode-1.1.57'],
      ['overflow after-step', 'marker-queued auto', 'summarise u1 s1 marker'],
      'ignored step-finished',
    ],
  ])('finds a final answer over the limit in %s', (...[, policy, atOnce, next]) => {
    const answered = [said('u1'), final('s1', 101)];
    expect(lastLines(policy, answered).lines).toEqual(atOnce);
    const after = next.startsWith('ignored') ? final('s2', 1) : said('u2');
    expect(lastLines(policy, [...answered, after]).lines[0]).toBe(next);
  });

  it('takes 32,000 for the longest answer after a step from 1.15.1 on, whatever the cap', () => {
    const limits = { contextTokens: 100_000, outputTokens: 64_000 };
    const at = (policy: Policy) => {
      const uncapped = resolvePolicy(policy, { trigger: { outputCapTokens: 64_000 } });
      return lastLines(uncapped, [said('u1'), stepped('s1', 40_000)], limits).lines[0];
    };
    const later = from('opencode-1.15').map(at);
    expect([at(twice), ...later]).toEqual([
      'overflow after-step',
      ...later.map(() => 'overflow before-request'),
    ]);
  });
});

describe('a prune', () => {
  it('runs at the end of a turn until 1.14.18, and later only if asked for', () => {
    const pruning = classic.filter(
      (policy) => lastLines(policy, [said('u1'), final('s1', 1), turnEnded]).lines.length > 0,
    );
    expect(pruning).toEqual(until('opencode-1.3.16').slice(1));
    const asked = resolvePolicy(policies['opencode-1.14.19'], { prune: { enabled: true } });
    expect(lastLines(asked, [said('u1'), final('s1', 1), turnEnded]).lines).toEqual([
      'pruned nothing',
    ]);
  });
});

describe('a window of which nothing is usable', () => {
  const limits = { contextTokens: 16_384 };

  it.each(named(from('opencode-1.2.16')))(
    'is compacted after every step, and each waits for a step: %s',
    (_, policy) => {
      const rounds = [1, 2, 3, 4].flatMap((round) => [stepped(`s${round}`, 0), summarised()]);
      const { played } = play(
        policy,
        [said('u1'), ...rounds].map((input) => [input]),
        limits,
      );
      const lines = played.map(([, ...told]) => told.map((line) => line.split(' ')[0]).join(' '));
      expect(lines).toEqual([
        'request',
        ...[1, 2, 3, 4].flatMap(() => ['overflow marker-queued summarise', 'compacted request']),
      ]);
    },
  );

  it.each(named(between('opencode-1.0.69', 'opencode-1.1.60')))(
    'ends the turn after each summary: %s',
    (_, policy) => {
      expect(lastLines(policy, [said('u1'), stepped('s1', 0), summarised()], limits).lines).toEqual(
        ['compacted auto', 'stop finished'],
      );
    },
  );
});
