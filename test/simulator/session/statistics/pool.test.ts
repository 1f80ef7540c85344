import { describe, expect, it } from 'vitest';
import type { Part } from '../../../../src/engine/index.ts';
import { poolTools } from '../../../../src/simulator/session/statistics/pool.ts';
import { sampleSession } from '../../../../src/simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../../../src/simulator/session/statistics/sample.ts';
import { callOn, promptAt, sessionOf, stepAt } from './session.ts';

const toolsOf = (...calls: readonly Part[]) =>
  poolTools([sampleSession(sessionOf([promptAt(1, 'go'), stepAt(2, 10, calls)]), charsEstimator)]);

describe('poolTools', () => {
  it('knows no output of a search that the provider made itself', () => {
    const searches = [callOn('q', 'web_search', ''), callOn('q', 'web_search', '')];
    const tools = toolsOf(...searches, callOn('/a', 'read', ''));
    expect(tools['web_search']).toMatchObject({
      calls: 2,
      outputs: 0,
      duplicateRate: null,
      outputTokens: null,
    });
    expect(tools['read']).toMatchObject({ calls: 1, outputs: 1, outputTokens: { max: 0 } });
  });

  it('weighs arguments as they were sent: a text without the marks of JSON', () => {
    const state = { status: 'completed', input: 'line "one"\nline', output: 'ok' } as const;
    const patch = { type: 'tool', id: 'p', callId: 'p', tool: 'patch', state } as const;
    const tools = toolsOf(patch);
    expect(tools['patch']?.argumentTokens).toMatchObject({ n: 1, mean: 15 / 4 });
  });
});
