import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseModel,
  describeSmallWindow,
  describeUnreadSettings,
  type GivenSettings,
  readSettings,
} from '../../../src/cli/plan/settings.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { policies, type Policy } from '../../../src/engine/index.ts';
import { parseArm } from '../../../src/simulator/scenario/arms.ts';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import {
  applySettings,
  settings,
  type SettingValues,
} from '../../../src/simulator/scenario/settings.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(3));
const empty = writeFile(folder, 'opencode.json', '{}');
const WINDOW = ['--set', 'contextTokens=64k'];

/** Each command that replays sessions on a model. */
const commands: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['run', ['run', chat]],
  ['explain', ['explain', chat, '--policy', 'opencode-1.2.16']],
  ['compare', ['compare', 'none', 'opencode-1.2.16', chat]],
  ['whatif', ['whatif', chat]],
  ['sweep', ['sweep', chat, '--vary', 'protect=1k,2k', '--jobs', '1']],
  ['tune', ['tune', chat, '--vary', 'protect=1k,2k', '--jobs', '1', '--hold-out', '0']],
  ['summarizers', ['summarizers', chat, '--summarizers', 'lead', '--repeat', '1']],
  ['minimize', ['check', 'minimize', chat, '--policy', 'none', '--expect', 'state=completed']],
];

const notes = async (argv: readonly string[]) => {
  const { stderr } = await callMain(argv);
  return stderr.split('\n').filter((line) => line.startsWith('Note:'));
};

describe.each(commands)('%s', (_, argv) => {
  it('tells which model of the catalog a name most likely means that it lacks', async () => {
    expect(await notes([...argv, '--model', 'openai/gpt-4oo', ...WINDOW])).toEqual([
      "Note: The catalog has no model 'openai/gpt-4oo', so that it has the window that was given and no prices; nearest: openai/gpt-4o.",
    ]);
  });

  it('tells of a model that the catalog lacks of a provider that it knows', async () => {
    expect(await notes([...argv, '--model', 'openai/something-else', ...WINDOW])).toEqual([
      "Note: The catalog has no model 'openai/something-else', so that it has the window that was given and no prices.",
    ]);
  });

  it.each(['local/small', 'openai/gpt-4o'])('says nothing of %s', async (model) => {
    expect(await notes([...argv, '--model', model, ...WINDOW])).toEqual([]);
  });
});

describe('options of real models', () => {
  const asking = commands.filter(([name]) => name !== 'explain' && name !== 'minimize');

  it.each(asking)('are told by %s where none is asked', async (_, argv) => {
    expect(await notes([...argv, '--budget-usd', '2', '--cassette-mode', 'strict'])).toEqual([
      "Note: '--budget-usd' and '--cassette-mode' change nothing: no real model is asked.",
    ]);
  });
});

