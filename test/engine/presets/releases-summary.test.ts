import { describe, expect, it } from 'vitest';
import {
  type LoopInput,
  type Policy,
  policies,
  resolvePolicy,
  viewOf,
} from '../../../src/engine/index.ts';
import { namesOf } from '../../support/drive.ts';
import {
  final,
  overfilled,
  play,
  refused,
  said,
  type Script,
  stepped,
  summarised,
  summaryFailed,
  summaryOverflowed,
} from '../../support/script.ts';
import { between, classic, from, until, named, lastLines } from '../../support/releases.ts';

const { 'opencode-1.14.40': twice, 'opencode-2.0': newest } = policies;
const off = (policy: Policy) => resolvePolicy(policy, { trigger: { auto: false } });

describe('a refusal by the provider', () => {
  const second = [said('u1'), final('s1', 10), said('u2'), refused];

  it.each(named(until('opencode-1.1.60')))('ends the turn: %s', (_, policy) => {
    expect(lastLines(policy, second).lines).toEqual(['overflow refused', 'stop refused']);
  });

  it.each(named(from('opencode-1.2.16')))(
    'compacts, and the prompt is sent again: %s',
    (_, policy) => {
      expect(lastLines(policy, second).lines).toEqual([
        'overflow refused',
        'marker-queued auto',
        'summarise u1 s1',
      ]);
      expect(lastLines(policy, [...second, summarised()]).lines).toEqual([
        'compacted auto replay',
        'request marker summary replay',
      ]);
    },
  );

  it.each(named([...from('opencode-1.2.16'), newest]))(
    'heeds auto off from 1.16 on: %s',
    (_, policy) => {
      const heeds = [...from('opencode-1.16'), newest].includes(policy);
      expect(lastLines(off(policy), second).lines[1]).toBe(
        heeds ? 'stop auto-off' : 'marker-queued auto',
      );
    },
  );

  it('is recovered from once a turn in 2.0', () => {
    const policy = resolvePolicy(newest, { guards: { remindMissingHeadings: false } });
    expect(policy).toPlay([
      [said('u1'), 'request u1'],
      [refused, 'overflow refused', 'marker-queued auto', 'summarise u1'],
      [summarised(), 'compacted auto', 'request summary'],
      [refused, 'overflow refused', 'stop refused'],
      [said('u2'), 'request summary u2'],
      [refused, 'overflow refused', 'marker-queued auto', 'summarise summary u2'],
    ]);
  });
});

const tail = (policy: Policy) => lastLines(policy, [...overfilled, summarised()]).lines.slice(0, 2);

describe('the newest turns', () => {
  it('are summarised until 1.14.18, stay in order of time until 1.14.39, and behind the summary later', () => {
    const shown = (list: readonly Policy[]) => [...new Set(list.map((policy) => tail(policy)[1]))];
    expect(shown(until('opencode-0.9.9'))).toEqual(['request summary']);
    expect(shown(between('opencode-0.10', 'opencode-1.0.62'))).toEqual([
      'request summary continue',
    ]);
    expect(shown(between('opencode-1.0.69', 'opencode-1.3.16'))).toEqual([
      'request marker summary continue',
    ]);
    expect(shown(between('opencode-1.14.19', 'opencode-1.14.21'))).toEqual([
      'request u2 s2 u3 s3 marker summary continue',
    ]);
    expect(shown([twice])).toEqual(['overflow before-request']);
    expect(shown(between('opencode-1.15', 'opencode-1.18.15'))).toEqual([
      'request marker summary u2 s2 u3 s3 continue',
    ]);
    // All of it would fit, so that nothing of it stays.
    expect(shown(from('opencode-1.18.17'))).toEqual(['request marker summary continue']);
  });

  it('are taken for the newest step in 1.14.40, which compacts twice, and exactly once in 1.18', () => {
    const compactions = named(classic).map(([name, policy]) => {
      const first = play(
        policy,
        [...overfilled, summarised()].map((input) => [input]),
      );
      const again = play(
        policy,
        [...overfilled, summarised(), summarised()].map((input) => [input]),
      );
      const lines = [...first.played, ...again.played.slice(-1)].flatMap(([, ...told]) => told);
      return [name, lines.filter((line) => line.startsWith('compacted')).length];
    });
    expect(compactions.filter(([, count]) => count !== 1)).toEqual([['opencode-1.14.40', 2]]);
  });
});

