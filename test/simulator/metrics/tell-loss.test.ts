import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/engine/index.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { nameLosses } from '../../../src/simulator/metrics/explain.ts';
import { user } from '../../support/history.ts';
import { traceOf } from '../replay/lab.ts';
import { read, say } from '../replay/references/sessions.ts';

const LINES = [1, 2, 3].map((nth) => `Line ${nth} of the file about the shop.`).join('\n');

/** How losses are named if no need of a session is visible. */
function namesOf(messages: readonly Message[]) {
  const references = traceOf([user('u1'), ...messages]).references();
  const losses = references.all.map((need): RunEvent => {
    const ids = need.sources.flatMap((side) => references.parts[side >> 1]?.part.id ?? []);
    return {
      type: 'reference',
      step: need.step,
      kind: need.kind,
      document: need.document,
      isRecoverable: need.isRecoverable,
      messageId: 's1',
      partId: ids[0] ?? '',
      partIds: ids,
      sinceStep: 1,
      tokens: 9,
      missedBy: 'pivot',
      ...(!need.isRecoverable && { pieces: [...need.pieces] }),
    };
  });
  return nameLosses([...losses, { type: 'turn-start', turn: 2 }], references);
}

describe('nameLosses', () => {
  it.each<[string, readonly Message[], readonly string[]]>([
    [
      'a lost name by itself',
      [say('s1', 'See collectInvoices.'), say('s2', 'I take collectInvoices.')],
      ['collectInvoices'],
    ],
    ['lost lines by their file', [read('s1', 'f', LINES), read('s2', 'f', LINES)], ['f']],
    [
      'a lost path by the file that is opened',
      [say('s1', 'See cart-rules.ts.'), read('s2', '/w/cart-rules.ts', 'x')],
      ['cart-rules.ts'],
    ],
    ['nothing where nothing was needed', [say('s1', 'Hm.')], []],
  ])('names %s', (_, messages, names) => {
    expect(namesOf(messages)).toEqual(names);
  });
});
