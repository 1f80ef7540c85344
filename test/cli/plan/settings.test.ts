import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseModel,
  describeSmallWindow,
  describeUnreadSettings,
  type GivenSettings,
  readSettings,
} from '../../../src/cli/plan/settings.ts';
import { policies, type Policy } from '../../../src/engine/index.ts';
import { parseArm } from '../../../src/simulator/scenario/arms.ts';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import {
  applySettings,
  settings,
  type SettingValues,
} from '../../../src/simulator/scenario/settings.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

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