describe('a configuration that says nothing of compaction', () => {
  // A search takes its settings one by one.
  const withConfig = commands.filter(([name]) => name !== 'minimize');
  const limits = writeFile(folder, 'limits.json', '[{ "context": 200000, "output": 8192 }]');
  const doctors: typeof commands = [
    ['doctor', ['doctor', '--policy', 'opencode-1.2.16']],
    ['doctor --limits', ['doctor', '--policy', 'opencode-1.2.16', '--limits', limits]],
  ];

  it.each([...withConfig, ...doctors])('is told by %s', async (_, argv) => {
    const told = await notes([...argv, '--config', empty]);
    expect(told).toEqual([
      expect.stringMatching(/opencode\.json' says nothing of compaction, so that all settings/),
    ]);
  });

  it.each([...withConfig, ...doctors])('is told by %s beside other settings', async (_, argv) => {
    const told = await notes([...argv, '--config', empty, '--set', 'guardTurns=3']);
    expect(told).toEqual([
      expect.stringMatching(/opencode\.json' says nothing of compaction, so that all other/),
    ]);
  });

  it('is not told where only what goes wrong is wanted', async () => {
    const { code, stderr } = await callMain(['run', chat, '--config', empty, '--quiet']);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
  });
});

describe("OpenCode's variables of the environment", () => {
  const env = { OPENCODE_DISABLE_PRUNE: '1', OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX: '9000' };
  const settingsOf = async (...argv: readonly string[]) => {
    const { stdout, stderr } = await callMain(['run', chat, '--format', 'json', ...argv], { env });
    const { settings: given, config } = JSON.parse(stdout).provenance;
    return { given, config, stderr };
  };

  it('hold without a configuration, and are told', async () => {
    const { given, config, stderr } = await settingsOf();
    expect(given).toEqual({ prune: false, outputCap: 9_000 });
    expect(config).toEqual({
      origins: {
        prune: 'OPENCODE_DISABLE_PRUNE',
        outputCap: 'OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX',
      },
    });
    expect(stderr).toContain(
      "Note: The environment sets 'prune=false' by OPENCODE_DISABLE_PRUNE; '--set' overrides it.",
    );
  });

  it('are overridden by settings', async () => {
    const { given, stderr } = await settingsOf('--set', 'prune=true');
    expect(given).toEqual({ prune: true, outputCap: 9_000 });
    expect(stderr).not.toContain('OPENCODE_DISABLE_PRUNE');
  });
});

const model = createProfile('lab/model', { contextTokens: 200_000, outputTokens: 64_000 });
const unread = (names: readonly (keyof typeof policies)[], values: SettingValues) =>
  describeUnreadSettings(names.map(parseArm), model, values);

describe('describeUnreadSettings', () => {
  it.each<[name: string, names: readonly (keyof typeof policies)[], values: SettingValues]>([
    ['is of another kind of policy', ['opencode-1.2.16', 'claude-code'], { keepShare: 0.5 }],
    ['a prune that the policy has not', ['claude-code'], { protect: 5_000 }],
    ['beside the control', ['none', 'codex-local'], { guardTurns: 5 }],
    ['a reserve that the model leaves no room for', ['opencode-1.2.16'], { reserved: 1_000 }],
  ])('names what nothing reads: %s', (_, names, values) => {
    const [setting, value] = Object.entries(values)[0]!;
    const shown = names.filter((name) => name !== 'none').join(', ');
    expect(unread(names, values)).toEqual([
      `'${setting}=${value}' changes nothing under ${shown}: nothing there reads it.`,
    ]);
  });

  it.each<[name: string, names: readonly (keyof typeof policies)[], values: SettingValues]>([
    ['what is read', ['opencode-1.2.16'], { protect: 5_000, cache: 'none' }],
    ['what one of several reads', ['claude-code', 'opencode-1.2.16'], { protect: 5_000 }],
    ['what is so anyway', ['opencode-1.2.16'], { protect: 40_000, prune: true }],
    ['anything of the control alone', ['none'], { protect: 5_000 }],
    ['limits', ['opencode-1.2.16'], { contextTokens: 200_000 }],
  ])('does not name %s', (_, names, values) => {
    expect(unread(names, values)).toEqual([]);
  });

  it.each<[values: SettingValues, isNamed: boolean]>([
    [{ contextTokens: 63_999 }, true],
    [{ contextTokens: 64_000 }, false],
    [{ contextTokens: 30_000, outputTokens: 8_000 }, false],
    [{ contextTokens: 30_000, outputCap: 8_000 }, false],
    [{ contextTokens: 30_000, outputTokens: 32_000 }, true],
    [{ contextTokens: 0 }, false],
  ])('warns of a window that the longest answer does not fit: %o is %s', (values, isNamed) => {
    const said = describeSmallWindow(model, values).join('\n');
    const about =
      /^The window of .* is smaller than the longest answer of lab\/model, [36][\d,]+: /m;
    expect(about.test(said)).toBe(isNamed);
  });

  it('names what is unread of a policy of one, and not what it reads', () => {
    const arms = [
      parseArm('opencode-1.18 reserved=15k'),
      parseArm('opencode-1.18 triggerFraction=0.7'),
    ];
    expect(describeUnreadSettings(arms, model, {})).toEqual([
      "'reserved=15000' changes nothing under opencode-1.18 reserved=15000: nothing there reads it.",
    ]);
  });

  const all = Object.values(policies);
  const given = fc
    .tuple(
      fc.constantFrom(...Object.keys(settings)),
      fc.constantFrom(0, 1, 0.5, 1_000, true, false),
    )
    .map(([name, value]): SettingValues => ({ [name]: value }));
  const describeAll = (presets: readonly Policy[], values: SettingValues) => {
    fc.pre(presets.every((policy) => isTaken(policy, values)));
    return describeUnreadSettings(
      presets.map(({ name }) => parseArm(name)),
      model,
      values,
    );
  };

  it('takes any value of any setting that a preset takes', () => {
    const preset = fc.constantFrom(...all);
    fc.assert(
      fc.property(preset, given, (policy, values) => {
        expect(describeAll([policy], values)).toBeInstanceOf(Array);
      }),
    );
  });

  it('takes any value of any setting that all presets take', () => {
    fc.assert(
      fc.property(given, (values) => {
        expect(describeAll(all, values)).toBeInstanceOf(Array);
      }),
      { numRuns: 10 },
    );
  });
});

function isTaken(policy: Policy, values: SettingValues): boolean {
  try {
    applySettings({ policy, limits: model.limits }, values);
    return true;
  } catch {
    return false;
  }
}

describe('chooseModel', () => {
  const catalog = readCatalog();
  const own = { values: {}, model: 'openai/gpt-5.1' };

  it.each<[what: string, named: string | undefined, settings: GivenSettings, expected: string]>([
    ['the named one', 'claude-opus-4-5', own, 'anthropic/claude-opus-4-5'],
    ['that of the configuration', undefined, own, 'openai/gpt-5.1'],
    [
      'another where the catalog lacks that',
      undefined,
      { values: {}, model: 'acme/x' },
      'xai/grok-4.3',
    ],
    [
      'that of the configuration with its own window',
      undefined,
      { values: {}, model: 'acme/x', hasOwnWindow: true },
      'acme/x',
    ],
    ['another where there is none', undefined, { values: {} }, 'xai/grok-4.3'],
  ])('takes %s', (_, named, settings, expected) => {
    expect(chooseModel(named, { settings, catalog, otherwise: 'xai/grok-4.3' })).toBe(expected);
  });

  it('takes it from the file', () => {
    const file = writeFile(createFolder(), 'opencode.json', '{"model": "openai/gpt-5.1"}');
    expect(readSettings({ set: [], config: file }, {}).model).toBe('openai/gpt-5.1');
  });

  const limit = { context: 60_000, output: 4_000 };
  const limits = { contextTokens: 60_000, outputTokens: 4_000 };

  it.each<[string, Partial<Parameters<typeof readSettings>[0]>, object]>([
    ['its own model', {}, limits],
    ['that model by name', { model: 'acme/x' }, limits],
    ['what was set besides', { set: ['contextTokens=9'] }, { ...limits, contextTokens: 9 }],
    ['another model', { model: 'acme/y' }, {}],
    ['several models', { model: ['acme/x', 'acme/y'] }, {}],
    ['models that are varied', { vary: ['model=acme/x,acme/y'] }, {}],
  ])('takes limits from the file for %s', (_, sources, values) => {
    const provider = { acme: { models: { x: { limit } } } };
    const text = JSON.stringify({ model: 'acme/x', provider });
    const config = writeFile(createFolder(), 'opencode.json', text);
    expect(readSettings({ set: [], config, ...sources }, {}).values).toEqual(values);
  });
});
