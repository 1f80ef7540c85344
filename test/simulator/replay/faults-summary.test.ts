import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy, type UserMessage } from '../../../src/engine/index.ts';
import type { Failure, Fault } from '../../../src/simulator/scenario/scenario.ts';
import { onSummary, overflowing, roomyModel } from './faults.ts';
import { chat, eventsOf, modelOf, run, work } from './lab.ts';

const document = policies['document-002'];

describe('a summary that fails', () => {
  const start = ['step 1', 'step 2', 'step 3', 'step 4', 'step 5', 'overflow after-step'];
  const before = 'u1 s1 u2 s2 u3 s3 u4 s4 u5 s5';
  /** A window that takes the whole session, although the policy compacts before. */
  const patient = modelOf({ trueContextTokens: 100_000 });

  it.each<[string, Failure, lines: readonly string[], error: unknown]>([
    [
      'leaves its error',
      { type: 'fail', message: 'out of order' },
      ['summary failed: fail', 'summary failed: out of order'],
      { name: 'APIError', message: 'out of order' },
    ],
    [
      'leaves that time was up',
      { type: 'time-out', afterMs: 5_000 },
      ['summary failed: time-out', 'summary failed: no answer within 5000 ms'],
      { name: 'APIError', message: 'no answer within 5000 ms' },
    ],
    [
      'leaves that it was cut off',
      { type: 'abort', afterTokens: 50 },
      ['summary failed: abort', 'summary failed: aborted after 50 tokens'],
      { name: 'MessageAbortedError', message: 'Aborted' },
    ],
    [
      'leaves the overflow that the policy knows',
      { type: 'overflow', message: 'prompt is too long' },
      ['summary failed: overflow', 'summary failed: prompt is too long'],
      expect.objectContaining({ name: 'ContextOverflowError' }),
    ],
    [
      'leaves an error where the policy does not know the overflow',
      { type: 'overflow', message: 'no' },
      ['summary failed: overflow', 'summary failed: no'],
      { name: 'APIError', message: 'no' },
    ],
  ])('%s', (_, failure, lines, error) => {
    const faults = onSummary(failure);
    const kept = run(overflowing, { ...roomyModel, model: patient, faults });
    expect(kept.lines.slice(0, start.length + 2)).toEqual([...start, ...lines]);
    expect(kept.history.startsWith(`${before} marker failed-summary u6`)).toBe(true);
    expect(kept.state.history[11]).toMatchObject({ error });
    const rolledBack = run(overflowing, {
      ...roomyModel,
      model: patient,
      faults,
      policy: document,
    });
    expect(rolledBack.lines.slice(0, start.length + 2)).toEqual([...start, ...lines]);
    expect(rolledBack.history.startsWith(`${before} u6`)).toBe(true);
  });

  it('is billed nothing', () => {
    const { events } = run(overflowing, {
      ...roomyModel,
      faults: onSummary({ type: 'fail' }, 9),
      model: patient,
    });
    const [failed] = eventsOf(events, 'summary-end');
    expect(failed).toMatchObject({ inputTokens: 0, outputTokens: 0, latencyMs: 0 });
    expect(failed).not.toHaveProperty('costNanoUsd');
  });

  it('makes way for a smaller request with the guard for it', () => {
    const policy = resolvePolicy(document, { guards: { shrinkSummaryRequest: true } });
    const { lines } = run(overflowing, {
      ...roomyModel,
      policy,
      faults: onSummary({ type: 'overflow' }),
    });
    expect(lines.filter((line) => /^(?:summary|repeated|pivot)/.test(line))).toEqual([
      'summary failed: overflow',
      expect.stringMatching(/^summary failed: This model's maximum context length is 1000000/),
      'repeated: too-large',
      'summary answered',
      'pivot auto',
    ]);
  });
});

describe('a prompt that comes in while a summary is written', () => {
  const faults: readonly Fault[] = [{ on: 'message', call: 1, text: 'Mind the tests.' }];

  it('stands behind the summary', () => {
    const { history, view, lines } = run(overflowing, { ...roomyModel, faults });
    expect(history).toBe(
      'u1 s1 u2 s2 u3 s3 u4 s4 u5 s5 marker summary interrupting-3 continue u6 s6',
    );
    expect(view).toBe('marker summary interrupting-3 continue u6 s6');
    expect(lines.at(-1)).toBe('completed');
  });

  it('has the words of the fault', () => {
    const { state } = run(overflowing, { ...roomyModel, faults });
    const message = state.history.find(({ id }) => id.includes('interrupting')) as UserMessage;
    expect(message.parts).toMatchObject([{ type: 'text', text: 'Mind the tests.' }]);
  });
});

describe('a compaction by hand', () => {
  const faults: readonly Fault[] = [{ on: 'compact', step: 2 }];
  const lines = ['step 1', 'summary answered', 'pivot by hand', 'step 2', 'step 3', 'completed'];

  it('comes before the prompt of the turn that its step opens', () => {
    const told = run(chat(3, 1_000), { faults });
    expect(told.lines).toEqual(lines);
    expect(told.history).toBe('u1 s1 marker summary u2 s2 u3 s3');
  });

  it('cuts off a turn that is under way', () => {
    const told = run(work(3, 1_000), { faults });
    expect(told.lines).toEqual(lines);
    expect(told.history).toBe('u1 s1 marker summary s2 s3');
  });

  it('is none for a policy that never compacts', () => {
    expect(run(work(3, 1_000), { faults, policy: policies.none }).lines).toEqual([
      'step 1',
      'step 2',
      'step 3',
      'completed',
    ]);
  });
});
