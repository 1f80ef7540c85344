/** The table of agents and releases in docs/reference/agents.md, from records. */

import { alignedTable } from '../scripts/page-blocks.ts';
import { type AgentName, agents, compare } from './agents.ts';
import { coverageOf } from './drive.ts';
import { type Facts, factsOf, type Subject, subjects } from './facts.ts';
import type { OracleRecord } from './record.ts';

/** Releases of an agent that do the same. */
interface Row {
  readonly agent: AgentName;
  readonly versions: string[];
  readonly facts: Facts;
  readonly observed: string;
}

/** What people compare; the rest is told by `--drift`. */
const SHOWN = ['trigger', 'kept', 'clearing', 'request', 'bill'] as const satisfies Subject[];

/** The table as Markdown: a row for releases in a row of which the same was seen. */
export function observedTable(records: readonly OracleRecord[]): string {
  const titles = [
    'Agent',
    'Releases',
    ...SHOWN.map((name) => subjects[name]),
    'Scripts',
    'Observed',
  ];
  const rows = (Object.keys(agents) as AgentName[]).flatMap((name) =>
    rowsOf(
      name,
      records.filter(({ agent }) => agent === name),
    ),
  );
  const cells = rows.map(({ agent, versions, facts, observed }) => [
    agents[agent].label,
    rangeOf(versions),
    ...SHOWN.map((name) => facts[name]),
    coverageOf(
      versions.map((version) => ({ name: agent, version })),
      records,
    ),
    observed,
  ]);
  return alignedTable(titles, cells);
}

function rowsOf(agent: AgentName, records: readonly OracleRecord[]): readonly Row[] {
  const rows: Row[] = [];
  const versions = [...new Set(records.map(({ version }) => version))].toSorted(compare);
  for (const version of versions) {
    const own = records.filter((record) => record.version === version);
    const facts = factsOf(own);
    const last = rows.at(-1);
    if (last && SHOWN.every((name) => last.facts[name] === facts[name]))
      last.versions.push(version);
    else {
      const observed = own.map((record) => record.observed).toSorted();
      rows.push({ agent, versions: [version], facts, observed: observed.at(-1) ?? '' });
    }
  }
  return rows;
}

function rangeOf(versions: readonly string[]): string {
  const [first = ''] = versions;
  const last = versions.at(-1) ?? first;
  return versions.length === 1 ? first : `${first} to ${last} (${versions.length} run)`;
}
