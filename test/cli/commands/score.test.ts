import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain, words } from '../../support/command.ts';
import { createFolder, fixture, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const FACTS = [
  { kind: 'number', subject: 'the upload limit', value: '52428800', polarity: 'do' },
  { kind: 'constraint', subject: 'the schema freeze', value: 'tbl_users_2', polarity: 'dont' },
  {
    kind: 'decision',
    subject: 'the log format',
    value: 'ndjson-2',
    previous: 'plain-1',
    polarity: 'do',
  },
];
const facts = writeFile(folder, 'facts.json', JSON.stringify(FACTS));
const good = writeFile(
  folder,
  'good.md',
  'Uploads: limit 52,428,800. Schema freeze: do not touch tbl_users_2. Logs use the format ndjson-2.',
);
const bad = writeFile(
  folder,
  'bad.md',
  'The upload limit is not 52428800. The schema freeze is over. Log format: plain-1.',
);
const score = (...argv: readonly string[]) => callMain(['summarizers', 'score', ...argv]);

describe('score', () => {
  it('says of each fact what became of it, the answer first', async () => {
    const { code, stdout } = await callMain(['summarizers', 'score', good, bad, '--facts', facts], {
      isTTY: true,
      columns: 300,
      env: { NO_COLOR: '1' },
    });
    expect(code).toBe(EXIT.done);
    const words = stdout.replaceAll(/\s+/g, ' ');
    expect(words.startsWith(`${good} keeps 3 of 3 facts. ${bad} keeps 0 of 3 facts; `)).toBe(true);
    expect(words).toContain('facts; 1 contradicted, 1 stale, 1 lost.');
    expect(stdout).toMatch(/the log format +ndjson-2 +kept +stale/);
  });

  it('gives programs the states, the strings and the tokens', async () => {
    const { stdout } = await score(bad, '--facts', facts, '--format', 'json');
    expect(JSON.parse(stdout).texts).toEqual([
      {
        file: bad,
        facts: [
          { id: 'fact-1', state: 'contradicted' },
          { id: 'fact-2', state: 'lost' },
          { id: 'fact-3', state: 'stale' },
        ],
        strings: 4,
        stringsKept: 2,
        tokens: expect.any(Number),
      },
    ]);
  });

  it('takes the facts of a generated session, from its file or as its yardstick', async () => {
    await callMain(words(`sessions generate opencode --seed 3 --sessions 1 --out ${folder}`));
    const session = join(folder, 'opencode-3-1.jsonl');
    const { code, stdout } = await score(good, '--session', session, '--format', 'json');
    expect(code).toBe(EXIT.done);
    const [text] = JSON.parse(stdout).texts;
    expect(text.facts.length).toBeGreaterThan(0);
    expect(new Set(text.facts.map(({ state }: { state: string }) => state))).toEqual(
      new Set(['lost']),
    );
  });

  it('counts strings alone where a session has no facts, and calls them that', async () => {
    const session = writeFile(folder, 'claude.jsonl', fixture('claude-code.jsonl'));
    const { stdout } = await score(good, '--session', session);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'still has 0 of 1 string that later steps use, which says nothing of its quality.',
    );
    expect(stdout).not.toContain('Contradicted');
  });

  it('goes on where one of several texts cannot be read', async () => {
    const missing = join(folder, 'missing.md');
    const { code, stdout } = await score(missing, good, '--facts', facts);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toContain(`Expected '${missing}' to be a readable file`);
    expect((await score(missing, '--facts', facts)).code).toBe(EXIT.wrongUse);
  });
});
