import { describe, expect, it, vi } from 'vitest';
import {
  createCallIds,
  createDialogue,
} from '../../../../src/simulator/session/reading/dialogue.ts';
import { createTally } from '../../../../src/simulator/session/reading/fields.ts';

const step = () => ({ createdAt: 1, parts: [] });
const call = (callId?: string) => ({ callId, tool: 'boil', input: {} });

function begin() {
  const dialogue = createDialogue(createTally());
  dialogue.addPrompt({ createdAt: 0, parts: [] });
  return dialogue;
}

describe('a result', () => {
  it('is taken by a call once', () => {
    const dialogue = begin();
    dialogue.addCall(dialogue.addStep(step()), call('c'));
    expect(dialogue.finishCall({ key: 'c', output: 'x' })).toBe(true);
    expect(dialogue.finishCall({ key: 'c', output: 'y' })).toBe(false);
    expect(dialogue.end()[1]?.parts).toMatchObject([{ state: { output: 'x' } }]);
  });

  it('without a key is taken by the calls of the last step in order', () => {
    const dialogue = begin();
    const last = dialogue.addStep(step());
    for (const each of [call(), call()]) dialogue.addCall(last, each);
    expect(['x', 'y', 'z'].map((output) => dialogue.finishCall({ output }))).toEqual([
      true,
      true,
      false,
    ]);
    expect(last.parts).toMatchObject([{ state: { output: 'x' } }, { state: { output: 'y' } }]);
  });

  it('without a key is not taken by a call of an earlier step', () => {
    const dialogue = begin();
    dialogue.addCall(dialogue.addStep(step()), call());
    dialogue.addStep(step());
    expect(dialogue.finishCall({ output: 'x' })).toBe(false);
  });
});

describe('an injected text', () => {
  it('that a step follows stands behind the prompt before it', () => {
    const dialogue = begin();
    dialogue.addPrompt({ createdAt: 0, parts: [{ type: 'text', text: 'x' }] });
    dialogue.inject('y');
    dialogue.addStep(step());
    expect(dialogue.end().at(-2)?.parts).toMatchObject([{ text: 'x' }, { text: 'y' }]);
  });

  it('that nothing follows and nothing precedes gets a user message', () => {
    const tally = createTally();
    const dialogue = createDialogue(tally);
    dialogue.inject('');
    expect(dialogue.end()).toEqual([]);
    dialogue.inject('x');
    expect(dialogue.end()).toMatchObject([{ role: 'user', parts: [{ synthetic: true }] }]);
    expect(tally.toReport().repaired).toEqual({ 'user message made for injected texts': 1 });
  });
});

const CALLS = 200;

describe('createCallIds', () => {
  it('writes out each call a few times at most, however many have one id', () => {
    let written = 0;
    const ids = createCallIds(createTally());
    const given = Array.from({ length: CALLS }, (_, index) => {
      const toJSON = () => {
        written += 1;
        return index;
      };
      return ids.ofCall('call_0', { name: 'bash', input: { toJSON } });
    });
    expect(new Set(given).size).toBe(CALLS);
    expect(written).toBeLessThanOrEqual(2 * CALLS);
  });

  it('writes out no call that has an id of its own', () => {
    const ids = createCallIds(createTally());
    const toJSON = vi.fn<() => void>();
    expect(ids.ofCall('a', { name: 'bash', input: { toJSON } })).toBe('a');
    expect(ids.ofCall('b', { name: 'bash', input: { toJSON } })).toBe('b');
    expect(toJSON).not.toHaveBeenCalled();
  });
});
