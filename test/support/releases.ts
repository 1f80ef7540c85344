import { type Limits, type LoopInput, type Policy, policies } from '../../src/engine/index.ts';
import { drive } from './drive.ts';
import { LIMITS } from './script.ts';

const releases = Object.values<Policy>(policies).filter(({ name }) => name.startsWith('opencode-'));
/** The releases before 2.0, oldest first. */
export const classic = releases.filter(({ name }) => !name.startsWith('opencode-2.0'));
/** The releases of a name and after it, before 2.0. */
export const from = (name: string) =>
  classic.slice(classic.findIndex((policy) => policy.name === name));
/** The releases up to that of a name, with it. */
export const until = (name: string) =>
  classic.slice(0, classic.findIndex((policy) => policy.name === name) + 1);
/** The releases from one name to another, with both. */
export const between = (first: string, last: string) =>
  from(first).filter((policy) => until(last).includes(policy));
/** Policies by name, for tables. */
export const named = (list: readonly Policy[]) =>
  list.map((policy) => [policy.name, policy] as const);

/** What follows the last of some inputs, and where that ends. */
export function lastLines(policy: Policy, inputs: readonly LoopInput[], limits: Limits = LIMITS) {
  const { lines, state } = drive(policy, limits, inputs);
  return { lines: lines.at(-1) ?? [], state };
}
