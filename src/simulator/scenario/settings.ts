import * as z from 'zod';
import {
  type Limits,
  policies,
  type Policy,
  type PolicyOverrides,
  resolvePolicy,
} from '../../engine/index.ts';

/** What a setting may be given as. */
export type SettingValue = number | boolean;

/** What settings change: a policy, and the limits of the model that it meets. */
export interface SettingTarget {
  readonly policy: Policy;
  readonly limits: Limits;
}

/** One number or switch that can be set from outside. */
export interface Setting {
  readonly unit: 'tokens' | 'turns' | 'switch';
  readonly describes: string;
  /** What it accepts, for programs and in words. */
  readonly value: z.ZodType<SettingValue>;
  readonly expected: string;
  /** The target with the setting in force. The control keeps its own rules. */
  apply(target: SettingTarget, value: SettingValue): SettingTarget;
}

/** What one setting lays over its target. */
interface Change {
  readonly policy?: PolicyOverrides;
  readonly limits?: Partial<Limits>;
}

const Amount = z.int().nonnegative();
const Switch = z.boolean();

/** Everything that can be set, by name. */
export const settings = {
  contextTokens: tokens("The model's context window; 0 is without limit.", (contextTokens) => ({
    limits: { contextTokens },
  })),
  inputTokens: tokens("The model's own cap on input; 0 is none.", (inputTokens) => ({
    limits: { inputTokens },
  })),
  outputTokens: tokens("The model's longest answer; 0 is not declared.", (outputTokens) => ({
    limits: { outputTokens },
  })),
  reserved: tokens('Kept free below the limit, where a rule knows a reserve.', (amount) => ({
    policy: { trigger: { reservedTokens: amount } },
  })),
  outputCap: tokens("The product's cap on one answer.", (amount) => ({
    policy: { trigger: { outputCapTokens: amount } },
  })),
  auto: toggle('Whether anything but a person may queue a compaction.', (auto) => ({
    policy: { trigger: { auto } },
  })),
  protect: tokens('Newest tool output that a prune always keeps.', (protectTokens) => ({
    policy: { prune: { byAge: { protectTokens } } },
  })),
  minimum: tokens('A prune must save more than this.', (minimumTokens) => ({
    policy: { prune: { byAge: { minimumTokens } } },
  })),
  guardTurns: turns('Newest turns that a prune never touches.', (guardTurns) => ({
    policy: { prune: { byAge: { guardTurns } } },
  })),
  prune: toggle('Whether old tool outputs are cleared.', (enabled) => ({
    policy: { prune: { enabled } },
  })),
  summaryCap: tokens('Longest summary.', (amount) => ({
    policy: { summary: { outputCapTokens: amount } },
  })),
} satisfies Record<string, Setting>;

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** Settings in force, by name. */
export type SettingValues = Readonly<Partial<Record<SettingName, SettingValue>>>;

/** The target with all these settings in force. */
export function applySettings(target: SettingTarget, values: SettingValues): SettingTarget {
  return Object.entries(settings).reduce<SettingTarget>((changed, [name, setting]) => {
    const value = values[name as SettingName];
    return value === undefined ? changed : setting.apply(changed, value);
  }, target);
}

function tokens(describes: string, toChange: (amount: number) => Change): Setting {
  const expected = 'a non-negative integer';
  return { unit: 'tokens', describes, value: Amount, expected, apply: applier(Amount, toChange) };
}

function turns(describes: string, toChange: (amount: number) => Change): Setting {
  return { ...tokens(describes, toChange), unit: 'turns' };
}

function toggle(describes: string, toChange: (isOn: boolean) => Change): Setting {
  const expected = 'true or false';
  return { unit: 'switch', describes, value: Switch, expected, apply: applier(Switch, toChange) };
}

function applier<Value>(schema: z.ZodType<Value>, toChange: (value: Value) => Change) {
  return ({ policy, limits }: SettingTarget, value: SettingValue): SettingTarget => {
    const change = toChange(schema.parse(value));
    const isControl = policy.name === policies.none.name;
    return {
      policy: isControl ? policy : resolvePolicy(policy, change.policy),
      limits: { ...limits, ...change.limits },
    };
  };
}
