import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import {
  type CompactionResult,
  type Compactor,
  generateSessions,
  judgeBaseline,
  qualityValues,
  runCompactor,
} from '../../../../src/simulator/testing.ts';
import { compaction } from '../../../../src/simulator/vitest.ts';

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const sessions = generateSessions({ workload: 'codex', count: 2, seed: 5 });
const model = createProfile('local/small', { contextTokens: 90_000, outputTokens: 4_000 });
const idle: Compactor = ({ messages }) => messages;
/** Clears all outputs but the newest. */
const clearing: Compactor = ({ messages }) =>
  messages.map((message, index) =>
    message.role !== 'tool' || index >= messages.length - 2
      ? message
      : {
          ...message,
          content: message.content.map((one) =>
            one.type === 'tool-result' ? { ...one, output: '(cleared)' } : one,
          ),
        },
  );
const careless: Compactor = ({ messages }) => messages.slice(-3);
/** Runs take long; what is given is the same every time, as a test below proves. */
const made: { own?: CompactionResult; lazy?: CompactionResult } = {};
beforeAll(async () => {
  made.own = await compaction({ compactor: clearing, sessions, model });
  made.lazy = await compaction({ compactor: idle, sessions, model });
});

describe('a compaction of several sessions', () => {
  it('holds a law only if all of its runs do', async () => {
    for (const careful of [0, 1]) {
      let started = -1;
      const one: Compactor = (request) => {
        if (request.messages.length === 1) started += 1;
        return started === careful ? request.messages : careless(request);
      };
      const result = await compaction({ compactor: one, sessions, model });
      const kept = result.runs.map((run) => run.holds('all'));
      expect(new Set(kept)).toEqual(new Set([false, true]));
      expect(result.holds('all')).toBe(false);
    }
  });
});

describe('generateSessions', () => {
  it.each([0, -1, 1.5, undefined])('makes up no %s sessions', (count) => {
    const options = { workload: 'codex', count } as { workload: string; count: number };
    expect(() => generateSessions(options)).toThrow(
      "Expected 'count' to be a whole number above 0",
    );
  });

  it.each<[string, unknown, string]>([
    ['options', undefined, 'Expected `options` to be an object, got undefined.'],
    ['workload', { count: 1 }, 'Expected `options.workload` to be a text, got undefined.'],
    ['seed by that name', { workload: 'codex', count: 1, seeed: 5 }, "count, seed, got 'seeed'."],
  ])('takes no call without %s', (_, options, message) => {
    expect(() => generateSessions(options as never)).toThrow(message);
  });
});

