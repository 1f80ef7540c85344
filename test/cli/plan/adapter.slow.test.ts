import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { createCommand, words } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/adapter.md'), 'utf8');
const program = /```python\n(?<text>[^]*?)```/.exec(page)?.groups?.['text'] ?? '';
const example = `python3 ${JSON.stringify(writeFile(createFolder(), 'compact.py', program))}`;
const [compare, check] = [createCommand('compare'), createCommand('check')];
/** A session in which compaction came so late that it was never earned back. */
const shipped = join(root, 'scenarios/recorded/discriminated-unions.json');
/** A long session, in which the example compacts again and again. */
const long = join(root, '../shared/sessions/claude-code/entire-cd95-3compactions-v2.1.7.jsonl');

describe('the example of docs/adapter.md', () => {
  it('is dearer than never compacting on a shipped session, and is told why', async () => {
    const { code, stdout } = await compare([
      '--adapter',
      example,
      ...words(`opencode-1.18 claude-code ${shipped}`),
    ]);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(
      /^The adapter costs \$\S+ where opencode-1\.18 costs \$\S+ \(\+\d+ %\)[^]*\nIt made 1 compaction; the cache was broken once, at step \d+\.\n/,
    );
  });

  it('has that in the bill of a check', async () => {
    const { code, stdout } = await check([shipped, '--adapter', example]);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(
      /^ {2}1 compaction · \$\S+; never compacting \$\S+, \S+ \$\S+ ⚠ dearer than not compacting; the\s+cache was broken once, at step \d+$/m,
    );
  });

  it.skipIf(!existsSync(long))(
    'costs twice as much as agents do on a long session (needs ../shared/sessions)',
    async () => {
      const argv = ['--adapter', example, 'opencode-1.18', 'claude-code', long];
      const { stdout } = await compare([...argv, '--format', 'json']);
      const { bill } = JSON.parse(stdout);
      const [never, opencode, claude] = bill.against;
      expect(never).toMatchObject({ policy: 'none', impossibleSessions: 1, costUsd: null });
      expect(bill.ineffectiveCompactions / bill.compactions).toBeGreaterThan(0.8);
      expect(bill.cacheBreaks).toBeGreaterThan(40);
      for (const { costUsd } of [opencode, claude])
        expect(bill.costUsd).toBeGreaterThan(1.5 * costUsd);
    },
  );
});
