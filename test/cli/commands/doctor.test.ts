import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { ownOrigin } from '../../../src/cli/package.ts';
import {
  policies,
  type PolicyName,
  type PolicyOverrides,
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

/** Triggers and their conditions, prunes and clean-ups, what has no effect, what cannot work, and the triples of limits. */
const EXAMINED = [
  '--policy opencode-1.2.16 --details',
  '--policy langchain-messages',
  '--policy langchain-clauses',
  '--policy openhands',
  '--policy mastra --details',
  '--policy goose --details',
  '--policy crush --details',
  '--policy dcp --set clearReasoning=true --details',
  '--policy dcp --set clearDuplicates=true --details',
  '--policy dcp --set protect=1 --details',
  '--policy opencode-1.18 --set clearMedia=false --details',
  '--policy opencode-1.18 --set contextTokens=24000 --set outputTokens=8000',
  '--policy opencode-1.18 --set outputCap=10000',
  '--policy opencode-1.18 --model anthropic/claude-opus-4-6 --floor 950k',
  '--policy opencode-1.2.16 --set reserved=30000',
  '--policy opencode-1.2.16 --set contextTokens=30000',
  '--policy opencode-1.2.16 --set contextTokens=40000',
  '--policy opencode-1.2.16 --set contextTokens=40000 --floor 5k',
  `--policy opencode-1.2.16 --model x/large --catalog ${catalog} --config ${config} --details`,
  `--policy opencode-1.2.16 --limits ${limits} --details`,
];

describe('doctor', () => {
  it('says when a policy does what, and what cannot work', async () => {
    const told: string[] = [];
    for (const line of EXAMINED) {
      const { code, stdout, stderr } = await doctor(...line.split(' '));
      const text = `$ doctor ${line}\n(${code}) ${stderr}${withOpenMakers(stdout)}`;
      told.push(text.replaceAll(folder, 'FOLDER'));
    }
    await expect(told.join('\n')).toMatchFileSnapshot('../../fixtures/snapshots/doctor.txt');
  });

  it('gives the conditions of a trigger as JSON', async () => {
    const { stdout } = await doctor('--policy', 'langchain-clauses', '--format', 'json');
    expect(JSON.parse(stdout).trigger.anyOf[1]).toEqual([{ unit: 'share', limit: 160_000 }]);
  });

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
      late: [],
    };
    expect(renderDiagnosis(diagnosis, { colors: false, details: true })).toContain(
      `\nprune: on overflow, ${expected}\n`,
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
});
