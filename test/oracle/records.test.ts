import { describe, expect, it } from 'vitest';
import { agents, type AgentName } from '../../oracle/agents.ts';
import { claimOf } from '../../oracle/claims.ts';
import { describeMoves, expectMoves } from '../../oracle/expect.ts';
import { explain, explained } from '../../oracle/explained.ts';
import { movesOf, type OracleRecord, readRecords } from '../../oracle/record.ts';
import { makeScript, type ScriptName, scriptNames } from '../../oracle/scripts.ts';

const named = readRecords().map(
  (record) => [`${record.agent}@${record.version} ${record.script}`, record] as const,
);
const known = named.filter(([, record]) => explain(record) === undefined);
const different = named.filter(([, record]) => explain(record) !== undefined);

function expectedOf({ agent, version, script, ...setting }: OracleRecord): string {
  const policy = claimOf(agent as AgentName, version);
  if (policy === undefined) return 'no preset';
  return describeMoves(expectMoves(policy, makeScript(script as ScriptName, setting)));
}

describe('the preset that claims a release makes the requests that it made', () => {
  it.each(known)('%s', (_, record) => {
    expect(describeMoves(movesOf(record))).toBe(expectedOf(record));
  });
});

describe('a difference that is explained is there', () => {
  it.each(different)('%s', (_, record) => {
    expect(describeMoves(movesOf(record))).not.toBe(expectedOf(record));
  });
});

it('every explanation has a record', () => {
  const idle = explained.filter((row) =>
    different.every(([, record]) => explain(record) !== row.why),
  );
  expect(idle).toEqual([]);
});

it('records are of agents and scripts that can be run again', () => {
  expect(named.length).toBeGreaterThan(0);
  for (const [, { agent, script }] of named) {
    expect(Object.keys(agents)).toContain(agent);
    expect(scriptNames).toContain(script);
  }
});
