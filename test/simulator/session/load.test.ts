import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retold } from '../../support/retold.ts';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import {
  createOpener,
  type LoadedSession,
  loadNamed,
  loadSessions,
  openNamed,
  readSessions,
  unreadReason,
} from '../../../src/simulator/session/load.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';
import { prompt, say, step, transcript } from './formats/claude-code-lines.ts';

describe('load', () => {
  let root = '';
  const at = (file: string) => join(root, file);

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'kettle-'));
    writeFileSync(at('good.jsonl'), transcript(prompt('x')));
    writeFileSync(
      at('runs.json'),
      JSON.stringify([{ traj: [prompt('x')['message']] }, { traj: [prompt('y')['message']] }]),
    );
    writeFileSync(at('bad.json'), '{}');
    writeFileSync(at('odd.json'), '{"type":{"toString":1}}');
  });

  afterAll(() => rmSync(root, { recursive: true }));

  describe('loadSessions', () => {
    it('gives the sessions of all files, and a reason for each file that has none', () => {
      const paths = ['bad.json', 'good.jsonl', 'lost.json', 'odd.json', 'runs.json', ''].map(at);
      const loaded = [...loadSessions(paths)].map((each) =>
        each.state === 'read' ? each.session.name : [each.file, each.reason],
      );
      expect(loaded).toEqual([
        [at('bad.json'), expect.stringMatching(/^Expected .*bad\.json' to be a recorded session/)],
        at('good.jsonl'),
        [at('lost.json'), `Expected to read '${at('lost.json')}', got nothing at that path.`],
        [at('odd.json'), expect.stringMatching(/a JSON object with keys "type"\.$/)],
        `${at('runs.json')}#0`,
        `${at('runs.json')}#1`,
        [at(''), `Expected to read '${at('')}', got a folder.`],
      ]);
    });

    it('reads a file only when its turn comes', () => {
      const late = at('late.jsonl');
      const loading = loadSessions([at('good.jsonl'), late]);
      expect(loading.next().value).toMatchObject({ state: 'read' });
      writeFileSync(late, transcript(prompt('late')));
      expect(loading.next().value).toMatchObject({ state: 'read', session: { name: late } });
    });
  });
});

const folder = createFolder();
const HEADER = '{"compaction-bench":"session","version":1}';
const asks = (text: string) =>
  `{"type":"message","role":"user","parts":[{"type":"text","text":"${text}"}]}`;

describe('createOpener', () => {
  it('reads of a file with several sessions only the one that is asked for', () => {
    const file = join(folder, 'many.jsonl');
    const text = [HEADER, asks('tea'), HEADER, asks('cup'), HEADER, asks('lid'), ''].join('\n');
    writeFileSync(file, text);
    const places = [...loadSessions([file])].map((loaded, index) => ({
      file,
      index,
      ...(loaded.state === 'read' && loaded.range && { range: loaded.range }),
    }));
    const opener = createOpener();
    // What lies elsewhere makes no difference.
    writeFileSync(file, text.replace('tea', '"""').replace('lid', '"""'));
    expect(saidIn(opener.open(places[1]!))).toBe('cup');
    expect(saidIn(opener.open(places[2]!))).toBeUndefined();
  });

  it('reads a file once whose sessions only the whole file gives', () => {
    const chats = `[{"traj":${chatOf(1)}},{"traj":${chatOf(2)}}]`;
    const file = writeFile(folder, 'chats.json', chats);
    const opener = createOpener();
    expect(opener.open({ file, index: 1 })).toMatchObject({ state: 'read' });
    appendFileSync(file, 'torn');
    expect(opener.open({ file, index: 0 })).toMatchObject({ state: 'read' });
    opener.forget();
    expect(opener.open({ file, index: 0 })).toMatchObject({ state: 'unread' });
    writeFileSync(file, chats);
    expect(opener.open({ file, index: 0 })).toMatchObject({ state: 'read' });
    const reason = 'the file no longer has its session 2';
    expect(opener.open({ file, index: 2 })).toEqual({ state: 'unread', file, reason });
  });
});