describe('runCompactor', () => {
  it('gives runs of somebody’s own compaction and of policies alike', async () => {
    const own = made.own!;
    const preset = await runCompactor({ policy: 'opencode-1.2.16', sessions, model });
    expect(own.runs.map(({ record }) => record.policy)).toEqual(['adapter', 'adapter']);
    expect(preset.record.policy).toBe('opencode-1.2.16');
    expect(own.record.session).toBe('2 sessions');
    expect(own.record.metrics.steps).toBe(preset.record.metrics.steps);
    expect(own.runs.map(({ name }) => name)).toEqual(sessions.map(({ name }) => name));
  });

  it('scores what is left of planted facts', async () => {
    const unlimited = createProfile('local/huge', { contextTokens: 10_000_000 });
    const retention = async (compactor: Compactor) => {
      const { runs } = await runCompactor({ compactor, session: sessions[0]!, model: unlimited });
      const score = runs[0]?.score();
      return score === undefined ? null : qualityValues(score).retention;
    };
    const [kept, left] = [await retention(idle), await retention(clearing)];
    expect(kept).toBeGreaterThan(0.9);
    expect(left).toBeLessThan(kept ?? 0);
  });

  it('has summaries written by whom it is told, also by one who makes it wait', async () => {
    const words = { state: 'finished', text: '## Goal\nAll of it.', finish: 'stop' } as const;
    const own = { name: 'own', summarise: () => words };
    const slow = { name: 'own', isAsync: true, summarise: async () => words } as const;
    const narrow = createProfile('local/small', { contextTokens: 20_000, outputTokens: 2_000 });
    const tested = { policy: 'opencode-1.2.16', session: sessions[0]!, model: narrow } as const;
    const atOnce = await runCompactor({ ...tested, summarizer: own });
    const later = await runCompactor({ ...tested, summarizer: slow });
    expect(atOnce.record.summarizer).toBe('own');
    expect(atOnce.record.metrics.compactions).toBeGreaterThan(0);
    expect(later.events).toEqual(atOnce.events);
  });

  it('gives the same for the same', async () => {
    const again = await runCompactor({ compactor: clearing, sessions, model });
    expect(JSON.stringify(again.events)).toBe(JSON.stringify(made.own!.events));
  });

  it.each<[string, object, string]>([
    ['nothing to run', { model, policy: 'none' }, 'Expected a session, sessions or a scenario'],
    ['nothing to test', { model, sessions }, "Expected either 'compactor' or 'policy'."],
    ['a model without id', { model: { contextTokens: 5 }, sessions, policy: 'none' }, 'have an id'],
    [
      'a window that is no number',
      { model: { id: 'a/b', contextTokens: Number.NaN }, sessions, compactor: idle },
      'Expected `options.model.contextTokens` to be a finite number of tokens',
    ],
    [
      'a misspelt window',
      { model: { id: 'openai/gpt-4o', contextToken: 5_000 }, sessions, compactor: idle },
      "got 'contextToken'.",
    ],
    [
      'a compactor that is none',
      { model, sessions, compactor: 'x' },
      "Expected `options.compactor` to be a function, got 'x'.",
    ],
    [
      'messages for a session',
      { model, session: [{ role: 'user', content: 'x' }], compactor: idle },
      'Expected `session` to be an object, got a list.',
    ],
    ['one session for a list', { model, sessions: 'a.json', compactor: idle }, 'to be a list, got'],
    [
      'a scenario of no path',
      { model, scenario: 5, compactor: idle },
      '`options.scenario` to be a',
    ],
    ['a seed in words', { model, sessions, compactor: idle, seed: 'x' }, '`options.seed`'],
    ['half a policy', { model, sessions, policy: { name: 'x' } }, '`options.policy` to be a'],
    ['both', { model, sessions, policy: 'none', compactor: idle }, 'Expected either'],
    ['no model', { sessions, policy: 'none' }, "Expected 'model'"],
    ['a misspelt option', { model, sesions: sessions, policy: 'none' }, "got 'sesions'."],
    ['no options at all', undefined as never, 'Expected `options` to be an object, got undefined.'],
    ['no such policy', { model, sessions, policy: 'nope' }, "Unknown policy 'nope'"],
  ])('says so where there is %s', async (_, options, words) => {
    await expect(runCompactor(options)).rejects.toThrow(words);
  });
});

