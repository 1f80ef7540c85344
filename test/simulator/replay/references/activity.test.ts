import { describe, expect, it } from 'vitest';
import type { Message, Part } from '../../../../src/engine/index.ts';
import { foldRun } from '../../../../src/simulator/metrics/fold.ts';
import { step, user } from '../../../support/history.ts';
import { run, traceOf } from '../lab.ts';
import { called, read, say, write } from './sessions.ts';

const failing = (id: string): Message => step(id, [editOf(id)]);
const editOf = (id: string): Part => ({
  ...called(id, 'edit', { filePath: 'a' }, ''),
  state: { status: 'error', input: { filePath: 'a' }, error: 'no match' },
});
const testing = (id: string): Message =>
  step(id, [called(id, 'bash', { command: 'npm test' }, `Passed in ${id}.`)]);
const polling = (id: string, output: string): Message => step(id, [polled(id, output)]);
const polled = (id: string, output: string): Part =>
  called(id, 'status', { job: 'copper' }, output);

describe('loops', () => {
  it.each<[name: string, messages: readonly Message[], loops: number]>([
    ['eight calls that fail alike', [1, 2, 3, 4, 5, 6, 7, 8].map((nth) => failing(`s${nth}`)), 1],
    ['three calls that give something else each time', ['s1', 's2', 's3'].map(testing), 1],
    ['two of them', ['s1', 's2'].map(testing), 0],
    ['three calls of one step', [step('s1', ['a', 'b', 'c'].map(editOf))], 1],
    [
      'three reads of the same, which are references',
      ['s1', 's2', 's3'].map((id) => read(id, 'x', 'y')),
      1,
    ],
    [
      'four calls, of which two give one thing and two another',
      ['s1', 's2', 's3', 's4'].map((id, at) => polling(id, at < 2 ? 'Queued.' : 'Running.')),
      1,
    ],
    [
      'two calls of one step and two more, of which one comes later',
      [
        step(
          's1',
          ['a', 'b'].map((id) => polled(id, 'Queued.')),
        ),
        polling('s2', 'Queued.'),
        failing('s3'),
        polling('s4', 'Queued.'),
      ],
      1,
    ],
    [
      'other calls in between',
      ['s1', 's2', 's3'].flatMap((id) => [testing(id), failing(`${id}f`)]),
      0,
    ],
    [
      'words in between, which are no call',
      ['s1', 's2', 's3'].flatMap((id) => [testing(id), say(`${id}w`, 'Again.')]),
      1,
    ],
    [
      'a person who asked for each',
      ['s1', 's2', 's3'].flatMap((id) => [testing(id), user(`${id}u`)]),
      0,
    ],
    [
      'two rows of one step',
      [
        step('s1', [
          ...['a', 'b', 'c'].map(editOf),
          ...['d', 'e', 'f'].map((id) => called(id, 'bash', { command: 'npm test' }, id)),
        ]),
      ],
      2,
    ],
    ['two rows', [...['s1', 's2', 's3'].map(testing), ...['f1', 'f2', 'f3'].map(failing)], 2],
  ])('are counted: %s', (_, messages, loops) => {
    const { events } = run([user('u1'), ...messages, say('end', 'Done.')]);
    expect(foldRun(events).regret.loops).toBe(loops);
  });
});

describe('reads', () => {
  it('are counted, and those that give what an earlier one gave since the file was last written', () => {
    const messages = [
      user('u1'),
      read('s1', 'f', 'one'),
      read('s2', 'f', 'one'),
      write('s3', 'f', 'two'),
      read('s4', 'f', 'one'),
      read('s5', 'g', 'one'),
      say('end', 'Done.'),
    ];
    const { fileReads, fileRereads } = foldRun(run(messages).events).regret;
    expect([fileReads, fileRereads]).toEqual([4, 1]);
  });

  it('are of no use once their file is written', () => {
    const messages = [
      user('u1'),
      read('s1', 'f', 'one'),
      write('s2', 'f', 'two'),
      say('end', 'Ok.'),
    ];
    const { activity, partNumbers } = traceOf(messages).references();
    const side = 2 * partNumbers.get('s1-read')! + 1;
    expect(activity.get('s2')?.stale).toEqual([{ side, tokens: expect.any(Number) }]);
  });
});
