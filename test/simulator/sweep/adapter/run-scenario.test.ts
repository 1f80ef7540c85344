import { describe, expect, it } from 'vitest';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import type { Compactor } from '../../../../src/simulator/replay/foreign/compactor.ts';
import { runCompactor } from '../../../../src/simulator/sweep/adapter/run-compactor.ts';
import { runOnAdapter } from '../../../../src/simulator/sweep/gate/run-scenario.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { sampleScenario, sampleText } from '../../scenario/file/sample-scenario.ts';

const idle: Compactor = ({ messages }) => messages;
const open = () => ({ compact: idle, end: () => {} });
const LIVE = '"ai:openai/gpt-4o"';
const environment = {
  catalog: readCatalog(),
  countOf: async () => (text: string) => text.length,
};
const session = '{ script: [{ user: 50 }, { repeat: 5, of: [{ step: { tools: [read 40] } }] }] }';

describe('a scenario with a real model, run against somebody’s own compaction', () => {
  it('asks nobody for that model', async () => {
    const scenario = sampleScenario({ also: `[{ name: asked, summarizer: ${LIVE} }]` });
    const findSummarizer = (name: string) => {
      throw new Error(`Expected nobody to ask for ${name}.`);
    };
    const { passed, runs } = await runOnAdapter(scenario, { ...environment, findSummarizer }, open);
    expect(passed).toBe(true);
    expect(runs.map(({ made }) => made.summarizer)).toEqual(['own']);
  });

  it('gives its session to a test without it', async () => {
    const text = sampleText({ summarizer: LIVE });
    const scenario = writeFile(createFolder(), 'live.yaml', text);
    expect((await runCompactor({ compactor: idle, scenario })).holds('all')).toBe(true);
  });
});

const withoutResults: Compactor = ({ messages }) =>
  messages.length < 4 ? messages : messages.filter(({ role }) => role !== 'tool');
const withoutList = (({ messages }) => (messages.length < 4 ? messages : 1)) as Compactor;
const larger: Compactor = ({ messages }) => {
  const more = { role: 'user' as const, content: [{ type: 'text' as const, text: 'More.' }] };
  return messages.length === 3 ? [...messages, more] : messages;
};

describe('what an adapter did wrong', () => {
  it.each<[string, Compactor, string]>([
    ['an answer that is none', withoutList, "failed at step 3 (In the compactor's answer: "],
    ['a request that no provider takes', withoutResults, 'failed at step 3 (malformed request: '],
    ['a law that is broken', larger, 'failed at step 2 (laws broken: pivot-lowers-context (1))'],
  ])('is told with its step: %s', async (_, compact, words) => {
    const scenario = sampleScenario({ session });
    const own = () => ({ compact, end: () => {} });
    const { runs } = await runOnAdapter(scenario, environment, own);
    expect(runs[0]?.failures[0]?.got).toContain(words);
  });
});

describe('a scenario of several runs', () => {
  const scenario = sampleScenario({
    session,
    also: '[{ name: larger, model: { contextTokens: 1000000 } }]',
  });
  const runsWith = (...compactors: readonly Compactor[]) => {
    const left = [...compactors];
    return runOnAdapter(scenario, environment, () => ({
      compact: left.shift() ?? idle,
      end: () => {},
    }));
  };

  it.each<[string, readonly [Compactor, Compactor], readonly [number, number]]>([
    ['the first', [withoutList, idle], [1, 0]],
    ['the last', [idle, withoutList], [0, 1]],
    ['each', [withoutList, withoutList], [1, 1]],
  ])('fails if %s of them fails', async (_, compactors, failures) => {
    const result = await runsWith(...compactors);
    expect(result.runs.map((run) => run.failures.length)).toEqual(failures);
    expect(result.passed).toBe(false);
  });

  it('passes if all of them pass', async () => {
    const { passed, runs } = await runsWith(idle, idle);
    expect({ passed, runs: runs.length }).toEqual({ passed: true, runs: 2 });
  });
});
