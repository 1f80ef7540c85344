import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { sampleText } from '../simulator/scenario/file/sample-scenario.ts';
import { callMain } from '../support/command.ts';
import { chatOf, createFolder, writeFile } from '../support/session-files.ts';

const folder = createFolder();
const env = { COMPACTION_BENCH_CACHE: createFolder() };
const SESSION = writeFile(folder, 'long.json', chatOf(40, 400));
const SMALL = ['--set', 'contextTokens=20000'];
const scenario = writeFile(folder, 'one.yaml', sampleText());
const PAGES = ['report.md', 'report.html'];

/** Every command that compares and writes its report to a file; `sweep --out` is a folder, and its report is printed. */
const COMMANDS: readonly (readonly [
  name: string,
  argv: readonly string[],
  pages: readonly string[],
])[] = [
  ['run', [SESSION, ...SMALL, '--policy', 'opencode-1.2.16,document-002'], PAGES],
  ['compare', ['opencode-1.2.16', 'document-002', SESSION, ...SMALL], PAGES],
  ['whatif', [SESSION, '--window', '20k,24k'], PAGES],
  [
    'tune',
    [SESSION, ...SMALL, '--policy', 'opencode-1.2.16', '--vary', 'protect=1k,2k', '--jobs', '1'],
    PAGES,
  ],
  ['summarizers', [SESSION, '--summarizers', 'lead,tail'], PAGES],
  ['check', [scenario], PAGES],
  ['answer', [SESSION, '--jobs', '1'], ['report.md']],
];

/** Without what marks names in Markdown and in pages, on one line; a title has no full stop. */
function plain(text: string): string {
  return text
    .replaceAll(/[`\\*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '');
}

describe('the verdict of a report that goes to a file', () => {
  it.each(COMMANDS)('is what %s prints, and stands in every format', async (name, argv, pages) => {
    const written = async (file: string) => {
      const out = join(folder, name, file);
      const ended = await callMain([name, ...argv, '--out', out], { env });
      expect(ended).toMatchObject({ code: EXIT.done, stderr: expect.stringContaining(out) });
      return { stdout: ended.stdout, text: readFileSync(out, 'utf8') };
    };
    const { stdout, text } = await written('report.json');
    expect(JSON.parse(text)).toHaveProperty('verdict');
    expect(stdout).toMatch(/^\S[^]*\.\n/);
    for (const page of pages) {
      const shown = await written(page);
      expect(shown.stdout).toBe(stdout);
      const has = plain(shown.text);
      for (const line of stdout.trim().split('\n'))
        expect([line, has.includes(plain(line))]).toEqual([line, true]);
    }
    const { stdout: whole } = await callMain([name, ...argv], { env });
    const [first = ''] = stdout.split('\n');
    expect(plain(whole)).toContain(plain(first));
  });
});
