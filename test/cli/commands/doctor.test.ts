import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { ownOrigin } from '../../../src/cli/origin.ts';
import {
  policies,
  type PolicyName,
  type PolicyOverrides,
  presetOrigins,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { renderDiagnosis } from '../../../src/simulator/report/doctor.ts';
import { examine } from '../../../src/simulator/scenario/checkup.ts';
import { callMain } from '../../support/command.ts';
import { withOpenMakers } from '../../support/makers.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const limits = writeFile(
  folder,
  'limits.json',
  JSON.stringify([
    { context: 200_000, input: null, output: 64_000, toolCall: true, models: 5 },
    { context: 32_000, input: null, output: null, toolCall: false, models: 3 },
    { context: 0, input: null, output: 0, toolCall: false, models: 2 },
  ]),
);
const config = writeFile(
  folder,
  'opencode.json',
  JSON.stringify({ compaction: { reserved: 30_000 }, agent: { compaction: { model: 'x/small' } } }),
);
const catalog = writeFile(
  folder,
  'catalog.json',
  JSON.stringify({
    x: {
      id: 'x',
      name: 'X',
      models: {
        large: { id: 'large', name: 'Large', limit: { context: 200_000, output: 8_000 } },
        small: { id: 'small', name: 'Small', limit: { context: 50_000, output: 8_000 } },
      },
    },
  }),
);

const doctor = (...argv: readonly string[]) => callMain(['doctor', ...argv]);

const opencode = ['--policy', 'opencode-1.2.16'];

