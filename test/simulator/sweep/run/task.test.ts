import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/simulator/session/session.ts';
import {
  hashSession,
  readSession,
  writeSession,
} from '../../../../src/simulator/sweep/run/task.ts';
import { step, toolIn, user } from '../../../support/history.ts';

const input: unknown = JSON.parse('{ "__proto__": { "isAdmin": true }, "path": "a.ts" }');
const session: Session = {
  name: 'a.json',
  format: 'chat',
  isSide: false,
  isPartial: false,
  messages: [
    user('m1', 'Read it, 😀.'),
    step('m2', [toolIn('p1', { status: 'completed', input, output: 'x\u0000y' })]),
  ],
  recordedCompactions: [],
  isOutputFinal: true,
  report: { dropped: {}, repaired: {} },
};

describe('a session as a text', () => {
  it.each<[string, Session]>([
    ['as it is', session],
    [
      'with what its steps cost',
      { ...session, recordedCosts: new Map([['m2', { inputNanoUsd: 5, outputNanoUsd: 7 }]]) },
    ],
  ])('is the same session %s, by its hash too', (_, one) => {
    const read = readSession(writeSession(one));
    expect(read).toEqual(one);
    expect(hashSession(read)).toBe(hashSession(one));
  });

  it('has a key of any name as a key like any other', () => {
    const [, message] = readSession(writeSession(session)).messages;
    const [part] = message?.parts ?? [];
    const read = part?.type === 'tool' ? part.state.input : undefined;
    expect(Object.keys(read as object)).toEqual(['__proto__', 'path']);
  });
});
