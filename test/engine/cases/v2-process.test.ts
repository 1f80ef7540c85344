import { describe, expect, it } from 'vitest';
import {
  type Limits,
  type LoopInput,
  policies,
  render,
  viewOf,
} from '../../../src/engine/index.ts';
import { summary, text } from '../../support/history.ts';
import {
  aborted,
  compact,
  final,
  LIMITS,
  play,
  refused,
  said,
  type Script,
  stepped,
  summaryFailed,
} from '../../support/script.ts';

const policy = policies['opencode-2.0'];
const answer: LoopInput = {
  type: 'summary-finished',
  result: { text: '## Objective\nAll of it.', finish: 'stop' },
};
const recovered: Script = [
  [said('u1'), 'request u1'],
  [refused, 'overflow refused', 'marker-queued auto', 'summarise u1'],
  [answer, 'compacted auto', 'request summary'],
  [final('s1', 1), 'stop finished'],
];

describe('v2Process', () => {
  it.each<[string, string, Limits]>([
    [
      'v2Process-001',
      'a refusal before any output',
      { contextTokens: 200_000, outputTokens: 32_000 },
    ],
    [
      'v2Process-003',
      'a raw failure that is taken for one',
      { contextTokens: 200_000, outputTokens: 32_000 },
    ],
    ['v2Process-007', 'one without known limits', { contextTokens: 0 }],
    [
      'v2Process-007',
      'one with limits that are too small',
      { contextTokens: 1, outputTokens: 1_000 },
    ],
  ])('%s: %s is recovered from by one compaction and one retry', (...[, , limits]) => {
    const { played, state } = play(policy, recovered, limits);
    expect(played).toEqual(recovered);
    expect(viewOf(state).map(({ role, id }) => `${role} ${id}`)).toEqual([
      expect.stringMatching(/^assistant message-/),
      'assistant s1',
    ]);
  });

  it('v2Process-005: an interrupted recovery stores no compaction', () => {
    const script: Script = [...recovered.slice(0, 2), [aborted, 'stop aborted']];
    const { played, state } = play(policy, script);
    expect(played).toEqual(script);
    expect(state.history.map(({ id }) => id)).toEqual(['u1']);
  });

  it('v2Process-008: a required compaction that fails stops the turn', () => {
    expect(policy).toPlay(
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 5_000), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1'],
        [summaryFailed, 'summary-failed', 'stop summary-failed'],
      ],
      LIMITS,
    );
  });

  it('v2Process-010: a short history is summarised whole by hand, and nothing recent is kept', () => {
    const script: Script = [
      [said('u1'), 'request u1'],
      [aborted, 'stop aborted'],
      [compact, 'marker-queued manual', 'summarise u1'],
      [answer, 'compacted manual', 'stop finished'],
    ];
    const { played, state } = play(policy, script);
    expect(played).toEqual(script);
    expect(state.history.at(-1)?.parts).toMatchObject([{ text: '## Objective\nAll of it.' }]);
    expect(state.history.at(-1)?.parts).toHaveLength(1);
  });

  it('v2SelectTail-007: where no message has any text, nobody is asked for a summary of nothing', () => {
    const fresh: Script = [
      [compact, 'ignored compact'],
      [said('u1', ''), 'request u1'],
      [refused, 'overflow refused', 'stop summary-failed: there is nothing to summarise'],
    ];
    const { played, state } = play(policy, fresh);
    expect(played).toEqual(fresh);
    expect(state.history.map(({ id }) => id)).toEqual(['u1']);
    const again: Script = [...recovered.slice(0, 2), [answer, 'compacted auto', 'request summary']];
    const checkpoint: Script = [...again, [aborted, 'stop aborted'], [compact, 'ignored compact']];
    expect(play(policy, checkpoint).played).toEqual(checkpoint);
  });

  it('v2Process-011: a checkpoint is one user message of two blocks, which says that it is history', () => {
    const checkpoint = summary('x', 'm1', { parts: [text('a', 'S'), text('b', 'R')] });
    const [sent, ...rest] = render([checkpoint], policy.render);
    expect(rest).toEqual([]);
    expect(sent?.role).toBe('user');
    const [content] = sent?.content ?? [];
    const shown = content?.type === 'text' ? content.text : '';
    expect(shown).toMatch(
      /^<conversation-checkpoint>\n[^<]*history[^<]*<summary>\nS\n<\/summary>\n<recent-context>\nR\n<\/recent-context>\n<\/conversation-checkpoint>$/,
    );
  });
});
