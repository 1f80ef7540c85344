import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { collectRun, runTrace, runTraceAsync } from '../../../src/simulator/replay/run-trace.ts';
import type { AsyncSummarizer } from '../../../src/simulator/summarizer/summarizer.ts';
import { chat, eventsOf, fixed, modelOf, traceOf } from './lab.ts';

const TURNS = chat(3, 4_600);

/** A summarizer that answers a little later. */
const later: AsyncSummarizer = {
  name: 'lab',
  isAsync: true,
  summarise: async (request, tools) => fixed.summarise(request, tools),
};

describe('a run whose summarizer makes it wait', () => {
  const options = { policy: policies['opencode-1.2.16'], model: modelOf(), seed: 1 };

  it('gives the same events as one whose summarizer does not', async () => {
    const trace = traceOf(TURNS);
    const atOnce = [...runTrace(trace, { ...options, summarizer: fixed })];
    const events = await collectRun(trace, { ...options, summarizer: later });
    expect(eventsOf(events, 'pivot').length).toBeGreaterThan(0);
    expect(events).toEqual(atOnce);
    expect(collectRun(trace, { ...options, summarizer: fixed })).toEqual(atOnce);
  });

  it('asks nothing more when it was aborted', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    const events = runTraceAsync(traceOf(TURNS), {
      ...options,
      summarizer: later,
      signal: controller.signal,
    });
    await expect(events.next()).resolves.toMatchObject({ done: false });
    await expect(
      (async () => {
        for await (const _ of events);
      })(),
    ).rejects.toThrow('enough');
  });

  it('tells the summarizer which repetition it is and how the policy shows messages', async () => {
    const seen: unknown[] = [];
    const summarizer: AsyncSummarizer = {
      ...later,
      summarise: async (request, tools) => {
        seen.push([tools.repeat, tools.render]);
        return fixed.summarise(request, tools);
      },
    };
    await collectRun(traceOf(TURNS), { ...options, summarizer, repeat: 3 });
    expect(seen[0]).toEqual([3, options.policy.render]);
  });
});
