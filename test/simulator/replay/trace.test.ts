import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message, Part } from '../../../src/engine/index.ts';
import { inSameForm, withUsage } from '../../../src/simulator/replay/trace.ts';
import { pivotedHistories, toolHistories } from '../../support/arbitraries.ts';
import { file, step, text, tool, toolIn } from '../../support/history.ts';

const histories = fc.oneof(toolHistories, pivotedHistories);
const usage = { input: 1, output: 2, reasoning: 0, cacheRead: 3, cacheWrite: 4 };

/** What is not looked into. */
const WHOLE = new Set(['error', 'input', 'usage']);

/** The same value with the fields of its objects the other way round. */
function turned<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(turned) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => [
    key,
    WHOLE.has(key) ? one : turned<unknown>(one),
  ]);
  return Object.fromEntries(entries.toReversed()) as Value;
}

/** A message with all fields of its kind. */
function withAllFields(message: Message): Message {
  if (message.role === 'user') return message;
  const absent = { finish: undefined, error: undefined, usage: undefined, model: undefined };
  return { ...absent, summary: undefined, ...message };
}

describe('inSameForm', () => {
  it('says the same', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const message of history)
          expect(inSameForm(message)).toStrictEqual(withAllFields(message));
      }),
      { numRuns: 50 },
    );
  });

  it('does not depend on the order of fields', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const message of history) {
          const other = JSON.stringify(inSameForm(turned(message)));
          expect(other).toBe(JSON.stringify(inSameForm(message)));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keeps every field that a message can have', () => {
    const parts: readonly Part[] = [
      text('p1', 'x', { synthetic: false, ignored: true }),
      { type: 'reasoning', id: 'p2', text: 'so', signedBy: 'anthropic' },
      tool('p3', 'out', { compactedAt: 0, attachments: [file('f1', 'image/png')] }),
      toolIn('p4', { status: 'error', input: [1], error: 'no', partialOutput: '' }),
      toolIn('p5', { status: 'pending', input: null }),
      { type: 'step-start', id: 'p6', snapshot: 'a' },
      { type: 'step-finish', id: 'p7', reason: 'stop', snapshot: 'b' },
      { type: 'compaction', id: 'p8', auto: false, overflow: false, tailStartId: 'm1' },
      { type: 'subtask', id: 'p9', prompt: 'go' },
      file('p10', 'image/png'),
    ];
    const error = { name: 'APIError', message: 'overloaded' };
    const whole = step('m1', parts, { usage, error, model: 'a/b', summary: false });
    expect(inSameForm(whole)).toStrictEqual(whole);
  });
});

describe('the usage of a step', () => {
  const steps = fc
    .record(
      {
        finish: fc.constantFrom('stop', undefined),
        model: fc.constant('a/b'),
        error: fc.constant({ name: 'APIError', message: 'overloaded' }),
        summary: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .map((fields) => inSameForm(step('s1', [text('p1', 'x')], fields)) as AssistantMessage);

  it('comes first and changes nothing else, whatever a step has', () => {
    fc.assert(
      fc.property(steps, (message) => {
        const { usage: _, ...others } = message;
        const expected = JSON.stringify({ usage, ...others });
        expect(JSON.stringify(withUsage(message, usage))).toBe(expected);
        expect(withUsage(message, usage)).toStrictEqual({ ...message, usage });
      }),
    );
  });

  it('is taken off', () => {
    fc.assert(
      fc.property(steps, (message) => {
        expect(withUsage(withUsage(message, usage), undefined)).toStrictEqual(message);
      }),
    );
  });

  it('leaves the same fields in the same order, whatever a step has', () => {
    fc.assert(
      fc.property(steps, steps, (one, other) => {
        expect(Object.keys(withUsage(one, usage))).toEqual(Object.keys(other));
      }),
    );
  });
});
