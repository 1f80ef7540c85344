import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOutPath, writeReport } from '../../../src/cli/process/io.ts';
import { captureIo } from '../../support/captured-io.ts';
import { createFolder } from '../../support/session-files.ts';

describe('writeReport', () => {
  it('puts the report on standard output, and nothing else', () => {
    const io = captureIo();
    expect(writeReport(io, 'report\n')).toBe(true);
    expect(io.written).toEqual({ stdout: 'report\n', stderr: '' });
  });

  it('says so when a report cannot become its file, and leaves nothing', () => {
    const io = captureIo();
    const folder = createFolder();
    const path = join(folder, 'taken');
    mkdirSync(path);
    expect(writeReport(io, 'report\n', path)).toBe(false);
    expect(io.written.stdout).toBe('');
    expect(io.written.stderr).toMatch(/^Expected to write '.*taken', got a folder\.\n$/);
    expect(readdirSync(folder)).toEqual(['taken']);
  });
});

describe('checkOutPath', () => {
  it.each([
    ['nothing', '', 'nothing'],
    ['a dash, which elsewhere is standard output', '-', "'-', which names none; './-' does"],
    ['a folder', createFolder(), 'which is not one'],
  ])('refuses %s', (_, path, got) => {
    expect(() => checkOutPath(path)).toThrow("Expected '--out' to be a writable file, got ");
    expect(() => checkOutPath(path)).toThrow(got);
  });

  it.each([undefined, './-', '-.json'])('takes %j', (path) => {
    expect(() => checkOutPath(path)).not.toThrow();
  });
});
