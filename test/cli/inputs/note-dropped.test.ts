import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const line = (type: string, index: number, content: unknown) =>
  JSON.stringify({
    type,
    uuid: `${type}-${index}`,
    sessionId: 's1',
    timestamp: new Date(index * 60_000).toISOString(),
    message: { id: `m-${type}-${index}`, role: type, content },
  });
const lines = [0, 1, 2, 3].flatMap((index) => [
  line('user', index, `Go on with ${index}.`),
  line('assistant', index, [{ type: 'text', text: 'word '.repeat(200) }]),
]);
const session = writeFile(
  folder,
  'broken.jsonl',
  [...lines.slice(0, 3), '{"type":"assist', ...lines.slice(3), ''].join('\n'),
);

describe('a broken line of a recording', () => {
  it.each<readonly [string, readonly string[]]>([
    ['sweep', ['sweep', session, '--vary', 'protect=1k,2k']],
    ['tune', ['tune', session, '--vary', 'protect=1k,2k']],
    ['compare', ['compare', 'none', 'opencode-1.2.16', session]],
    ['whatif', ['whatif', session, '--no-charts']],
    ['explain', ['explain', session, '--policy', 'none']],
    ['summarizers', ['summarizers', session]],
    ['stats', ['stats', session]],
    ['validate', ['validate', session]],
  ])('is told by %s, which goes on without it', async (_, argv) => {
    const { code, stderr } = await callMain(argv);
    expect(code).not.toBe(EXIT.wrongUse);
    expect(stderr).toContain(
      "Note: Left out on import, in 1 session: broken line 1. 'import --explain' tells of each.\n",
    );
  });

  it('is among the sources of a report of runs', async () => {
    const { stdout, stderr } = await callMain(['run', session]);
    expect(stdout.replaceAll('\n', ' ')).toContain('Left out on import: broken line 1.');
    expect(stderr).toBe('');
  });
});
