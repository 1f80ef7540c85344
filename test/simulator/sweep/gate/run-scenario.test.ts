import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../../src/simulator/scenario/file/read-scenario.ts';
import { runScenario } from '../../../../src/simulator/sweep/gate/run-scenario.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';
import { sampleText } from '../../scenario/file/sample-scenario.ts';
import { prompt, say, step, transcript } from '../../session/formats/claude-code-lines.ts';
import { checked, checkedRun, environment, failuresOf, problemOf, startOf } from './checked.ts';

function countNothing(): number {
  throw new Error('cannot count');
}

function withPrices(prices: string) {
  return { model: `{ id: anthropic/claude-sonnet-4-5, prices: ${prices} }` };
}

describe('runScenario', () => {
  it('passes where every run does, and only then', async () => {
    const also = '[{ name: control, policy: none, expect: { metrics: { compactions: 0 } } }]';
    const { runs, ...rest } = await checked({ also });
    expect(rest).toEqual({ file: 'a/test.yaml', name: 'test', passed: true });
    expect(runs.map(({ name, policy }) => [name, policy])).toEqual([
      ['main', 'opencode-1.18'],
      ['control', 'none'],
    ]);
    const wrong = await checked({ also: also.replace('0 }', '1 }') });
    expect(wrong.passed).toBe(false);
    expect(wrong.runs.map(({ failures }) => failures.length)).toEqual([0, 1]);
  });

  it('tells of a run that breaks off, and goes on with the others', async () => {
    const also = '[{ name: control, policy: none, expect: {} }]';
    const failing = {
      ...environment,
      countOf: async () => (text: string) => {
        if (/summar/i.test(text)) throw new Error('cannot count');
        return text.length;
      },
    };
    const text = sampleText({
      also,
      expect: '{ state: failed, metrics: { steps: 3 } }',
      model: '{ id: local/test, contextTokens: 20k, outputTokens: 4k }',
      session: '{ script: [user: 10, step: 18k, step: 1] }',
    });
    const { passed, runs } = await runScenario(parseScenario('a.yaml', text), failing);
    expect(passed).toBe(false);
    expect(runs[1]).toMatchObject({ state: 'completed', failures: [] });
    expect(runs[0]).toMatchObject({
      state: 'failed',
      reason: 'cannot count',
      metrics: { steps: null },
      failures: [{ line: 6, column: 18, expected: 'a run that ends', got: 'cannot count' }],
    });
    expect(runs[0]?.events.map(({ type }) => type)).toContain('step-end');
  });

  it('tells of a session that cannot be prepared', async () => {
    const scenario = parseScenario('a.yaml', sampleText());
    const { runs } = await runScenario(scenario, {
      ...environment,
      countOf: async () => countNothing,
    });
    expect(runs).toMatchObject([{ state: 'failed', reason: 'cannot count', events: [] }]);
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      'a metric',
      { expect: '{ metrics: { compations: 1 } }' },
      /^BAD_SCENARIO a\/test\.yaml:6:34: Unknown metric 'compations'; nearest: compactions, /,
    ],
    [
      'a metric of a further run',
      { also: '[{ name: b, expect: { metrics: { constructor: 1 } } }]' },
      /^BAD_SCENARIO a\/test\.yaml:\d+:\d+: Unknown metric 'constructor'/,
    ],
    [
      'a model',
      { model: 'anthropic/claude-sonet-4-5' },
      /^BAD_SCENARIO a\/test\.yaml:4:8: Unknown model 'anthropic\/claude-sonet-4-5'\. .*nearest: anthropic\/claude-sonnet-4-5/,
    ],
    [
      'a model for summaries',
      { summaryModel: 'local/other' },
      /^BAD_SCENARIO a\/test\.yaml:8:15: Unknown model 'local\/other'/,
    ],
    [
      'a model that a script switches to',
      { session: '{ script: [user: 1, step: 1, switchModel: local/other, step: 1] }' },
      /^BAD_SCENARIO a\/test\.yaml:4:8: Unknown model 'local\/other'/,
    ],
    [
      'a dialect',
      { model: '{ id: openai/gpt-4o, dialect: latin }' },
      /^BAD_SCENARIO a\/test\.yaml:4:8: Unknown dialect 'latin'/,
    ],
    [
      'a check',
      { model: '{ id: openai/gpt-4o, checks: [spelling] }' },
      /^BAD_SCENARIO a\/test\.yaml:4:8: Unknown check 'spelling'/,
    ],
    [
      'a summarizer',
      { summarizer: 'scripted:echos' },
      /^BAD_SCENARIO a\/test\.yaml:7:13: Unknown summarizer 'scripted:echos'; nearest: scripted:echo/,
    ],
    [
      'a ratio',
      { summarizer: 'scripted:ratio=11' },
      /^BAD_SCENARIO a\/test\.yaml:7:13: Expected the ratio/,
    ],
    [
      'a file',
      { session: '{ file: none.json }' },
      /^BAD_SCENARIO a\/test\.yaml:3:18: Expected to read 'a\/none\.json', got nothing at that path\.$/,
    ],
  ])('tells where %s stands that nothing has', async (_, keys, message) => {
    expect(await problemOf(checked(keys))).toMatch(message);
  });
});

