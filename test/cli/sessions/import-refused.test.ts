import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callMain } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const out = join(folder, 'out');

const sessionOf = (version: number) =>
  `{"compaction-bench":"session","version":${version}}\n{"type":"message","role":"user"}\n`;

describe('import of a file that is refused behind some of its sessions', () => {
  const file = writeFile(folder, 'many.jsonl', sessionOf(1) + sessionOf(1) + sessionOf(2));
  const run = (...argv: readonly string[]) => callMain(['import', file, '--out', out, ...argv]);

  it('writes those, and says why there are no more', async () => {
    const { code, stdout } = await run('--format', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        {
          format: 'canonical',
          state: 'refused',
          reason: expect.stringMatching(/got version 2 of a newer release\.$/),
          sessions: 2,
          written: ['many.0.jsonl', 'many.1.jsonl'],
        },
      ],
    });
    expect(readdirSync(out)).toEqual(['many.0.jsonl', 'many.1.jsonl']);
  });

  it('has it both among what was read and among what was not', async () => {
    const { code, stdout } = await run();
    expect(code).toBe(1);
    expect(stdout).toMatch(/many\.jsonl +canonical +2 +2[^]*Unread:[^]*of a newer release\./);
  });
});
