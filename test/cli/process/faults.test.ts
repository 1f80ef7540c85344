import { describe, expect, it } from 'vitest';
import { reportError } from '../../../src/cli/process/faults.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import { captureIo } from '../../support/captured-io.ts';

const ofSystem = (code: string, rest: object = {}) =>
  Object.assign(new Error(code), { code, syscall: 'read', ...rest });
const BUG = 'Expected no fault of this program, which is worth a report, got';
const HINT = '; COMPACTION_BENCH_STACK=1 shows where.\n';

describe('reportError', () => {
  it.each<[unknown, number, string]>([
    [new HarnessError('BAD_OPTION', 'Expected a, got b.'), EXIT.wrongUse, 'Expected a, got b.\n'],
    [new HarnessError('UNWRITABLE', 'Expected a, got b.'), EXIT.failed, 'Expected a, got b.\n'],
    [
      ofSystem('EIO', { path: '/a' }),
      EXIT.failed,
      `Expected the system to carry out 'read' of '/a', got a device that fails${HINT}`,
    ],
    [
      ofSystem('EMFILE'),
      EXIT.failed,
      `Expected the system to carry out 'read', got too many open files${HINT}`,
    ],
    [
      new RangeError('Invalid string length'),
      EXIT.failed,
      `Expected an input that fits into memory, got 'RangeError: Invalid string length'${HINT}`,
    ],
    [
      new TypeError('x\n is no function'),
      EXIT.failed,
      `${BUG} 'TypeError: x\\u000a is no function'${HINT}`,
    ],
    [null, EXIT.failed, `${BUG} 'null'${HINT}`],
    [Symbol('odd'), EXIT.failed, `${BUG} 'Symbol(odd)'${HINT}`],
  ])('tells %o in one sentence', (error, code, told) => {
    const io = captureIo();
    expect([reportError(error, io), io.written.stderr]).toEqual([code, told]);
  });

  it('shows the stack to who wants it', () => {
    const io = captureIo({ env: { COMPACTION_BENCH_STACK: '1' } });
    const error = new Error('broken here');
    reportError(error, io);
    expect(io.written.stderr).toBe(`${BUG} 'Error: broken here'.\n${error.stack}\n`);
  });
});
