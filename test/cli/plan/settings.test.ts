import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeSmallWindow, describeUnreadSettings } from '../../../src/cli/plan/settings.ts';
import { policies, type Policy } from '../../../src/engine/index.ts';
import { parseArm } from '../../../src/simulator/scenario/arms.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import {
  applySettings,
  settings,
  type SettingValues,
} from '../../../src/simulator/scenario/settings.ts';

const model = createProfile('lab/model', { contextTokens: 200_000, outputTokens: 64_000 });

describe('describeUnreadSettings', () => {
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
