import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../src/simulator/session/read.ts';
import { type Line, outline, prompt, say, step, system, transcript } from './claude-lines.ts';

const side = { isSidechain: true };
const read = (...lines: readonly Line[]) => readSessions('kettle.jsonl', transcript(...lines));

describe('side sessions', () => {
  const sessions = read(
    prompt('x'),
    step('m1', say('a')),
    prompt('first task', { ...side, uuid: 's1', parentUuid: null }),
    prompt('second task', { ...side, uuid: 'r1', parentUuid: null }),
    system('progress', { ...side, type: 'progress', uuid: 's2', parentUuid: 's1' }),
    step('m2', say('b'), { ...side, uuid: 's3', parentUuid: 's2' }),
    step('m3', say('c'), { ...side, uuid: 'r2', parentUuid: 'r1' }),
    step('m4', say('d'), { parentUuid: 'u2' }),
  );

  it('are kept apart by the record that they begin with, through records of all types', () => {
    expect(sessions.map(outline)).toEqual([
      ['user: x', 'assistant: a', 'assistant: d'],
      ['user: first task', 'assistant: b'],
      ['user: second task', 'assistant: c'],
    ]);
  });

  it('are named by their place in the file, and known by where they begin', () => {
    expect(sessions.map(({ name, sessionId, isSide }) => [name, sessionId, isSide])).toEqual([
      ['kettle.jsonl#0', 'kettle', false],
      ['kettle.jsonl#1', 's1', true],
      ['kettle.jsonl#2', 'r1', true],
    ]);
  });

  it('are kept apart where they begin at one record of the main session', () => {
    const found = read(
      prompt('x'),
      system('', { type: 'progress' }),
      prompt('first', { ...side, parentUuid: 'u2' }),
      prompt('second', { ...side, parentUuid: 'u2' }),
    );
    expect(found.map(outline)).toEqual([['user: x'], ['user: first'], ['user: second']]);
  });

  it('are kept apart where the main session went on between them', () => {
    const found = read(
      prompt('x'),
      prompt('first', side),
      step('m1', say('a')),
      prompt('second', side),
    );
    expect(found.map(outline)).toEqual([
      ['user: x', 'assistant: a'],
      ['user: first'],
      ['user: second'],
    ]);
  });

  it('are kept apart by agent where records name one', () => {
    const [one, two] = [
      { ...side, agentId: 'one' },
      { ...side, agentId: 'two' },
    ];
    const found = read(
      prompt('x'),
      prompt('first', one),
      prompt('second', two),
      step('m1', say('a'), one),
      step('m2', say('b'), two),
    );
    expect(found.map(outline)).toEqual([
      ['user: x'],
      ['user: first', 'assistant: a'],
      ['user: second', 'assistant: b'],
    ]);
  });

  it('are a single one where the file holds nothing else', () => {
    const found = read(
      prompt('task', side),
      step('m1', say('a'), { ...side, agentId: 'one' }),
      system('turn_duration'),
      step('m2', say('b'), { ...side, parentUuid: null }),
    );
    expect(found.map(outline)).toEqual([['user: task', 'assistant: a', 'assistant: b']]);
    expect(found[0]).toMatchObject({ name: 'kettle.jsonl', sessionId: 'one', isSide: true });
  });

  it('do not hang on records that are their own ancestors', () => {
    const found = read(
      prompt('x'),
      prompt('task', { ...side, uuid: 'a', parentUuid: 'b' }),
      step('m1', say('a'), { ...side, uuid: 'b', parentUuid: 'a' }),
    );
    expect(found.map(outline)).toEqual([['user: x'], ['user: task', 'assistant: a']]);
  });
});
