import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeFailure, describeFault, faultCode } from '../../src/simulator/system-fault.ts';

function faultOf(path: string): unknown {
  try {
    return readFileSync(path);
  } catch (error) {
    return error;
  }
}

describe('describeFailure', () => {
  it('has words for a fault of the system, and quotes anything else', () => {
    expect(describeFailure(faultOf(tmpdir()))).toBe('a folder');
    expect(describeFailure(new SyntaxError('no JSON'))).toBe("'no JSON'");
  });
});

describe('describeFault', () => {
  it.each([
    ['a path at which nothing stands', join(tmpdir(), 'no', 'such'), 'nothing at that path'],
    ['a folder', tmpdir(), 'a folder'],
    ['a path below a file', join(import.meta.filename, 'below'), 'a path inside a file'],
    ['a name of a thousand letters', join(tmpdir(), 'x'.repeat(1_000)), 'a name that is too long'],
  ])('says in words what is wrong with %s', (_, path, words) => {
    expect(describeFault(faultOf(path))).toBe(words);
  });

  it.each(['ERR_STRING_TOO_LONG', 'ERR_FS_FILE_TOO_LARGE'])('tells the way out of %s', (code) => {
    expect(describeFault(Object.assign(new Error('x'), { code }))).toBe(
      'more than the 512 MB that can be read at once; split it into several files',
    );
  });

  it.each([
    [
      'a fault without words by its code',
      Object.assign(new Error('many'), { code: 'EMFILE' }),
      'EMFILE',
    ],
    ['anything else as it is', 'odd', 'odd'],
  ])('tells %s', (_, fault, told) => {
    expect([describeFault(fault), faultCode(fault)]).toEqual([told, told]);
  });
});