function saidIn(loaded: LoadedSession): string | undefined {
  const part = loaded.state === 'read' ? loaded.session.messages[0]?.parts[0] : undefined;
  return part?.type === 'text' ? part.text : undefined;
}

const folderOfNamedSession = createFolder();
const chat = writeFile(folderOfNamedSession, 'chat.json', chatOf(1));
const chats = writeFile(
  folderOfNamedSession,
  'chats.json',
  `[{"traj":${chatOf(1)}},{"traj":${chatOf(2)}}]`,
);
const one = `{"traj":${chatOf(1)}}`;
const many = writeFile(
  folderOfNamedSession,
  'many.json',
  `[${[one, one, one, one, one].join(',')}]`,
);

const side = { isSidechain: true, parentUuid: null };
const mainLines = [prompt('x'), step('m1', say('a')), step('m2', say('b'), { parentUuid: 'u2' })];
const agents = writeFile(
  folderOfNamedSession,
  'agents.jsonl',
  transcript(...mainLines, prompt('a task', { ...side, uuid: 's1' })),
);
const agentAlone = writeFile(
  folderOfNamedSession,
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
    ['a file that is not there', join(folderOfNamedSession, 'no.json'), /got nothing at that path/],
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
    const file = writeFile(
      folderOfNamedSession,
      'newer.jsonl',
      session(1) + session(1) + session(2),
    );
    expect(openNamed(`${file}#1`)).toMatchObject({ state: 'read', session: { name: `${file}#1` } });
    const reason = expect.stringContaining('got version 2 of a newer release');
    expect(openNamed(`${file}#2`)).toEqual({ state: 'unread', file, reason });
    expect(openNamed(file)).toEqual({ state: 'unread', file, reason });
  });
});

describe('readSessions', () => {
  it('refuses what it refused', async () => {
    const path = join(import.meta.dirname, '../../fixtures/unread-sessions.txt');
    const text = retold(path, (line) => {
      try {
        return [String(readSessions('tea.json', JSON.parse(line) as string).length)];
      } catch (error) {
        return error instanceof HarnessError ? [`${error.code}: ${error.message}`] : ['a fault'];
      }
    });
    await expect(text).toMatchFileSnapshot(path);
  });

  it.each([
    [-7, 40, { tokensAfter: 40 }],
    [90, -1, { tokensBefore: 90 }],
    [90, 40, { tokensBefore: 90, tokensAfter: 40 }],
  ])('takes a count below zero for unknown: %d to %d', (tokensBefore, tokensAfter, known) => {
    const noted = { type: 'compaction', kind: 'full', messageIndex: 1, tokensBefore, tokensAfter };
    const [read] = readSessions('x', `${session(1)}${JSON.stringify(noted)}\n${asks('cup')}\n`);
    expect(read?.recordedCompactions).toEqual([{ kind: 'full', messageIndex: 1, ...known }]);
  });

  it('prints no control characters of a name', () => {
    expect(() => readSessions('a\u001b\n.json', '')).toThrow("'a\\u001b\\u000a.json'");
  });
});

describe('unreadReason', () => {
  it.each<[string, unknown, string]>([
    [
      'repeats what a reader says of the file',
      new HarnessError('BAD_SESSION', 'Expected a, got b.'),
      'Expected a, got b.',
    ],
    [
      'says in words what the system says',
      Object.assign(new Error('x'), { code: 'EACCES' }),
      "Expected to read 'p/a.json', got no permission.",
    ],
    [
      'tells a fault of a reader, and that it is none of the file',
      new TypeError('Cannot convert\u001b object'),
      "Expected to read 'p/a.json', got a fault of this program, which is worth a report: 'Cannot convert\\u001b object'.",
    ],
  ])('%s', (_, error, expected) => {
    expect(unreadReason(error, 'p/a.json')).toBe(expected);
  });
});
