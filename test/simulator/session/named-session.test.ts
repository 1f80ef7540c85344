import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadNamed, openNamed } from '../../../src/simulator/session/named-session.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';
import { prompt, say, step, transcript } from './claude-lines.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(1));
const chats = writeFile(folder, 'chats.json', `[{"traj":${chatOf(1)}},{"traj":${chatOf(2)}}]`);
const one = `{"traj":${chatOf(1)}}`;
const many = writeFile(folder, 'many.json', `[${[one, one, one, one, one].join(',')}]`);

const side = { isSidechain: true, parentUuid: null };
const mainLines = [prompt('x'), step('m1', say('a')), step('m2', say('b'), { parentUuid: 'u2' })];
const agents = writeFile(
  folder,
  'agents.jsonl',
  transcript(...mainLines, prompt('a task', { ...side, uuid: 's1' })),
);
const agentAlone = writeFile(
  folder,
  'agent.jsonl',
  transcript(prompt('a task', side), step('m1', say('a'), { isSidechain: true })),
);

/** A session of a version of the project's own format. */
const session = (version: number) =>
  `{"compaction-bench":"session","version":${version}}
{"type":"message","role":"user","parts":[{"type":"text","text":"tea"}]}
`;

describe('loadNamed', () => {
  it.each<[string, string, string]>([
    ['the only session of a file by its path', chat, chat],
    ['the only session of a file by its place', `${chat}#0`, chat],
    ['one of several by its place', `${chats}#1`, `${chats}#1`],
    ['the main one among those of sub-agents by the path', agents, `${agents}#0`],
    ["a sub-agent's by its place", `${agents}#1`, `${agents}#1`],
    ["a sub-agent's by the path where it is alone", agentAlone, agentAlone],
  ])('gives %s', (_, name, found) => {
    expect(loadNamed(name).name).toBe(found);
  });

  it.each<[string, string, RegExp]>([
    ['the path of several', chats, /chats\.json' to name one of 2 sessions, such as: .*s\.json#/],
    ['a place beyond the last', `${chats}#2`, /#2' to name one of 2 sessions/],
    [
      'a second place of one',
      `${chat}#1`,
      /#1' to name one of 1 session, such as: .*chat\.json\.$/,
    ],
    [
      'a place beyond the last of many',
      `${many}#60`,
      /#60' to name one of 5 sessions, such as: .*; the last is .*many\.json#4\.$/,
    ],
    ['a place that is no number', `${chats}#x`, /#x.* got nothing at that path/],
    ['a file that is not there', join(folder, 'no.json'), /got nothing at that path/],
  ])('throws at %s', (_, name, message) => {
    expect(() => loadNamed(name)).toThrow(message);
  });

  it('takes a name for a path where a file has it', () => {
    const file = `${chats}#0`;
    writeFileSync(file, chatOf(3));
    expect(loadNamed(file).messages).toHaveLength(6);
  });
});

describe('openNamed', () => {
  it('reads no further than the session that is asked for', () => {
    const file = writeFile(folder, 'newer.jsonl', session(1) + session(1) + session(2));
    expect(openNamed(`${file}#1`)).toMatchObject({ state: 'read', session: { name: `${file}#1` } });
    const reason = expect.stringContaining('got version 2 of a newer release');
    expect(openNamed(`${file}#2`)).toEqual({ state: 'unread', file, reason });
    expect(openNamed(file)).toEqual({ state: 'unread', file, reason });
  });
});
