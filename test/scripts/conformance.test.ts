import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkVectors } from '../../scripts/conformance/report.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const VECTORS = join(import.meta.dirname, '../fixtures/conformance/opencode-vectors.json');
const right = {
  id: 'right',
  kind: 'tokenEstimate',
  version: 'v1',
  input: { text: 'a' },
  expected: 0,
};
const wrong = { ...right, id: 'wrong', expected: 1 };
const foreign = { id: 'foreign', kind: 'other' };

function file(content: unknown): string {
  return writeFile(createFolder(), 'vectors.json', JSON.stringify(content));
}

describe('checkVectors', () => {
  it('finds the engine right in all that the shipped vectors say', () => {
    const { code, text } = checkVectors([VECTORS]);
    expect(code).toBe(0);
    expect(text).toMatch(/^isOverflow +v1\.14\.19 +23 +0 +0$/m);
    expect(text).toMatch(/^Total +573 +0 +0$/m);
  });

  it('prints counts, failures and what does not apply', () => {
    const { code, text } = checkVectors([file([right, wrong, foreign, foreign])]);
    expect(code).toBe(1);
    expect(text).toMatchInlineSnapshot(`
      "Kind           Profile  Passed  Failed  Not applicable
      tokenEstimate  v1            1       1               0
      other          any           0       0               2
      Total                        1       1               2

      Failed:
      - wrong (tokenEstimate, v1): expected 1, got 0

      Not applicable:
      - 2 × other: Unknown kind 'other'. Expected one of: isOverflow, tokenEstimate, prune, filterCompacted, selectTail, preserveBudget, contextOverflowErrorDetection, getUsage, flagParse, v2Required, v2SelectTail. First: foreign.
      "
    `);
  });

  it('gives the same as JSON', () => {
    const { code, text } = checkVectors([file([right, wrong]), '--json']);
    expect(code).toBe(1);
    const one = { kind: 'tokenEstimate', profile: 'v1', got: 0 };
    expect(JSON.parse(text)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
      unread: [],
      results: [
        { ...one, id: 'right', state: 'passed', expected: 0 },
        { ...one, id: 'wrong', state: 'failed', expected: 1 },
      ],
    });
  });

  it.each<[string, readonly string[], number, RegExp]>([
    ['done where nothing failed', [file([right, foreign])], 0, /^Total +1 +0 +1$/m],
    ['inconclusive where nothing applies', [file([foreign])], 3, /^Total +0 +0 +1$/m],
    ['failed where one file cannot be read', [file([right]), '/no.json'], 1, /^Unread:\n- Exp/m],
    ['wrong use without a file', ['--json'], 2, /^Expected files with vectors/],
    ['wrong use with another option', [VECTORS, '--csv'], 2, /^Expected files with vectors/],
    ['wrong use where none can be read', ['/no.json'], 2, /got nothing at that path/],
    ['wrong use of an object', [file({ id: 'a' })], 2, /to be a JSON array of objects/],
    ['wrong use of no entries', [file([])], 2, /got an empty JSON array/],
    ['wrong use of an entry without an id', [file([right, { kind: 'a' }])], 2, /at '1\.id'/],
  ])('is %s', (_, args, code, text) => {
    expect(checkVectors(args)).toEqual({ code, text: expect.stringMatching(text) });
  });
});