describe('the model of a scenario', () => {
  it('is that of the catalog, with what the file changes about it', async () => {
    const { limits } = environment.catalog.models.get('openai/gpt-4o') ?? {};
    expect(await startOf({ model: 'openai/gpt-4o' })).toMatchObject({
      limits,
      model: 'openai/gpt-4o',
    });
    expect(
      (await startOf({ model: '{ id: openai/gpt-4o, contextTokens: 50k, inputTokens: 40k }' }))
        .limits,
    ).toEqual({ ...limits, contextTokens: 50_000, inputTokens: 40_000 });
    expect((await startOf({ model: '{ id: openai/gpt-4o, outputTokens: 1k }' })).limits).toEqual({
      ...limits,
      outputTokens: 1_000,
    });
  });

  it('needs a window where the catalog does not have it, and no more', async () => {
    const { limits, prices } = await startOf({ model: '{ id: a/b, contextTokens: 30k }' });
    expect({ limits, prices }).toEqual({ limits: { contextTokens: 30_000 }, prices: undefined });
  });

  it('has the prices of the file, in dollars per million tokens', async () => {
    const full = await startOf(
      withPrices('{ input: 2, output: 8.5, cacheRead: 0.1, cacheWrite: 3 }'),
    );
    expect(full.prices).toEqual({
      inputPicoUsd: 2_000_000,
      outputPicoUsd: 8_500_000,
      cacheReadPicoUsd: 100_000,
      cacheWritePicoUsd: 3_000_000,
    });
    const part = await startOf(withPrices('{ input: 2, output: 8.5 }'));
    expect(part.prices).toMatchObject({
      cacheReadPicoUsd: 2_000_000,
      cacheWritePicoUsd: 2_000_000,
    });
  });

  it('may change, to one of the catalog or to the one that writes summaries', async () => {
    const session =
      '{ script: [user: 1, step: 1, switchModel: local/small, step: 1, switchModel: openai/gpt-4o, step: 1, switchModel: local/test, step: 1] }';
    const summaryModel = '{ id: local/small, contextTokens: 30k }';
    const { events, state } = await checkedRun({ session, summaryModel });
    const changes = events.flatMap((event) =>
      event.type === 'model-changed' ? [[event.model, event.limits.contextTokens]] : [],
    );
    expect({ state, changes }).toEqual({
      state: 'completed',
      changes: [
        ['local/small', 30_000],
        ['openai/gpt-4o', 128_000],
        ['local/test', 20_000],
      ],
    });
  });

  it('refuses nothing of the control when it changes', async () => {
    const session =
      '{ overhead: 2k, script: [user: 1, step: 15k, switchModel: local/small, step: 1] }';
    const summaryModel = '{ id: local/small, contextTokens: 9k }';
    const control = await checkedRun({ session, summaryModel, policy: 'none' });
    expect(control.state).toBe('completed');
    expect(control.metrics).toMatchObject({ steps: 2, refusals: 0 });
  });
});

