import { describe, expect, it } from 'vitest';
import { agents, type AgentName } from '../../oracle/agents.ts';
import { claimOf } from '../../oracle/claims.ts';
import { differencesOf, type FieldName } from '../../oracle/compare.ts';
import { explain, explanations } from '../../oracle/explained.ts';
import { type OracleRecord, readRecords } from '../../oracle/record.ts';
import { scriptNames } from '../../oracle/scripts.ts';

const records = readRecords();

/** Differences of a record by field; none to name where no preset claims the release. */
const compared = new Map(
  records.map((record) => {
    const policy = claimOf(record.agent as AgentName, record.version);
    return [record, policy === undefined ? undefined : differencesOf(record, policy)];
  }),
);

const nameOf = ({ agent, version, script }: OracleRecord) => `${agent}@${version} ${script}`;

describe('the preset that claims a release makes the requests that it made, but for what is explained', () => {
  it.each(records.map((record) => [nameOf(record), record] as const))('%s', (_, record) => {
    const told = Object.entries(compared.get(record) ?? { claim: 'no preset claims the release' });
    const unexplained = told.filter(([field]) => !explain(record, field as FieldName));
    expect(Object.fromEntries(unexplained)).toEqual({});
  });
});

it('every explanation explains a difference', () => {
  const used = records.flatMap((record) =>
    Object.keys(compared.get(record) ?? {}).map((field) => explain(record, field as FieldName)),
  );
  expect(explanations.filter((row) => !used.includes(row))).toEqual([]);
});

it('records are of agents and scripts that can be run again', () => {
  expect(records.length).toBeGreaterThan(0);
  for (const { agent, script } of records) {
    expect(Object.keys(agents)).toContain(agent);
    expect(scriptNames).toContain(script);
  }
});
