import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HarnessError } from '../../src/simulator/errors.ts';
import { statOf } from '../../src/simulator/stat-of.ts';

it('finds what is there, and nothing where nothing can be', () => {
  expect(statOf(import.meta.dirname)?.isDirectory()).toBe(true);
  expect(statOf(import.meta.filename)?.isFile()).toBe(true);
  expect(statOf(join(import.meta.dirname, 'none'))).toBeUndefined();
  expect(statOf(join(import.meta.filename, 'below'))).toBeUndefined();
});

it('tells in words where it may not look', () => {
  const tooLong = 'x'.repeat(5_000);
  expect(() => statOf(tooLong)).toThrow(HarnessError);
  expect(() => statOf(tooLong)).toThrow(
    /to be a readable file or folder, got a name that is too long\.$/,
  );
});
