import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readRecords } from '../../oracle/record.ts';
import { observedTable } from '../../oracle/table.ts';

const PAGE = 'docs/reference/agents.md';
const BLOCK = /(<!-- observed -->\n)[\s\S]*?(\n<!-- end of observed -->)/;

it('the page of agents has the table of the records', () => {
  const page = readFileSync(PAGE, 'utf8');
  const written = page.replace(BLOCK, `$1${observedTable(readRecords())}$2`);
  expect(page).toMatch(BLOCK);
  if (process.env['COMPACTION_BENCH_WRITE_DOCS'] === '1') writeFileSync(PAGE, written);
  expect(readFileSync(PAGE, 'utf8')).toBe(written);
});
