import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callMain } from '../../support/command.ts';
import { createFolder, fixture, writeFile } from '../../support/session-files.ts';

it('the page of sessions has the titles that stats prints of tools', async () => {
  const pi = writeFile(createFolder(), 'pi.jsonl', fixture('pi.jsonl'));
  const wide = { isTTY: true, columns: 300, env: { NO_COLOR: '1' } };
  const { stdout } = await callMain(['sessions', 'stats', pi], wide);
  const page = readFileSync(join(import.meta.dirname, '../../../docs/sessions.md'), 'utf8');
  for (const title of ['Of all output', 'Failed', 'Repeated', 'Input tokens']) {
    expect(stdout).toContain(`  ${title}`);
    expect(page).toContain(`- **${title}**: `);
  }
});
