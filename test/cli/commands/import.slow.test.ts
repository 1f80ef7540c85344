import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportedFile } from '../../../src/cli/commands/import.ts';
import { callMain } from '../../support/command.ts';
import { createFolder } from '../../support/session-files.ts';

const SHARED = resolve(import.meta.dirname, '../../../../shared/sessions');
const MANIFEST = join(SHARED, 'MANIFEST.json');
const hasShared = existsSync(MANIFEST);
const note = hasShared ? '' : ' (skipped: ../shared/sessions is not there)';
/** Recalled knowledge and errors of no call are texts here, and outputs for the manifest. */
const TEXT_OUTPUTS: Readonly<Record<string, number>> = {
  'openhands/multi_swe_bench-output.jsonl': 3,
};

interface ManifestEntry {
  readonly file: string;
  readonly format: string;
  readonly messages: number;
  readonly toolOutputs: number;
  readonly compactions: readonly { readonly kind: string }[];
}

describe.skipIf(!hasShared)(`import of recordings${note}`, () => {
  it('reads every session, with the counts of the manifest', async () => {
    const manifest: readonly ManifestEntry[] = JSON.parse(readFileSync(MANIFEST, 'utf8'));
    const { stdout } = await callMain([
      'sessions',
      'import',
      SHARED,
      '--format',
      'json',
      '--out',
      createFolder(),
    ]);
    const { files } = JSON.parse(stdout) as { readonly files: readonly ImportedFile[] };
    const byName = new Map(files.map((file) => [file.file.slice(SHARED.length + 1), file]));
    const recorded = manifest.filter(
      ({ format, messages }) => !format.startsWith('schema-shape') && messages > 0,
    );
    const differences = recorded.flatMap(({ file, toolOutputs, compactions }) => {
      const found = byName.get(file);
      const full = compactions.filter(({ kind }) => kind === 'full').length;
      const expected = [toolOutputs - (TEXT_OUTPUTS[file] ?? 0), full, compactions.length - full];
      const got = found && [found.toolOutputs, found.compactions.full, found.compactions.micro];
      return JSON.stringify(got) === JSON.stringify(expected)
        ? []
        : [[basename(file), expected, got]];
    });
    expect(differences).toEqual([]);
  });
});
