import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, markerOf } from '../../../src/engine/index.ts';
import { cutForReplay } from '../../../src/engine/pivot/cut.ts';
import { pivotedHistories } from '../../support/arbitraries.ts';
import { frozen } from '../../support/frozen.ts';
import { marker, step, summary, user } from '../../support/history.ts';

const refused = marker('m1', { overflow: true });
/** An id that no generated history has. */
const last = marker('last', { overflow: true });
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id).join(' ');

describe('cutForReplay', () => {
  it.each<[string, Message[], string, string | undefined]>([
    [
      'takes the refused prompt out of the head',
      [user('u1'), step('s1'), user('u2'), refused],
      'u1 s1',
      'u2',
    ],
    [
      'takes the steps of the refused turn out with it',
      [user('u1'), step('s1'), user('u2'), step('s2'), step('s3'), refused],
      'u1 s1',
      'u2',
    ],
    [
      'takes the newest of several prompts',
      [user('u1'), user('u2'), user('u3'), refused],
      'u1 u2',
      'u3',
    ],
    [
      'takes no prompt from behind the marker',
      [user('u1'), user('u2'), refused, user('u3')],
      'u1',
      'u2',
    ],
    [
      'summarises everything if the refused prompt is the first',
      [user('u1'), step('s1'), refused],
      'u1 s1 m1',
      undefined,
    ],
    [
      'summarises everything if only a pivot precedes the refused prompt',
      [marker('m0'), summary('sum', 'm0'), user('u2'), step('s2'), refused],
      'm0 sum u2 s2 m1',
      undefined,
    ],
    [
      'counts no step as a prompt that precedes',
      [step('s0'), user('u1'), refused],
      's0 u1 m1',
      undefined,
    ],
    ['passes over an older marker', [user('u1'), user('u2'), marker('m0'), refused], 'u1', 'u2'],
    [
      'summarises everything if there is no prompt at all',
      [step('s0'), refused],
      's0 m1',
      undefined,
    ],
    [
      'summarises everything if the marker is not in view',
      [user('u1'), user('u2')],
      'u1 u2',
      undefined,
    ],
  ])('%s', (...[, view, head, replayId]) => {
    const cut = cutForReplay({ view: frozen(view), parentId: 'm1', mayReplay: true });
    expect([ids(cut.head), cut.replay?.id]).toEqual([head, replayId]);
  });

  it('summarises the whole view where nothing is to be sent again', () => {
    const view = [user('u1'), step('s1'), user('u2'), refused];
    expect(cutForReplay({ view, parentId: 'm1', mayReplay: false })).toEqual({ head: view });
  });

  it('takes out the newest prompt with what follows it, and only what follows another prompt', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        const view = [...history, last];
        const { head, replay } = cutForReplay({
          view: frozen(view),
          parentId: 'last',
          mayReplay: true,
        });
        fc.pre(replay !== undefined);
        expect([...head, replay]).toEqual(view.slice(0, head.length + 1));
        expect(view.slice(head.length + 1).filter(isPrompt)).toEqual([]);
        expect(head.some(isPrompt)).toBe(true);
      }),
    );
  });

  it('takes nothing out of a view with fewer than two prompts', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        const [first] = history.filter(isPrompt);
        const view = [
          ...history.filter((message) => !isPrompt(message) || message === first),
          refused,
        ];
        expect(cutForReplay({ view: frozen(view), parentId: 'last', mayReplay: true })).toEqual({
          head: view,
        });
      }),
    );
  });
});

function isPrompt(message: Message): boolean {
  return message.role === 'user' && markerOf(message) === undefined;
}
