/** Which preset claims which release of an agent. */

import { policies, type Policy, type PolicyName, presetOrigins } from '../src/engine/index.ts';
import { agents, type AgentName } from './agents.ts';

/** The preset that claims a release; the newest claim counts, of equal ones the first. `undefined` where there is none. */
export function claimOf(agent: AgentName, version: string): Policy | undefined {
  const { label } = agents[agent];
  const names = (Object.keys(presetOrigins) as PolicyName[])
    .filter((name) => presetOrigins[name].agent === label && claims(name, version))
    .toSorted((one, other) => compare(firstOf(other), firstOf(one)));
  return names[0] && policies[names[0]];
}

/** Compares two releases number by number. */
export function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.split('.').map(Number));
  const index = left?.findIndex((number, at) => number !== right?.[at]) ?? -1;
  return index < 0 ? 0 : (left?.[index] ?? 0) - (right?.[index] ?? 0);
}

function firstOf(name: PolicyName): string {
  return presetOrigins[name].from ?? '';
}

function claims(name: PolicyName, version: string): boolean {
  const { from, to = version } = presetOrigins[name];
  return from !== undefined && compare(from, version) <= 0 && compare(version, to) <= 0;
}