describe('doctor', () => {
  it('prints trigger, usable, prune and what a pivot keeps', async () => {
    const { code, stdout, stderr } = await doctor(...opencode, '--details');
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(withOpenMakers(stdout)).toMatchInlineSnapshot(`
      "opencode-1.2.16 on anthropic/claude-sonnet-4-5: context 200,000, output 64,000
      No problems found.

      trigger: count ≥ 168,000 tokens, 84.0 % of the window (rule v1.1.60)
      checked: after a step and before a request, also in the middle of a turn
      prune: at the end of a turn, PROTECT 40,000, MINIMUM 20,000, guards 2 turns, never skill
      keeps: nothing

      preset of OpenCode: 1.2.16 to 1.2.27, observed on 2026-11-28
      usable 168,000 = context 200,000 − output 32,000 (min of declared output 64,000 and cap 32,000)

      Made by: compaction-bench RELEASE, catalog FILE HASH.
      "
    `);
  });

  it.each([
    ['langchain-messages', 'trigger: at 50 messages (rule window)'],
    [
      'langchain-clauses',
      'trigger: at 100,000 tokens and 40 messages, or 160,000 tokens (rule window)',
    ],
    ['openhands', 'trigger: at 81 events, or more than 200,000 tokens (rule above-input-cap)'],
  ])('prints the conditions of a trigger: %s', async (policy, line) => {
    const { stdout } = await doctor('--policy', policy);
    expect(stdout.split('\n')).toContain(line);
  });

  it('prints which messages a policy counts, and finds no fault with a floor that it does not count', async () => {
    const { stdout } = await doctor('--policy', 'mastra', '--details');
    expect(stdout).toContain('counts its messages since the newest summary');
    expect(stdout).not.toContain('usable-below-floor');
    const { stdout: json } = await doctor('--policy', 'langchain-clauses', '--format', 'json');
    expect(JSON.parse(json).trigger.anyOf[1]).toEqual([{ unit: 'share', limit: 160_000 }]);
  });

  it('prints what clean-ups clear, when, and what they leave alone', async () => {
    const { stdout } = await doctor('--policy', 'dcp', '--set', 'clearReasoning=true', '--details');
    const lines = stdout.split('\n').filter((line) => /^(prune|clean-up)/.test(line));
    const tools =
      'never task, skill, todowrite, todoread, compress, batch, plan_enter, plan_exit, write, edit';
    expect(lines).toEqual([
      'prune: off',
      `clean-up: duplicates before a request, ${tools}`,
      'clean-up: superseded before a request',
      `clean-up: failed-inputs before a request, older than 4 steps, ${tools}`,
      'clean-up: reasoning before a request, older than 3 turns',
    ]);
  });

  it('says what stays on the model that it examines, as text and as JSON', async () => {
    const small = ['--set', 'contextTokens=24000', '--set', 'outputTokens=8000'];
    const argv = ['--policy', 'opencode-1.18', ...small];
    expect((await doctor(...argv)).stdout).toContain('keeps: the newest 2 turns, at most 4,000');
    const { stdout } = await doctor(...argv, '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ tailBudgetTokens: 4_000, windowMessages: null });
  });

  it.each<[string, string, boolean]>([
    ['goose', 'checked: before a request, between turns only', false],
    ['crush', 'checked: after a step, also in the middle of a turn', true],
  ])(
    'says whose preset %s is, and whether it fires in the middle of a turn',
    async (name, checked, midTurn) => {
      const { agent, evidence, date } = presetOrigins[name as PolicyName];
      const { stdout } = await doctor('--policy', name, '--details');
      expect(stdout).toContain(`\npreset of ${agent}: read in its source, ${date}\n`);
      expect(stdout).toContain(`\n${checked}\n`);
      const json = await doctor('--policy', name, '--format', 'json');
      expect(JSON.parse(json.stdout)).toMatchObject({
        preset: { agent, from: null, to: null, evidence, date },
        firesMidTurn: midTurn,
      });
    },
  );

  it.each<[string, PolicyOverrides['prune'], string]>([
    ['anthropic-clear-tool-uses', {}, 'every tool output but the newest 3'],
    [
      'anthropic-clear-tool-uses',
      {
        keepLast: {
          outputs: 1,
          excludedTools: ['task'],
          aboveOutputs: 9,
          leastTokens: 5_000,
          clearsInputs: ['bash'],
        },
      },
      'every tool output but the newest 1, never task, above 9 of them, if 5,000 tokens or more go, with inputs of bash',
    ],
    [
      'vercel-prune-messages',
      {},
      'calls with their results before the last 2 messages, thoughts before the last message',
    ],
    ['verdict-scored', {}, 'a verdict on every tool output but the newest 3, by size-and-age'],
    [
      'verdict-scored',
      { byVerdict: { judge: () => 'keep' as const, byTool: { bash: 'drop' } } },
      'a verdict on every tool output but the newest 3, by a function and a table of 1 tool',
    ],
  ])('says what %s takes out', (name, prune, expected) => {
    const policy = resolvePolicy(policies[name as PolicyName], { ...(prune && { prune }) });
    const limits = { contextTokens: 200_000 };
    const target = { policy, limits };
    const diagnosis = {
      origin: ownOrigin(),
      model: 'x/m',
      checkup: examine({ base: target, target, given: {}, floorTokens: 0, summarizer: undefined }),
      findings: [],
    };
    expect(renderDiagnosis(diagnosis, { colors: false, details: true })).toContain(
      `\nprune: on overflow, ${expected}\n`,
    );
  });

  it.each([
    ['dcp', 'clearDuplicates=true', 'it is the value in force anyway'],
    ['dcp', 'protect=1', 'prune is off'],
    ['opencode-1.18', 'clearMedia=false', 'it is the value in force anyway'],
  ])('says why a setting beside clean-ups has no effect: %s, %s', async (name, set, reason) => {
    const { stdout } = await doctor('--policy', name, '--set', set, '--details');
    expect(stdout).toContain(`'${set}' has no effect: ${reason}`);
  });

  it('warns of what has no effect, and ends well', async () => {
    const { code, stdout } = await doctor(...opencode, '--set', 'reserved=30000');
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain("warning setting-without-effect: 'reserved=30000' has no effect");
  });

  it('fails where the policy can never work', async () => {
    const { code, stdout } = await doctor(...opencode, '--set', 'contextTokens=30000');
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(/^NEVER WORKS usable-not-positive: usable is -2,000 tokens/m);
  });

  it('takes the floor as given', async () => {
    const argv = [...opencode, '--set', 'contextTokens=40000'];
    expect((await doctor(...argv)).stdout).toContain('NEVER WORKS usable-below-floor');
    expect((await doctor(...argv, '--floor', '5k')).code).toBe(EXIT.done);
  });

  it('tells both triggers where the check after a step knows another cap', async () => {
    const { stdout } = await doctor('--policy', 'opencode-1.18', '--set', 'outputCap=10000');
    expect(stdout).toContain('trigger: count ≥ 190,000 tokens, 95.0 % of the window');
    expect(stdout).toContain('trigger at the end of a step: count ≥ 168,000 tokens, 84.0 %');
  });

  it('looks at the configuration, and at the summarizer that it names', async () => {
    const { code, stdout } = await doctor(
      ...opencode,
      '--model',
      'x/large',
      '--catalog',
      catalog,
      '--config',
      config,
      '--details',
    );
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain("setting-without-effect: 'reserved=30000'");
    expect(stdout).toContain(
      'summarizer-below-trigger: x/small writes the summaries and takes 50,000 tokens, but the trigger is at 192,000',
    );
  });

  it('gives the same as JSON', async () => {
    const argv = [...opencode, '--set', 'contextTokens=30000', '--format', 'json'];
    const { code, stdout } = await doctor(...argv);
    expect(code).toBe(EXIT.failed);
    expect(JSON.parse(stdout)).toMatchObject({
      policy: 'opencode-1.2.16',
      model: 'anthropic/claude-sonnet-4-5',
      limits: { contextTokens: 30_000 },
      trigger: { rule: 'v1.1.60', usableTokens: -2_000, comparison: '>=' },
      afterStepTrigger: null,
      prune: { enabled: true },
      findings: [
        { lint: 'usable-not-positive', severity: 'never-works' },
        { lint: 'output-above-window', severity: 'warning' },
      ],
    });
  });

  it('finds the triples of limits on which a preset can never work', async () => {
    const { code, stdout } = await doctor(...opencode, '--limits', limits, '--details');
    expect(code).toBe(EXIT.done);
    expect(withOpenMakers(stdout)).toMatchInlineSnapshot(`
      "opencode-1.2.16: 1 of 3 triples (3 models) can never work; 1 have no known window
        context 32,000, input –, output –: usable 0, 3 models, usable-not-positive

      Made by: compaction-bench RELEASE.
      "
    `);
  });

  it('looks at the same preset as other commands where none is named', async () => {
    expect(await doctor()).toEqual(await doctor(...opencode));
  });

  it('looks at all presets where limits are given and none is named', async () => {
    const argv = ['--limits', limits, '--floor', '9000', '--set', 'reserved=30k'];
    const { stdout } = await doctor(...argv, '--format', 'json');
    const { origin, floorTokens, verdicts } = JSON.parse(stdout);
    expect({ origin, floorTokens }).toEqual({
      origin: { version: expect.stringMatching(/^\d+\.\d+/), settings: { reserved: 30_000 } },
      floorTokens: 9_000,
    });
    expect(verdicts.map(({ policy }: { policy: string }) => policy)).toEqual(Object.keys(policies));
  });

  it.each<[string, readonly string[], RegExp]>([
    ['a policy of no such name', ['--policy', 'x'], /Unknown policy 'x'/],
    ['a model of no such name', [...opencode, '--model', 'x/y'], /Unknown model 'x\/y'/],
    ['a floor that is no number', [...opencode, '--floor', '-1'], /'--floor'/],
    ['a setting of no such name', [...opencode, '--set', 'x=1'], /Unknown setting 'x'/],
    ['limits that are none', ['--limits', config], /to be a list of objects/],
    ['a format of no such name', [...opencode, '--format', 'x'], /Unknown doctor format 'x'/],
  ])('ends with code 2 on %s', async (_, argv, message) => {
    const { code, stderr, stdout } = await doctor(...argv);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
