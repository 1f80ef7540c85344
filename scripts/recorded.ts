/**
 * Writes the sizes around recorded compactions to test/fixtures/recorded-stretches.jsonl, and their table in the docs, from recordings that its user has:
 * `npx tsx scripts/recorded.ts REC/cli=entireio/cli@394f81fab87f …`. Copies of a recording count once; texts stay where they are.
 */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadSessions } from '../src/simulator/session/load.ts';
import { createCounters } from '../src/simulator/tokens/tokenizer.ts';
import { replaceBlock } from './page-blocks.ts';
import { recordedTable, type Stretch, toStretches } from './recorded/stretches.ts';

const PAGE = resolve(import.meta.dirname, '../docs/reference/numbers.md');
const FIXTURE = resolve(import.meta.dirname, '../test/fixtures/recorded-stretches.jsonl');

const counters = createCounters();
const found = new Map<string, Stretch>();
for (const argument of process.argv.slice(2)) {
  const [path = '', source = ''] = argument.split('=');
  const sessions = [...loadSessions(filesIn(path))].flatMap((one) =>
    one.state === 'read' ? [one.session] : [],
  );
  for (const session of sessions) {
    const count = await counters.of(session.model ?? '');
    for (const stretch of toStretches(session, source, count))
      found.set(`${stretch.release} ${stretch.tokensBefore}`, stretch);
  }
}
const stretches = [...found.values()];
writeFileSync(FIXTURE, stretches.map((one) => `${JSON.stringify(one)}\n`).join(''));
writeFileSync(
  PAGE,
  replaceBlock(readFileSync(PAGE, 'utf8'), 'recorded', `${recordedTable(stretches)}\n`),
);

function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted();
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(path, name));
}
