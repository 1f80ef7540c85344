import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import { unreadReason } from '../../../src/simulator/session/unread-reason.ts';

describe('unreadReason', () => {
  it.each<[string, unknown, string]>([
    [
      'repeats what a reader says of the file',
      new HarnessError('BAD_SESSION', 'Expected a, got b.'),
      'Expected a, got b.',
    ],
    [
      'says in words what the system says',
      Object.assign(new Error('x'), { code: 'EACCES' }),
      "Expected to read 'p/a.json', got no permission.",
    ],
    [
      'tells a fault of a reader, and that it is none of the file',
      new TypeError('Cannot convert\u001b object'),
      "Expected to read 'p/a.json', got a fault of this program, which is worth a report: 'Cannot convert\\u001b object'.",
    ],
  ])('%s', (_, error, expected) => {
    expect(unreadReason(error, 'p/a.json')).toBe(expected);
  });
});
