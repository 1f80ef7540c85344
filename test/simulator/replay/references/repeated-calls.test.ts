import { expect, it } from 'vitest';
import { type AssistantMessage } from '../../../../src/engine/index.ts';
import { step, user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { called, fact, read, say, shown, write } from './sessions.ts';

/** A step that reads the same file three times. */
const readThrice = (id: string): AssistantMessage =>
  step(
    id,
    ['a', 'b', 'c'].map((name) => called(`${id}${name}`, 'read', { filePath: 'x' }, 'blue')),
  );

it('references count the calls of a step that give the same again, also where it is declared to need that', () => {
  const facts = [fact({ value: 'blue', step: 1, neededAt: [3] })];
  const messages = [
    user('u1'),
    read('s1', 'x', 'blue'),
    readThrice('s2'),
    readThrice('s3'),
    say('s4', 'x'),
  ];
  const { all } = traceOf(messages, { facts }).references();
  expect(all.map(({ step: at, kind, calls }) => ({ at, kind, calls }))).toEqual([
    { at: 2, kind: 'recalled', calls: 3 },
    { at: 3, kind: 'declared', calls: 3 },
  ]);
});

it.each([
  ['behind a write of the same step none', ['w', 'r'], []],
  ['before it one', ['r', 'w'], ['2 recalled s1-read output']],
])('references find a read %s', (_, order, expected) => {
  const parts = { w: write('w', './notes', 'b').parts, r: read('r', 'notes', 'one').parts };
  const both = step(
    's2',
    order.flatMap((name) => parts[name as keyof typeof parts]),
  );
  const { all } = traceOf([user('u1'), read('s1', 'notes', 'one'), both]).references();
  expect(all.map(shown)).toEqual(expected);
});