/** Keys of a file, and what holds of a run with them. */
const KEYS: readonly [string, string, Readonly<Record<string, string>>][] = [
  [
    'a true window of its own',
    '{ events: { must: [{ type: step-refused, windowTokens: 10k }] } }',
    { model: '{ id: local/test, contextTokens: 20k, outputTokens: 4k, trueContextTokens: 10k }' },
  ],
  [
    'another model for summaries',
    '{ state: [completed, breaker, failed, refused, loop], events: { must: [{ type: summary-end, state: failed, reason: /./ }] } }',
    { summaryModel: '{ id: local/small, contextTokens: 3k }' },
  ],
  [
    'settings of its policy',
    '{ state: [refused, completed], metrics: { compactions: 0 } }',
    { policy: '{ preset: opencode-1.18, set: { auto: false } }' },
  ],
  [
    'faults',
    '{ state: refused, metrics: { refusals: 2 } }',
    { faults: '[{ step: 2, overflow: true, times: 2 }]' },
  ],
  [
    'faults of the control as well, so that waiting alone saves and costs nothing',
    '{ metrics: { costSavedUsd: 0, tokensSaved: 0, costUsd: "> 0" } }',
    {
      model: 'anthropic/claude-sonnet-4-5',
      faults: '[{ step: 5, rateLimit: 1h }]',
      policy: 'none',
    },
  ],
];

it.each(KEYS)('a scenario has %s', async (_, expectation, keys) => {
  expect(await failuresOf(expectation, keys)).toEqual([]);
});

describe('the session of a scenario', () => {
  it('has the overhead of the file, as measured', async () => {
    expect((await startOf({})).basis).toMatchObject({
      overheadTokens: 2_000,
      overhead: 'measured',
    });
    expect((await startOf({ session: '{ script: [user: 1, step: 1] }' })).basis).toMatchObject({
      overheadTokens: 0,
      overhead: 'measured',
    });
  });

  it('has the calibration of the file, and none where that says none', async () => {
    const session = '{ calibration: { factor: 2, perMessage: 30 }, script: [user: 1, step: 1] }';
    expect((await startOf({ session })).basis).toMatchObject({
      factor: 2,
      perMessageTokens: 30,
      calibration: 'measured',
    });
    expect((await startOf({})).basis).toMatchObject({ factor: 1, calibration: 'estimated' });
  });

  it('may be a recorded one, with what it tells of its overhead or what the file says', async () => {
    const folder = createFolder();
    writeFile(folder, 'chat.json', chatOf(3));
    const at = `${relative('a', folder).replaceAll('\\', '/')}/chat.json`;
    const told = await startOf({ session: `{ file: '${at}' }` });
    expect(told).toMatchObject({
      format: 'openai-chat',
      basis: { overheadTokens: 12_000, overhead: 'estimated' },
    });
    const given = await startOf({ session: `{ file: '${at}', overhead: 7k }` });
    expect(given.basis).toMatchObject({ overheadTokens: 7_000, overhead: 'measured' });
  });

  it('is the main one where the others of its file are of sub-agents', async () => {
    const folder = createFolder();
    const side = { isSidechain: true, uuid: 's1', parentUuid: null };
    const main = [prompt('x'), step('m1', say('a')), step('m2', say('b'), { parentUuid: 'u2' })];
    writeFile(folder, 'agents.jsonl', transcript(...main, prompt('a task', side)));
    const at = `${relative('a', folder).replaceAll('\\', '/')}/agents.jsonl`;
    expect((await startOf({ session: `{ file: '${at}' }` })).session).toMatch(/agents\.jsonl#0$/);
  });

  it('is named by its place where a file holds several', async () => {
    const folder = createFolder();
    writeFile(folder, 'chats.json', `[{ "messages": ${chatOf(1)} }, { "messages": ${chatOf(2)} }]`);
    const at = `${relative('a', folder).replaceAll('\\', '/')}/chats.json`;
    expect(await problemOf(checked({ session: `{ file: '${at}' }` }))).toMatch(
      /^BAD_SCENARIO a\/test\.yaml:3:18: Expected '.*chats\.json' to name one of 2 sessions, such as: .*chats\.json#/,
    );
    const { session } = await startOf({ session: `{ file: '${at}#1' }` });
    expect(session).toMatch(/chats\.json#1$/);
    expect(await problemOf(checked({ session: `{ file: '${at}#9' }` }))).toMatch(
      /to name one of 2/,
    );
  });
});
