/** Which preset claims which release of an agent. */

import { policies, type Policy, type PolicyName, presetOrigins } from '../src/engine/index.ts';
import { agents, type AgentName, compare } from './agents.ts';

/** The preset that claims a release; the newest claim counts, of equal ones the first. `undefined` where there is none. */
export function claimOf(agent: AgentName, version: string): Policy | undefined {
  const { label } = agents[agent];
  const names = (Object.keys(presetOrigins) as PolicyName[])
    .filter((name) => presetOrigins[name].agent === label && claims(name, version))
    .toSorted((one, other) => compare(firstOf(other), firstOf(one)));
  return names[0] && policies[names[0]];
}

function firstOf(name: PolicyName): string {
  return presetOrigins[name].from ?? '';
}

function claims(name: PolicyName, version: string): boolean {
  const { from, to = version } = presetOrigins[name];
  return from !== undefined && compare(from, version) <= 0 && compare(version, to) <= 0;
}