describe('a failed attempt with a tail', () => {
  it.each<[string, Policy, LoopInput, string]>([
    [
      'hides what precedes the tail in 1.14.40',
      twice,
      summaryFailed,
      'marker failed-summary u2 s2 u3 s3 u4 marker',
    ],
    [
      'hides the same in 1.14.51, which takes no old step for the newest',
      policies['opencode-1.15'],
      summaryFailed,
      'marker failed-summary u2 s2 u3 s3 u4',
    ],
    [
      'hides nothing in 1.14.19, which does not reorder',
      policies['opencode-1.14.19'],
      summaryFailed,
      'u1 s1 u2 s2 u3 s3 marker failed-summary u4',
    ],
    [
      'hides nothing in 1.14.21 either',
      policies['opencode-1.14.21'],
      summaryFailed,
      'u1 s1 u2 s2 u3 s3 marker failed-summary u4',
    ],
    [
      'hides nothing if its request was too large, as no tail is stored then',
      twice,
      summaryOverflowed,
      'u1 s1 u2 s2 u3 s3 marker failed-summary u4',
    ],
  ])('%s', (...[, policy, failure, expected]) => {
    const { state } = lastLines(policy, [...overfilled, failure, said('u4')]);
    expect(namesOf(viewOf(state))).toBe(expected);
  });
});

describe('a summary', () => {
  const overflown = [said('u1'), stepped('s1', 101)];
  const empty: LoopInput = { type: 'summary-finished', result: { text: '', finish: 'stop' } };

  it.each(named(classic))('is accepted empty: %s', (_, policy) => {
    expect(lastLines(policy, [...overflown, empty]).lines[0]).toBe('compacted auto');
  });

  it('is rejected empty in 2.0', () => {
    const asked = [said('u1'), refused, empty];
    const { lines, state } = lastLines(newest, asked);
    expect(lines).toEqual(['summary-rejected: the summary is empty', 'stop summary-failed']);
    expect(state.history.map(({ id }) => id)).toEqual(['u1']);
  });

  it.each(named(from('opencode-1.0.69')))(
    'that failed is tried again in the next turn, in vain: %s',
    (_, policy) => {
      const script: Script = [
        [said('u1'), 'request u1'],
        [stepped('s1', 101)],
        [summaryFailed, 'summary-failed', 'stop summary-failed'],
      ];
      const inputs = [...script.map(([input]) => input), said('u2'), summarised()];
      expect(lastLines(policy, inputs).lines).toEqual([
        'compacted auto',
        'request u1 s1 marker failed-summary u2 summary continue',
      ]);
    },
  );

  it.each(named(between('opencode-1.14.21', 'opencode-1.18.15')))(
    'that was tried again in vain is summarised as it stands, and so is the attempt: %s',
    (name, policy) => {
      const inputs = [...overflown, summaryFailed, said('u2'), summarised()];
      const { lines } = lastLines(policy, [...inputs, stepped('s2', 101)]);
      expect([name, lines.at(-1)]).toEqual([name, 'summarise u1 s1 marker failed-summary']);
    },
  );

  it('that failed hides the whole history in 0.8', () => {
    const { lines } = lastLines(policies['opencode-0.8'], [
      ...overflown,
      summaryFailed,
      said('u2'),
    ]);
    expect(lines).toEqual(['request failed-summary u2']);
  });

  it.each(named(from('opencode-1.0.69')))(
    'that was too large leaves the next turn uncompacted from 1.2.16 on: %s',
    (_, policy) => {
      const { lines } = lastLines(policy, [...overflown, summaryOverflowed, said('u2')]);
      expect(lines).toEqual(
        from('opencode-1.2.16').includes(policy)
          ? ['request u1 s1 marker failed-summary u2']
          : ['summarise u1 s1 marker failed-summary u2'],
      );
    },
  );

  it('over the limit itself ends the turn before 1.2.16', () => {
    const ending = classic.filter((policy) =>
      lastLines(policy, [...overflown, summarised(101)]).lines.includes('stop finished'),
    );
    expect(ending).toEqual(between('opencode-1.0.69', 'opencode-1.1.60'));
  });
});
