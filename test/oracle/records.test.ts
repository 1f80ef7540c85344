import { describe, expect, test } from 'vitest';
import { agents, type AgentName } from '../../oracle/agents.ts';
import { claimOf } from '../../oracle/claims.ts';
import { describeMoves, expectMoves } from '../../oracle/expect.ts';
import { explain, explained } from '../../oracle/explained.ts';
import { movesOf, type OracleRecord, readRecords } from '../../oracle/record.ts';
import { makeScript, scriptNames, type ScriptName } from '../../oracle/scripts.ts';

const records = readRecords();

function expectedOf({ agent, version, script, ...setting }: OracleRecord): string {
  const policy = claimOf(agent as AgentName, version);
  if (policy === undefined) return 'no preset';
  return describeMoves(expectMoves(policy, makeScript(script as ScriptName, setting)));
}

describe('a preset makes the requests that the release made', () => {
  test.each(
    records.map(
      (record) => [`${record.agent}@${record.version} ${record.script}`, record] as const,
    ),
  )('%s', (_, record) => {
    const isSame = describeMoves(movesOf(record)) === expectedOf(record);
    const why = explain(record);
    // A difference is explained, and an explanation has its difference.
    if (why === undefined) expect(describeMoves(movesOf(record))).toBe(expectedOf(record));
    else expect({ why, isSame }).toEqual({ why, isSame: false });
  });
});

test('every explanation has a record', () => {
  const idle = explained.flatMap(({ agent, version, scripts }) =>
    scripts.filter(
      (script) =>
        !records.some(
          (one) =>
            one.agent === agent &&
            one.script === script &&
            (version ?? one.version) === one.version,
        ),
    ),
  );
  expect(idle).toEqual([]);
});

test('records are of agents and scripts that can be run again', () => {
  expect(records.length).toBeGreaterThan(0);
  for (const { agent, script } of records) {
    expect(Object.keys(agents)).toContain(agent);
    expect(scriptNames).toContain(script);
  }
});
