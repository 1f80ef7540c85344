import { expect, it } from 'vitest';
import { type AssistantMessage } from '../../../../src/engine/index.ts';
import { step, user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { called, fact, read, say } from './sessions.ts';

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
