import { describe, expect, it } from 'vitest';
import { badOption, HarnessError } from '../../../../src/simulator/lib/errors.ts';
import { readNamedFile } from '../../../../src/simulator/lib/files.ts';
import { RefusedTask, toQueueError } from '../../../../src/simulator/sweep/queue/failure.ts';

const SECRET = '/srv/kettle/lid.jsonl';

/** The words for the queue and for the worker's own user. */
function tell(error: unknown) {
  const notes: string[] = [];
  return { told: toQueueError(error, (note) => notes.push(note)).message, notes };
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('Expected a failure.');
}

describe('toQueueError', () => {
  it.each([
    ['a file that is not there', thrownBy(() => readNamedFile(SECRET))],
    [
      'a session that is another one',
      new RefusedTask(`Expected to read '${SECRET}', got a folder.`),
    ],
    ['a recording that is missing', new HarnessError('CASSETTE_MISS', `No recording in ${SECRET}`)],
    ['a fault of the program', new TypeError(`no such module: ${SECRET}`)],
  ])('tells nothing of files: %s', (_, error) => {
    const { told, notes } = tell(error);
    expect(told).not.toContain('kettle');
    expect(told).toMatch(/^worker on \S+: /);
    expect(notes).toEqual([expect.stringContaining(SECRET)]);
  });

  it('says the same of a session that is missing and of another one', () => {
    expect(tell(new RefusedTask('missing')).told).toBe(tell(new RefusedTask('another')).told);
  });

  it('says which setting a worker lacks', () => {
    expect(tell(badOption('Expected LAB_KEY')).told).toContain(': Expected LAB_KEY');
    expect(tell(badOption('Expected LAB_KEY')).notes).toEqual([]);
  });
});
