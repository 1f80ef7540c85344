import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const CASES = resolve(import.meta.dirname, '../../../../shared/conformance/opencode-cases.json');
/** The cases about files that are read are examples of their format. */
const FOLDERS = [import.meta.dirname, resolve(import.meta.dirname, '../../fixtures/formats')];

describe('the cases', () => {
  it.skipIf(!existsSync(CASES))(
    'each have a test that names them (skipped where they are not at hand)',
    () => {
      const cases = JSON.parse(readFileSync(CASES, 'utf8')) as { id: string }[];
      const tests = FOLDERS.flatMap(testsIn);
      const named = new Set(tests.flatMap((text) => text.match(/\b\w+-\d{3}\b/g) ?? []));
      expect(cases.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([]);
    },
  );
});

function testsIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const tests = files.filter((file) => /\.test\.ts$|\.json$/.test(file));
  return tests.map((file) => readFileSync(join(folder, file), 'utf8'));
}
