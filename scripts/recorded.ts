/**
 * Writes the sizes around recorded compactions to test/fixtures/recorded-stretches.jsonl, and their table in the docs, from recordings that its user has:
 * `npx tsx scripts/recorded.ts REC/cli=entireio/cli@394f81fab87f …`. Copies of a recording count once; texts stay where they are. With
 * `held-out` first, the recordings that no rule was made from.
 */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadSessions } from '../src/simulator/session/load.ts';
import { createCounters } from '../src/simulator/tokens/tokenizer.ts';
import { replaceBlock } from './page-blocks.ts';
import { recordedTable, type Stretch, toStretches } from './recorded/stretches.ts';

const PAGE = resolve(import.meta.dirname, '../docs/reference/numbers.md');
const FIXTURES = resolve(import.meta.dirname, '../test/fixtures');

const given = process.argv.slice(2);
const isHeldOut = given[0] === 'held-out';
const [name, block] = isHeldOut ? ['held-out', 'held out'] : ['stretches', 'recorded'];
const counters = createCounters();
const found = new Map<string, Stretch>();
for (const argument of given.slice(isHeldOut ? 1 : 0)) {
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
const lines = stretches.map((one) => `${JSON.stringify(one)}\n`);
writeFileSync(join(FIXTURES, `recorded-${name}.jsonl`), lines.join(''));
const page = readFileSync(PAGE, 'utf8');
writeFileSync(PAGE, replaceBlock(page, block, `${recordedTable(stretches)}\n`));

function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted();
  return files.filter((file) => file.endsWith('.jsonl')).map((file) => join(path, file));
}
