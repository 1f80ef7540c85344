import { describe, expect, it } from 'vitest';
import type { Message, Part, ToolPart } from '../../../../src/engine/index.ts';
import { foldRun } from '../../../../src/simulator/metrics/fold.ts';
import { createTouches } from '../../../../src/simulator/replay/references/calls.ts';
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

  it('stand at the message that they end with', () => {
    const messages = [user('u1'), ...['s1', 's2', 's3', 's4'].map(testing), say('end', 'Done.')];
    expect([...traceOf(messages).references().loops]).toEqual([['s4', 1]]);
  });
});

describe('a reference', () => {
  it.each<[name: string, part: ToolPart, isBack: boolean]>([
    ['a command', called('s1', 'bash', { command: 'npm test' }, 'is_about'), true],
    ['a write', called('s1', 'Write', { file_path: 'a', content: 'b' }, 'is_about'), false],
    [
      'a command that writes',
      called('s1', 'bash', { command: 'sed -i s,a,b, src/a.ts' }, 'is_about'),
      false,
    ],
    ['a patch without a path', called('s1', 'apply_patch', {}, 'is_about'), false],
    ['the work of another agent', called('s1', 'Task', { prompt: 'x' }, 'is_about'), false],
    [
      'a call that failed',
      {
        ...called('s1', 'read', {}, ''),
        state: { status: 'error', input: {}, error: 'is_about' },
      },
      false,
    ],
    ['what was said in a call', called('s1', 'bash', { command: 'is_about' }, 'x'), false],
  ])('knows whether the same call brings back what it gave: %s', (_, part, isBack) => {
    const trace = traceOf([user('u1'), step('s1', [part]), say('s2', 'is_about')]);
    const [{ source } = expect.fail('no reference')] = trace.references().all;
    expect(source.callTokens > 0).toBe(isBack);
  });
});

describe('a file', () => {
  it.each([
    ['/w/src/a.ts', '/w/x/../src/a.ts', true],
    ['/w/src/a.ts', '/w/./src/x/y/../../a.ts', true],
    ['src/a.ts', './src/../src/./a.ts', true],
    ['/a.ts', '/../a.ts', true],
    ['../../a.ts', 'x/../../../a.ts', true],
    ['a.ts', '../a.ts', false],
    ['a.ts', '../../a.ts', false],
    ['src/.env', 'src/env', false],
  ])('%s is named by %s: %s', (path, other, isNamed) => {
    const messages = [user('u1'), read('s1', path, 'words'), write('s2', other, 'b')];
    expect(traceOf(messages).references().staleAfter.has('s2')).toBe(isNamed);
  });

  it('is the one in the folder that a command went to', () => {
    const writing = called('s2', 'bash', { command: 'cd /w/src && echo b > a.ts' }, '');
    const messages = [user('u1'), read('s1', '/w/src/a.ts', 'words'), step('s2', [writing])];
    expect(traceOf(messages).references().staleAfter.has('s2')).toBe(true);
  });

  it.each([
    ['src/a.ts', true],
    ['p/src/a.ts', true],
    ['/w/p/src/./a.ts', true],
    ['q/src/a.ts', false],
  ])('is named in short from each folder that calls went by: %s, %s', (path, isNamed) => {
    const commands = ['cat /w/p/src/a.ts', 'cd /w/p && cat src/b.ts', 'cd /w && cat p/src/b.ts'];
    const calls = commands.map((command, at) => called(`s${at}`, 'bash', { command }, ''));
    const { nameOf } = createTouches([user('u1'), step('s1', calls)]);
    expect(nameOf(path) === nameOf('/w/p/src/a.ts')).toBe(isNamed);
  });
});
