import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agents, type AgentName } from '../../oracle/agents.ts';
import { claimOf } from '../../oracle/claims.ts';
import { differencesOf, type FieldName } from '../../oracle/compare.ts';
import { explain, explanations, kindOf } from '../../oracle/explained.ts';
import { changeLines, factsOf } from '../../oracle/facts.ts';
import { type OracleRecord, readRecords } from '../../oracle/record.ts';
import { scriptNames } from '../../oracle/scripts.ts';
import { agentPages, observedTable } from '../../oracle/table.ts';

const PAGE = 'docs/reference/agents.md';
const FOLDER = 'docs/reference/agents';
const BLOCK = /(<!-- observed -->\n)[\s\S]*?(\n<!-- end of observed -->)/;
const WRITES = process.env['COMPACTION_BENCH_WRITE_DOCS'] === '1';
const MOST_OTHERS = 0.02;
const records = readRecords();
const pages = agentPages(records);

/** Differences of a record by field; `undefined` where no preset claims the release. */
const compared = new Map(
  records.map((record) => {
    const policy = claimOf(record.agent as AgentName, record.version);
    return [record, policy === undefined ? undefined : differencesOf(record, policy)];
  }),
);
const fieldsOf = (record: OracleRecord) => Object.keys(compared.get(record) ?? {}) as FieldName[];
const kinds = new Map(records.map((record) => [record, kindOf(record, fieldsOf(record))]));

const nameOf = ({ agent, version, script }: OracleRecord) => `${agent}@${version} ${script}`;
const factsOfPi = (release: string) =>
  factsOf(records.filter(({ agent, version }) => agent === 'pi' && version === release));

describe('the preset that claims a release makes the requests that it made, but for what is explained', () => {
  it.each(records.map((record) => [nameOf(record), record] as const))('%s', (_, record) => {
    const told = Object.entries(compared.get(record) ?? { claim: 'no preset claims the release' });
    const unexplained = told.filter(([field]) => !explain(record, field as FieldName));
    expect(Object.fromEntries(unexplained)).toEqual({});
  });
});

it('every explanation explains a difference', () => {
  const used = records.flatMap((record) => fieldsOf(record).map((field) => explain(record, field)));
  expect(explanations.filter((row) => !used.includes(row))).toEqual([]);
});

it('what differs otherwise than by artefacts is at most 2 % of records, each row a range of releases', () => {
  const others = [...kinds.values()].filter((kind) => kind === 'other');
  expect(others.length / records.length).toBeLessThanOrEqual(MOST_OTHERS);
  const endless = explanations.filter(({ isArtefact, from }) => !isArtefact && from === undefined);
  expect(endless).toEqual([]);
});

it('records are of agents and scripts that can be run again', () => {
  expect(records.length).toBeGreaterThan(0);
  for (const { agent, script } of records) {
    expect(Object.keys(agents)).toContain(agent);
    expect(scriptNames).toContain(script);
  }
});

it('the page of agents has the table of the records, with a link to each page', () => {
  const page = readFileSync(PAGE, 'utf8');
  const written = page.replace(BLOCK, `$1${observedTable(kinds)}$2`);
  expect(page).toMatch(BLOCK);
  if (WRITES) writeFileSync(PAGE, written);
  expect(readFileSync(PAGE, 'utf8')).toBe(written);
  for (const name of pages.keys()) expect(written).toContain(`](agents/${name}.md)`);
});

it('there is a page of each agent', () => {
  if (WRITES) mkdirSync(FOLDER, { recursive: true });
  if (WRITES) for (const [name, text] of pages) writeFileSync(`${FOLDER}/${name}.md`, text);
  const names = [...pages.keys()].map((name) => `${name}.md`);
  expect(readdirSync(FOLDER).toSorted()).toEqual(names.toSorted());
});

it.each([...pages])('the page of %s is as it is written', (name, text) => {
  expect(readFileSync(`${FOLDER}/${name}.md`, 'utf8')).toBe(text);
});

it('changes are told where both releases were observed', () => {
  const lines = changeLines(factsOfPi('0.84.3'), factsOfPi('0.84.4'));
  expect(lines.join('\n')).toContain('Compacts between steps');
  expect(lines.join('\n')).not.toContain('not observed');
  expect(pages.get('pi')).toContain(lines.join('\n'));
  expect(changeLines(factsOfPi('0.86.1'), factsOfPi('1.3.0'))).toEqual([
    'No difference in what is observed.',
  ]);
});
