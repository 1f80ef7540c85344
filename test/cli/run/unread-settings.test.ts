import { describe, expect, it } from 'vitest';
import { describeUnreadSettings } from '../../../src/cli/run/unread-settings.ts';
import { policies, type Policy } from '../../../src/engine/index.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import {
  applySettings,
  type SettingValues,
  settings,
} from '../../../src/simulator/scenario/settings.ts';

const model = createProfile('lab/model', { contextTokens: 200_000, outputTokens: 64_000 });
const unread = (names: readonly (keyof typeof policies)[], values: SettingValues) =>
  describeUnreadSettings({ policies: names.map((name) => policies[name]), model, values });

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

  it('takes every value of every setting of every preset', () => {
    const all = Object.values(policies);
    const values = Object.keys(settings).flatMap((name) =>
      [0, 1, 0.5, 1_000, true, false].map((value) => ({ [name]: value })),
    );
    const taken = values.filter((given) => all.every((policy) => isTaken(policy, given)));
    for (const given of taken) {
      expect(() => describeUnreadSettings({ policies: all, model, values: given })).not.toThrow();
      for (const policy of all)
        describeUnreadSettings({ policies: [policy], model, values: given });
    }
    expect(taken.length).toBeGreaterThan(50);
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
