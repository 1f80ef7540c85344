import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callMain } from '../../support/command.ts';
import { says } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

/** Sessions that were compacted, with the summary that a model wrote there in production. */
const SESSIONS = join(import.meta.dirname, '../../../../shared/sessions/claude-code');
const FILES = [
  'entire-cd95-3compactions-v2.1.7.jsonl',
  'entire-b0dc-1compaction-2micro-v2.1.17.jsonl',
];
const isThere = existsSync(SESSIONS);

interface ImportedLine {
  readonly type: string;
  readonly kind?: string;
  readonly summary?: string;
  readonly messageIndex?: number;
}

/** A session up to its first full compaction, and the summary of that. */
async function cutAtCompaction(folder: string, file: string) {
  await callMain(['sessions', 'import', join(SESSIONS, file), '--out', folder]);
  const [header, ...lines] = readFileSync(join(folder, basename(file)), 'utf8')
    .trim()
    .split('\n');
  const parsed = lines.map((line) => [line, JSON.parse(line) as ImportedLine] as const);
  const found = parsed.find(([, { type, kind }]) => type === 'compaction' && kind === 'full');
  const messages = parsed.filter(([, { type }]) => type === 'message').map(([line]) => line);
  const { messageIndex = 0, summary = '' } = found![1];
  const text = `${[header, ...messages.slice(0, messageIndex)].join('\n')}\n`;
  return { path: writeFile(folder, `cut-${file}`, text), summary };
}

describe.skipIf(!isThere)(
  `recorded summaries${isThere ? '' : ' (skipped: ../shared is absent)'}`,
  () => {
    const folder = createFolder();
    const paths: string[] = [];
    let server: ModelServer;
    beforeAll(async () => {
      const summaries: string[] = [];
      for (const file of FILES) {
        const { path, summary } = await cutAtCompaction(folder, file);
        paths.push(path);
        summaries.push(summary);
      }
      server = await startModelServer(({ body }) => {
        const isFirst = JSON.stringify(body).includes('git-ai');
        return says((isFirst ? summaries[0] : summaries[1]) ?? '');
      });
    });
    afterAll(async () => {
      await server.close();
    });

    const compare = (...argv: readonly string[]) =>
      callMain([
        'summarizers',
        ...paths,
        '--policy=claude-code',
        '--summarizers=random,ai:local/recorded',
        `--base-url=${server.url}`,
        '--compact-at=1',
        ...argv,
      ]);

    it('are never called worse than random lines, nor better', async () => {
      const { code, stdout } = await compare('--details');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^No reader was named/);
      expect(stdout).toContain('nothing judges this');
      expect(stdout).not.toMatch(/\bworse\b(?!\.)/);
    });
  },
);
