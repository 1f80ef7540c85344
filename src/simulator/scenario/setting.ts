import * as z from 'zod';
import {
  type Limits,
  policies,
  type Policy,
  type PolicyOverrides,
  resolvePolicy,
} from '../../engine/index.ts';
import type { ProviderOverrides } from './provider-overrides.ts';

/** What a setting may be given as. */
export type SettingValue = number | boolean | string;

/** What settings change: a policy, and the model that it meets. */
export interface SettingTarget {
  readonly policy: Policy;
  readonly limits: Limits;
  /** What is said of the provider in the place of its profile; absent means nothing. */
  readonly provider?: ProviderOverrides;
}

/** One number or switch that can be set from outside. */
export interface Setting {
  readonly unit:
    | 'tokens'
    | 'turns'
    | 'messages'
    | 'outputs'
    | 'times'
    | 'seconds'
    | 'characters'
    | 'share'
    | 'switch'
    | 'name';
  readonly describes: string;
  /** What it accepts, for programs and in words. */
  readonly value: z.ZodType<SettingValue>;
  readonly expected: string;
  /** The target with the setting in force. The control keeps its own rules. */
  apply(target: SettingTarget, value: SettingValue): SettingTarget;
}

/** What one setting lays over its target. */
export interface Change {
  readonly policy?: PolicyOverrides;
  readonly limits?: Partial<Limits>;
  readonly provider?: ProviderOverrides;
}

/** What a value changes about the policy that it meets. */
type ToChange<Value> = (value: Value, policy: Policy) => Change;

const COUNT = 'a non-negative integer';
const Amount = z.int().nonnegative();
const Decimal = z.number().positive();
const Share = z.number().positive().max(1);
const Switch = z.boolean();
const Name = z.string().min(1);

/** A number of tokens. */
export function tokens(describes: string, toChange: ToChange<number>): Setting {
  const expected = `${COUNT}, such as 16000, 16k or 1M`;
  return { ...count('tokens', describes, toChange), expected };
}

/** A number of turns. */
export function turns(describes: string, toChange: ToChange<number>): Setting {
  return count('turns', describes, toChange);
}

/** A number of messages. */
export function messages(describes: string, toChange: ToChange<number>): Setting {
  return count('messages', describes, toChange);
}

/** A number of tool outputs. */
export function outputs(describes: string, toChange: ToChange<number>): Setting {
  return count('outputs', describes, toChange);
}

/** A number of characters, whole or not. */
export function characters(describes: string, toChange: ToChange<number>): Setting {
  const expected = 'a number above 0';
  const apply = applier(Decimal, toChange);
  return { unit: 'characters', describes, value: Decimal, expected, apply };
}

/** A part of something. */
export function share(describes: string, toChange: ToChange<number>): Setting {
  const expected = 'a number above 0 and at most 1';
  return { unit: 'share', describes, value: Share, expected, apply: applier(Share, toChange) };
}

/** A number of times. */
export function times(describes: string, toChange: ToChange<number>): Setting {
  return count('times', describes, toChange);
}

/** A switch. */
export function toggle(describes: string, toChange: ToChange<boolean>): Setting {
  const expected = 'true or false';
  return { unit: 'switch', describes, value: Switch, expected, apply: applier(Switch, toChange) };
}

/** A number of seconds. */
export function seconds(describes: string, toChange: ToChange<number>): Setting {
  return count('seconds', describes, toChange);
}

/** A name of a table that the provider's room knows. */
export function choice(describes: string, toChange: ToChange<string>): Setting {
  const expected = 'a name';
  return { unit: 'name', describes, value: Name, expected, apply: applier(Name, toChange) };
}

function count(unit: Setting['unit'], describes: string, toChange: ToChange<number>): Setting {
  return { unit, describes, value: Amount, expected: COUNT, apply: applier(Amount, toChange) };
}

function applier<Value>(schema: z.ZodType<Value>, toChange: ToChange<Value>) {
  return ({ policy, limits, provider }: SettingTarget, value: SettingValue): SettingTarget => {
    const change = toChange(schema.parse(value), policy);
    const isControl = policy.name === policies.none.name;
    return {
      policy: isControl ? policy : resolvePolicy(policy, change.policy),
      limits: { ...limits, ...change.limits },
      ...((provider ?? change.provider) && { provider: { ...provider, ...change.provider } }),
    };
  };
}
