import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../../src/simulator/scenario/file/read-scenario.ts';
import type { ScenarioRun } from '../../../../src/simulator/scenario/scenario.ts';
import { runAt, sampleRun, sampleScenario, sampleText } from './sample-scenario.ts';

/** The only further run of a scenario. */
function further(also: string, keys: Readonly<Record<string, string>> = {}): ScenarioRun {
  return runAt(sampleScenario({ ...keys, also: `[{ name: other, ${also} }]` }), 1);
}

function stepsOf({ session }: ScenarioRun): number {
  if (session.type === 'file') return -1;
  return session.session.messages.filter(({ role }) => role === 'assistant').length;
}

const MODEL = '{ id: openai/gpt-4o, contextTokens: 64k, cache: none }';
const POLICY = '{ preset: opencode-1.18, set: { guards: true, reserved: 20k } }';

describe('a scenario', () => {
  it('has its name, its reason and its sources', () => {
    const { file, name, why, sources, runs } = sampleScenario();
    expect({ file, name, why, sources }).toEqual({
      file: 'folder/sample.yaml',
      name: 'sample',
      why: 'Nothing goes wrong here.',
      sources: ['owner/repo#1'],
    });
    expect(runs.map((run) => run.name)).toEqual(['main']);
  });

  it('may have several sources, of which one is a thread, or none', () => {
    const source = '[document-004, owner/repo#2]';
    expect(sampleScenario({ source }).sources).toEqual(['document-004', 'owner/repo#2']);
    expect(parseScenario('a.yaml', sampleText({ source: undefined })).sources).toEqual([]);
  });
});

describe('the first run', () => {
  it('has what its keys say, and what they leave out', () => {
    expect(sampleRun()).toMatchObject({
      model: { value: { id: 'openai/gpt-4o' } },
      policy: { preset: 'opencode-1.18', set: {} },
      summarizer: { value: 'extractive' },
      seed: 1,
      faults: [],
    });
    expect(sampleRun()).not.toHaveProperty('summaryModel');
    const { state, ...others } = sampleRun().expect;
    expect(state.value).toEqual(['completed']);
    expect(Object.values(others).flat()).toEqual([]);
  });

  it('replays a recording, found from where the scenario is', () => {
    expect(sampleRun({ session: '{ file: ../recorded/a.json }' }).session).toMatchObject({
      type: 'file',
      path: { value: join('recorded', 'a.json'), at: { line: 3, column: 18 } },
    });
    const faults = '[{ step: 9000, compact: true }]';
    const run = sampleRun({ session: '{ overhead: 5k, file: /tmp/a.json }', faults });
    expect(run.session).toMatchObject({ path: { value: '/tmp/a.json' }, overheadTokens: 5_000 });
    expect(run.faults).toEqual([{ on: 'compact', step: 9_000 }]);
  });
});

describe('a further run', () => {
  it('is as the first where it says nothing', () => {
    const keys = { model: MODEL, policy: POLICY, summarizer: 'scripted', seed: '3' };
    const { name, at, ...other } = further('seed: 3', keys);
    const { name: _, at: policyAt, ...first } = sampleRun(keys);
    expect({ name, at, policyAt }).toEqual({
      name: 'other',
      at: { line: 9, column: 8 },
      policyAt: { line: 5, column: 9 },
    });
    expect(other).toEqual(first);
  });

  it('replaces what it names', () => {
    const run = further(
      'seed: 2, summarizer: scripted, policy: none, model: openai/gpt-5, summaryModel: openai/gpt-4o, faults: [{ step: 1, compact: true }], expect: { state: loop }',
      { model: MODEL, policy: POLICY, faults: '[{ step: 2, fail: true }]', expect: '{ sees: a }' },
    );
    expect(run).toMatchObject({
      seed: 2,
      summarizer: { value: 'scripted' },
      policy: { preset: 'none', set: {} },
      model: { value: { id: 'openai/gpt-5' } },
      summaryModel: { value: { id: 'openai/gpt-4o' } },
      faults: [{ on: 'compact', step: 1 }],
      expect: { state: { value: ['loop'] }, sees: [] },
    });
    expect(run.model.value).toEqual({ id: 'openai/gpt-5' });
  });

  it.each([
    ['{ cache: openai }', { id: 'openai/gpt-4o', contextTokens: 64_000, cache: 'openai' }],
    ['{ id: openai/gpt-5, cache: openai }', { id: 'openai/gpt-5', cache: 'openai' }],
    ['openai/gpt-5', { id: 'openai/gpt-5' }],
  ])('takes the model %s for a whole one only with an id', (change, model) => {
    expect(further(`model: ${change}`, { model: MODEL }).model.value).toEqual(model);
  });

  it('lays a model over a plain name', () => {
    expect(further('model: { contextTokens: 8k }').model.value).toEqual({
      id: 'openai/gpt-4o',
      contextTokens: 8_000,
    });
  });

  it('lays what it says of the summary model over the one that writes summaries', () => {
    const change = 'summaryModel: { contextTokens: 8k }';
    expect(further(change).summaryModel?.value).toEqual({
      id: 'openai/gpt-4o',
      contextTokens: 8_000,
    });
    expect(further(change, { summaryModel: 'a/b' }).summaryModel?.value).toEqual({
      id: 'a/b',
      contextTokens: 8_000,
    });
    expect(further('seed: 2', { summaryModel: 'a/b' }).summaryModel?.value).toEqual({ id: 'a/b' });
  });

  it.each([
    ['{ set: { guards: false } }', 'opencode-1.18', { guards: false, reserved: 20_000 }],
    ['{ preset: none, set: { guards: false } }', 'none', { guards: false }],
    ['{ preset: none }', 'none', {}],
    ['none', 'none', {}],
  ])('takes the policy %s for a whole one only with a preset', (change, preset, set) => {
    expect(further(`policy: ${change}`, { policy: POLICY }).policy).toEqual({ preset, set });
  });

  it('changes the overhead of the session, or the session', () => {
    const same = further('session: { overhead: 9k }');
    expect(same.session).toMatchObject({ overheadTokens: 9_000 });
    expect(stepsOf(same)).toBe(2);
    expect(stepsOf(further('session: { script: [user: 1, step: 1] }'))).toBe(1);
    const recorded = further('session: { overhead: 9k }', { session: '{ file: a.json }' });
    expect(recorded.session).toMatchObject({
      type: 'file',
      path: { at: { line: 3, column: 18 } },
      overheadTokens: 9_000,
    });
  });

  it('is built for its own model', () => {
    const { session } = further('model: openai/gpt-5');
    expect(session).toMatchObject({ session: { model: 'openai/gpt-5' } });
  });
});
