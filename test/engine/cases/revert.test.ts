import { describe, expect, it } from 'vitest';
import {
  applyRevert,
  createState,
  type LoopInput,
  type LoopState,
  policies,
  transition,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/values.ts';
import { namesOf } from '../../support/drive.ts';
import { step, user } from '../../support/history.ts';
import { compact, final, play, said, type Script, stepped } from '../../support/script.ts';
import { testTools } from '../../support/tools.ts';

const latest = policies['opencode-1.18'];
const undone: LoopInput = { type: 'compact', revertTo: 'u2' };
const twoTurns: Script = [
  [said('u1'), 'request u1'],
  [final('a1', 1), 'stop finished'],
  [said('u2'), 'request u1 a1 u2'],
  [final('a2', 1), 'stop finished'],
];

describe('revert', () => {
  it('revert-001: what was undone is gone before the marker is written', () => {
    const script: Script = [...twoTurns, [undone, 'marker-queued manual', 'summarise u1 a1']];
    const { played, state } = play(latest, script);
    expect(played).toEqual(script);
    expect(namesOf(state.history)).toBe('u1 a1 marker');
  });

  it('revert-001: what was undone is not undone again by the next compaction', () => {
    const script: Script = [...twoTurns, [undone], [compact]];
    const { state } = play(latest, script);
    expect(Object.keys(state)).not.toContain('revert');
    expect(namesOf(state.history)).toBe('u1 a1 marker');
  });
});

const history = [user('u1'), step('a1'), user('u2'), step('a2')];
const idsOf = (state: LoopState) => state.history.map(({ id }) => id);

describe('applyRevert', () => {
  const state = frozen({ ...createState(policies['document-002'], { contextTokens: 0 }), history });

  it.each<[string, readonly string[]]>([
    ['u1', []],
    ['a1', ['u1']],
    ['u2', ['u1', 'a1']],
    ['a2', ['u1', 'a1', 'u2']],
  ])('leaves what stands before %s', (id, expected) => {
    expect(idsOf(applyRevert(state, id))).toEqual(expected);
  });

  it('changes nothing for an unknown message', () => {
    expect(applyRevert(state, 'lost')).toBe(state);
  });

  it('takes what was undone out of the memory', () => {
    const script: Script = [
      [said('u1', 'kettle')],
      ...Array.from({ length: 11 }, (_, nth) => [stepped(`a${nth}`, 1)] as const),
      [stepped('a11', 136)],
    ];
    const filled = play(policies['external-memory'], script).state;
    const { memory } = applyRevert(filled, 'a1');
    expect([...(filled.memory?.movedOut ?? [])]).toEqual(['u1', 'a0', 'a1']);
    expect([...(memory?.movedOut ?? [])]).toEqual(['u1', 'a0']);
    expect(memory?.store.entries.size).toBe(2);
    expect(memory).not.toHaveProperty('recalled');
  });
});

describe('a compaction by hand', () => {
  it('that fits no phase undoes nothing', () => {
    const waiting = { ...createState(policies['opencode-1.18'], { contextTokens: 0 }), history };
    const busy = frozen({ ...waiting, phase: { state: 'requested', insertAt: 4 } as const });
    const next = transition(busy, { type: 'compact', revertTo: 'u2' }, testTools());
    expect(next).toEqual({
      state: busy,
      commands: [],
      events: [{ type: 'ignored', input: 'compact' }],
    });
  });

  it('for which nothing is left undoes all the same', () => {
    const waiting = { ...createState(policies['opencode-2.0'], { contextTokens: 0 }), history };
    const next = transition(frozen(waiting), { type: 'compact', revertTo: 'u1' }, testTools());
    expect(next).toMatchObject({ state: { history: [] }, commands: [], events: [] });
  });
});
