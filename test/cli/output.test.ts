import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeReport } from '../../src/cli/output.ts';
import { captureIo } from '../support/captured-io.ts';
import { createFolder } from '../support/session-files.ts';

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
    expect(io.written.stderr).toMatch(/^Expected to write '.*taken', got '.*'\.\n$/);
    expect(readdirSync(folder)).toEqual(['taken']);
  });
});
