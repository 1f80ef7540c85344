import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkApart, checkOutPath, writeReport } from '../../../src/cli/process/output.ts';
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

describe('checkApart', () => {
  const folder = createFolder();
  symlinkSync(folder, join(folder, 'itself'));

  it.each([
    ['the same name', 'a.json', 'a.json'],
    ['a name with a detour', 'a.json', 'b/../a.json'],
    ['a name behind a link', 'a.json', 'itself/a.json'],
    ['a folder behind a link', 'b/a.json', 'itself/b/a.json'],
  ])('refuses %s', (_, out, events) => {
    expect(() => checkApart(join(folder, out), `${folder}/${events}`)).toThrow('to be two files');
  });

  it('takes two names', () => {
    expect(() => checkApart(join(folder, 'a.json'), join(folder, 'b/a.json'))).not.toThrow();
  });
});
