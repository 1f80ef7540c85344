import { describe, expect, it } from 'vitest';
import {
  ALL_GUARDS,
  isSummary,
  policies,
  resolvePolicy,
  type UserMessage,
} from '../../../src/engine/index.ts';
import {
  collectRun,
  type RunOptions,
  runTrace,
  runTraceAsync,
} from '../../../src/simulator/replay/run-trace.ts';
import type { Failure, Fault } from '../../../src/simulator/scenario/scenario.ts';
import type {
  AsyncSummarizer,
  CallRecord,
  SummaryAnswer,
} from '../../../src/simulator/summarizer/summarizer.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { onSummary, overflowing, roomyModel } from './faults.ts';
import { chat, eventsOf, fixed, modelOf, roomy, run, summarizerOf, traceOf, work } from './lab.ts';

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

describe('a summary that is written while the loop goes on', () => {
  const policy = policies['copilot-cli'];
  const model = modelOf({ cache: 'anthropic-5m' });
  const { events, lines, steps, view } = run(work(20, 500), { policy, model });

  it('is asked for at four fifths of the window, and takes effect two steps later', () => {
    expect(lines.slice(14, 21)).toEqual([
      'step 15',
      'overflow before-request',
      'summary answered',
      'step 16',
      'step 17',
      'pivot auto',
      'step 18',
    ]);
    expect(lines.at(-1)).toBe('completed');
    expect(view).toBe('marker replay summary s16 s17 s18 s19 s20');
  });

  it('is billed for what the session held then, which the cache knows up to the newest output', () => {
    const [asked] = eventsOf(events, 'summary-end');
    const before = steps[14]!;
    expect(asked!.cacheReadTokens).toBe(before.contextTokens);
    expect(asked!.inputTokens).toBeGreaterThan(before.contextTokens + 500);
    expect(asked!.inputTokens).toBeLessThan(before.contextTokens + 1_000);
  });

  it('weighs what the next requests hold, before it and after it', () => {
    const [pivot] = eventsOf(events, 'pivot');
    const [sixteenth, seventeenth, eighteenth] = steps.slice(15, 18);
    const stepTokens = seventeenth!.contextTokens - sixteenth!.contextTokens;
    expect(pivot!.contextBeforeTokens).toBe(seventeenth!.contextTokens + stepTokens);
    expect(pivot!.contextAfterTokens).toBe(eighteenth!.contextTokens);
    expect(pivot!.contextAfterTokens).toBeLessThan(2_000);
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

const TURNS = chat(3, 4_600);
const guarded = resolvePolicy(policies['opencode-1.18'], { guards: ALL_GUARDS });

/** A summarizer that answers as another one does, a little later. */
function later(answer: SummaryAnswer | typeof fixed): AsyncSummarizer {
  return {
    name: 'lab',
    isAsync: true,
    summarise: async (request, tools) =>
      'state' in answer ? answer : answer.summarise(request, tools),
  };
}

describe('a run whose summarizer makes it wait', () => {
  const options = { policy: policies['opencode-1.2.16'], model: modelOf(), seed: 1 };

  it('gives the same events as one whose summarizer does not', async () => {
    const trace = traceOf(TURNS);
    const atOnce = [...runTrace(trace, { ...options, summarizer: fixed })];
    const events = await collectRun(trace, { ...options, summarizer: later(fixed) });
    expect(eventsOf(events, 'pivot').length).toBeGreaterThan(0);
    expect(events).toEqual(atOnce);
    expect(collectRun(trace, { ...options, summarizer: fixed })).toEqual(atOnce);
  });

  it('asks nothing more when it was aborted', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    const events = runTraceAsync(traceOf(TURNS), {
      ...options,
      summarizer: later(fixed),
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
      ...later(fixed),
      summarise: async (request, tools) => {
        seen.push([tools.repeat, tools.render]);
        return fixed.summarise(request, tools);
      },
    };
    await collectRun(traceOf(TURNS), { ...options, summarizer, repeat: 3 });
    expect(seen[0]).toEqual([3, options.policy.render]);
  });
});

describe('what a summarizer tells of a call', () => {
  const usage = { input: 70, output: 9, reasoning: 0, cacheRead: 30, cacheWrite: 0, total: 109 };
  /** The run whose summarizer tells this of its call, and what it ends with. */
  function telling(call: CallRecord, options: Partial<RunOptions> = {}) {
    const answer = {
      state: 'finished',
      text: '## Goal\nAll of it.',
      finish: 'stop',
      call,
    } as const;
    const told = run(TURNS, { summarizer: summarizerOf(() => answer), ...options });
    return { ...told, event: eventsOf(told.events, 'summary-end')[0] };
  }

  it('stands in place of what was simulated', () => {
    const { event } = telling({ usage, costNanoUsd: 123, latencyMs: 4_000 });
    expect(event).toMatchObject({
      cacheReadTokens: 30,
      cacheWriteTokens: 0,
      freshTokens: 70,
      costNanoUsd: 123,
      latencyMs: 4_000,
    });
  });

  it('leaves the cost unknown where the model has no price', () => {
    expect(telling({ usage }).event).not.toHaveProperty('costNanoUsd');
  });

  it.each([
    ['unknown where nobody knows the model', undefined, undefined],
    ['simulated where the model is known', modelOf(), expect.any(Number)],
  ])('whose provider counted nothing leaves the cost %s', (_, summaryModel, costNanoUsd) => {
    const { event } = telling({ model: 'lab/m' }, { summaryModel });
    expect(event?.costNanoUsd).toEqual(costNanoUsd);
  });

  it('is that of a mock where it tells but how long it took, which costs what was simulated', () => {
    const { event } = telling({ latencyMs: 4_000 });
    expect(event).toMatchObject({ latencyMs: 4_000, costNanoUsd: expect.any(Number) });
  });

  it('is what the policy is told that the summary took', () => {
    const { history } = telling({ usage }).state;
    expect(history.find(isSummary)).toMatchObject({ usage });
  });
});

describe('a scripted failure', () => {
  it.each<[string, readonly string[]]>([
    ['scripted:429=30', Array.from({ length: 9 }, () => 'summary failed: rate-limit, waits 30000')],
    ['scripted:500', ['summary failed: fail']],
    ['scripted:abort=7', ['summary failed: abort']],
  ])('%s befalls the run as the same fault would', (name, expected) => {
    const { lines } = run(TURNS, { summarizer: findSummarizer(name) });
    expect(lines.filter((line) => line.startsWith('summary failed:'))).toEqual(
      expect.arrayContaining([...expected]),
    );
    expect(lines.filter((line) => line.startsWith('pivot'))).toEqual([]);
  });

  it('goes down the ladder where the summarizer itself is too small', () => {
    const { lines } = run(TURNS, {
      policy: guarded,
      summaryModel: roomy,
      summarizer: findSummarizer('scripted:overflow=5200'),
    });
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^repeated: /)]));
    expect(lines.some((line) => line.startsWith('pivot'))).toBe(true);
  });

  it('is known for an overflow by the words that the policy knows', () => {
    const error = {
      message: 'prompt has 9,000 tokens, but the configured context size is 8,000 tokens',
    };
    const summarizer = summarizerOf(() => ({
      state: 'failed',
      reason: error.message,
      isOverflow: true,
      error,
      tries: 1,
    }));
    const ends = (policy: (typeof policies)['opencode-1.18']) =>
      run(TURNS, { policy, summarizer, summaryModel: roomy }).lines.filter((line) =>
        /^(?:repeated|summary failed)/.test(line),
      );
    const older = resolvePolicy(guarded, { reading: { overflowErrors: 'v1.17.15' } });
    const newer = resolvePolicy(guarded, { reading: { overflowErrors: 'v1.18.4' } });
    expect(ends(newer).some((line) => line.startsWith('repeated'))).toBe(true);
    expect(ends(older).some((line) => line.startsWith('repeated'))).toBe(false);
  });

  it('is final where a client has tried already', () => {
    const summarizer = summarizerOf(() => ({
      state: 'failed',
      reason: '429 Too Many Requests',
      isOverflow: false,
      failure: { type: 'rate-limit' },
      tries: 4,
    }));
    const { lines } = run(TURNS, { summarizer });
    expect(lines).toContain('summary failed: 429 Too Many Requests');
    expect(lines.some((line) => line.includes('waits'))).toBe(false);
  });

  it('lets time pass while a slow summary is written', () => {
    const { events } = run(TURNS, { summarizer: findSummarizer('scripted:slow=90') });
    expect(eventsOf(events, 'summary-end')[0]?.latencyMs).toBe(90_000);
  });
});
