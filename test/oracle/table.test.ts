import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changeLines, factsOf } from '../../oracle/facts.ts';
import { readRecords } from '../../oracle/record.ts';
import { agentPages, observedTable } from '../../oracle/table.ts';

const PAGE = 'docs/reference/agents.md';
const FOLDER = 'docs/reference/agents';
const BLOCK = /(<!-- observed -->\n)[\s\S]*?(\n<!-- end of observed -->)/;
const WRITES = process.env['COMPACTION_BENCH_WRITE_DOCS'] === '1';
const records = readRecords();
const pages = agentPages(records);
const factsOfPi = (release: string) =>
  factsOf(records.filter(({ agent, version }) => agent === 'pi' && version === release));

it('the page of agents has the table of the records, with a link to each page', () => {
  const page = readFileSync(PAGE, 'utf8');
  const written = page.replace(BLOCK, `$1${observedTable(records)}$2`);
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
  expect(changeLines(factsOfPi('1.3.0'), factsOfPi('1.6.0'))).toEqual([
    'No difference in what is observed.',
  ]);
});
