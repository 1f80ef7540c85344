/** The table of agents and releases in docs/reference/agents.md, from records. */

import { agents, compare } from './agents.ts';
import { type Facts, factsOf, type Subject, subjects } from './facts.ts';
import type { OracleRecord } from './record.ts';

/** Releases of an agent that do the same. */
interface Row {
  readonly agent: string;
  readonly versions: string[];
  readonly facts: Facts;
  readonly observed: string;
}

/** What people compare; the rest is told by `--drift`. */
const SHOWN = ['trigger', 'kept', 'clearing', 'request', 'bill'] as const satisfies Subject[];

/** The table as Markdown: a row for releases in a row of which the same was seen. */
export function observedTable(records: readonly OracleRecord[]): string {
  const titles = ['Agent', 'Releases', ...SHOWN.map((name) => subjects[name]), 'Observed'];
  const rows = Object.entries(agents).flatMap(([name, { label }]) =>
    rowsOf(
      label,
      records.filter(({ agent }) => agent === name),
    ),
  );
  const cells = rows.map(({ agent, versions, facts, observed }) => [
    agent,
    rangeOf(versions),
    ...SHOWN.map((name) => facts[name]),
    observed,
  ]);
  const widths = titles.map((_, column) =>
    Math.max(...[titles, ...cells].map((row) => row[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  const padded = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return [titles, rule, ...cells].map((row) => lineOf(padded(row))).join('\n');
}

function rowsOf(agent: string, records: readonly OracleRecord[]): readonly Row[] {
  const rows: Row[] = [];
  const versions = [...new Set(records.map(({ version }) => version))].toSorted(compare);
  for (const version of versions) {
    const own = records.filter((record) => record.version === version);
    const facts = factsOf(own);
    const last = rows.at(-1);
    if (last && SHOWN.every((name) => last.facts[name] === facts[name]))
      last.versions.push(version);
    else rows.push({ agent, versions: [version], facts, observed: lastDay(own) });
  }
  return rows;
}

function lastDay(records: readonly OracleRecord[]): string {
  return (
    records
      .map(({ observed }) => observed)
      .toSorted()
      .at(-1) ?? ''
  );
}

function rangeOf(versions: readonly string[]): string {
  const [first = ''] = versions;
  const last = versions.at(-1) ?? first;
  return versions.length === 1 ? first : `${first} to ${last} (${versions.length} run)`;
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
