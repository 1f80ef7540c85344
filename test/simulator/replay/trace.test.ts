import { expect, it } from 'vitest';
import { withUsage } from '../../../src/simulator/replay/trace.ts';
import { step, text } from '../../support/history.ts';

it('replaces the usage of a step and nothing else', () => {
  const message = step('s1', [text('p1', 'x')], { finish: undefined, model: 'a/b', summary: true });
  const usage = { input: 1, output: 2, reasoning: 0, cacheRead: 3, cacheWrite: 4 };
  expect(withUsage(message, usage)).toEqual({ ...message, usage });
  expect(withUsage(withUsage(message, usage), undefined)).toEqual(message);
});
