import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const CASES = resolve(import.meta.dirname, '../../../../shared/conformance/opencode-cases.json');
/** Kinds about what lies around the engine: files that are read, providers that are asked again, work that is undone. */
const OUTSIDE = ['import', 'retry', 'revert'];

describe('the cases', () => {
  it.skipIf(!existsSync(CASES))(
    'each have a test that names them, but for kinds outside of the engine (skipped where they are not at hand)',
    () => {
      const cases = JSON.parse(readFileSync(CASES, 'utf8')) as { id: string; kind: string }[];
      const testFiles = readdirSync(import.meta.dirname).filter((name) => name !== 'ids.test.ts');
      const named = new Set(
        testFiles.flatMap(
          (name) =>
            readFileSync(join(import.meta.dirname, name), 'utf8').match(/\b\w+-\d{3}\b/g) ?? [],
        ),
      );
      const missing = cases.filter(({ id }) => !named.has(id));
      expect(missing.filter(({ kind }) => !OUTSIDE.includes(kind)).map(({ id }) => id)).toEqual([]);
      expect(missing.map(({ id }) => id)).toEqual([
        'import-001',
        'import-002',
        'retry-004',
        'retry-005',
        'retry-007',
        'retry-008',
        'retry-009',
        'retry-010',
        'revert-001',
      ]);
    },
  );
});
