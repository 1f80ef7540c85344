/** Which preset claims which release of an agent. */

import { policies, type Policy, type PolicyName } from '../src/engine/index.ts';
import type { AgentName } from './agents.ts';

/** Presets of each agent from their first release on, the newest last. */
const claims: Readonly<Record<AgentName, readonly (readonly [from: string, PolicyName])[]>> = {
  opencode: [
    ['1.0.224', 'opencode-1.0.224'],
    ['1.1.23', 'opencode-1.1.23'],
    ['1.1.57', 'opencode-1.1.57'],
    ['1.2.16', 'opencode-1.2.16'],
    ['1.14.19', 'opencode-1.14.19'],
    ['1.14.21', 'opencode-1.14.21'],
    ['1.14.40', 'opencode-1.14.40'],
    ['1.14.51', 'opencode-1.15'],
    ['1.16.0', 'opencode-1.16'],
    ['1.17.15', 'opencode-1.18'],
  ],
  kilo: [['7.0.0', 'opencode-1.18']],
  codex: [['0.0.0', 'codex-local']],
  'gemini-cli': [['0.0.0', 'gemini-cli']],
  'qwen-code': [['0.0.0', 'qwen-code']],
  pi: [['0.0.0', 'pi']],
  'kimi-code': [['0.0.0', 'kimi-cli']],
};

/** The preset that claims a release; `undefined` where none goes back so far. */
export function claimOf(agent: AgentName, version: string): Policy | undefined {
  const [, name] = claims[agent].findLast(([from]) => compare(from, version) <= 0) ?? [];
  return name && policies[name];
}

/** Compares two releases number by number. */
export function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.split('.').map(Number));
  const index = left?.findIndex((number, at) => number !== right?.[at]) ?? -1;
  return index < 0 ? 0 : (left?.[index] ?? 0) - (right?.[index] ?? 0);
}