describe('the matchers', () => {
  it('tell whether a compaction stays within limits', async () => {
    const own = made.own!;
    const lazy = made.lazy!;
    expect(own).toStayWithin({ compactions: { min: 1 }, peakContextTokens: 90_000 });
    expect(own).not.toStayWithin({ compactions: 0 });
    expect(lazy).not.toStayWithin('window');
    expect(() => expect(own).toStayWithin({ compactions: { min: 1, max: 1 } })).toThrow(
      /Expected compactions to be at least 1 and at most 1, got \d+\./,
    );
    expect(() => expect(own).toStayWithin({ nonsense: 1 } as object)).toThrow('Unknown metric');
  });

  it('tell what was within limits where nobody wanted that', () => {
    const own = made.own!;
    const within = { compactions: { min: 1 }, peakContextTokens: 90_000 };
    expect(() => expect(own).not.toStayWithin(within)).toThrow(
      /^Expected compactions not to be at least 1, got \d+\.\nExpected peakContextTokens not to be at most 90000, got \d+\.$/,
    );
    expect(() => expect(own).not.toStayWithin('window')).toThrow(
      'Expected a request not to fit the window, got 0 refused or cut; the run is completed.',
    );
  });

  it('tell whether a law holds', async () => {
    const own = made.own!;
    const bad = await compaction({
      compactor: careless,
      sessions,
      model: createProfile('ollama/x', model.limits),
    });
    expect(own).toHold('newest-request-visible');
    expect(own).toHold('all');
    expect(bad).not.toHold('newest-request-visible');
    expect(() => expect(bad).toHold('all')).toThrow(
      /^Expected all to hold, got (?:one violation|\d+ violations, the first): [\w-]+ before step \d+ of '.+': [^]*[^.]\.$/,
    );
  });

  it.each<[string, unknown]>([
    ['a slip of the pen', 'newest-request-visibel'],
    ['a law of policies', 'prune-saves-enough'],
    ['a check of providers', 'ids-unique'],
    ['a number', 42],
    ['nothing', undefined],
    ['a name that every object has', 'constructor'],
  ])('refuse a law that no run was held against: %s', (_, law) => {
    const own = made.own!;
    expect(() => expect(own).toHold(law as 'all')).toThrow(/Unknown law '\w[\w-]*'; nearest: /);
    expect(() => expect(own).not.toHold(law as 'all')).toThrow('Unknown law');
    expect(() => own.holds(law as 'all')).toThrow('Unknown law');
  });

  it.each<[string, unknown, string]>([
    ['none', {}, "Expected 'window' or limits of metrics, got an empty map."],
    ['another word', 'windw', "Expected 'window' or limits of metrics, got 'windw'."],
    ['a metric without any', { steps: {} }, "Expected the limit of 'steps' to be a number"],
    ['a slip of the pen', { steps: { mxa: 1 } }, "Unknown limit of steps 'mxa'; nearest: max"],
    ['an end that is open', { steps: { max: undefined } }, "Expected the limit of 'steps'"],
    ['no number', { steps: Number.NaN }, "Expected the limit of 'steps'"],
    ['a text', { steps: '5' }, "Expected the limit of 'steps'"],
    ['a number and a text', { steps: { min: 0, max: '5' } }, "Expected the limit of 'steps'"],
  ])('refuse limits that ask for nothing: %s', (_, limits, message) => {
    const own = made.own!;
    expect(() => expect(own).toStayWithin(limits as object)).toThrow(message);
    expect(() => expect(own).not.toStayWithin(limits as object)).toThrow(message);
  });

  it('say so where they are given something else, such as what nobody waited for', () => {
    const promise = Promise.resolve(made.own!);
    const message = "Expected what 'await compaction(…)' gives, got a promise.";
    expect(() => expect(promise).toHold('all')).toThrow(message);
    expect(() => expect(promise).not.toStayWithin('window')).toThrow(message);
    expect(() => expect(promise).toMatchBaseline(join(folder, 'none.json'))).toThrow(message);
    expect(() => expect(undefined).toHold('all')).toThrow('gives, got nothing.');
  });

  it('hold a baseline, fail where it is missing, and name what differs', async () => {
    const path = join(folder, 'deep', 'baseline.json');
    const own = made.own!;
    const lazy = made.lazy!;
    expect(judgeBaseline(own, path, { update: 'none' })).toMatchObject({ pass: false });
    expect(existsSync(path)).toBe(false);
    vi.stubEnv('COMPACTION_BENCH_BLESS', 'the first one');
    expect(own).toMatchBaseline(path);
    vi.unstubAllEnvs();
    expect(JSON.parse(readFileSync(path, 'utf8')).reason).toBe('the first one');
    expect(own).toMatchBaseline(path);
    const [first] = own.runs;
    const moved = { ...own, runs: [{ ...first!, name: join(folder, 'a.json') }, own.runs[1]!] };
    const there = join(folder, 'b', 'baseline.json');
    expect(judgeBaseline(moved, there, { update: 'new' }).pass).toBe(true);
    expect(JSON.parse(readFileSync(there, 'utf8')).record.runs[0].run).toBe('../a.json');
    expect(() => expect(lazy).toMatchBaseline(path)).toThrow(/step \d+: the adapter: .*baseline: /);
    writeFileSync(path, '{}');
    expect(() => expect(own).toMatchBaseline(path)).toThrow('to be a baseline of schema version');
  });
});
