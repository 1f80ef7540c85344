import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions, readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { outline } from './claude-code-lines.ts';
import { exportedFixture, type Fields, packFiles, toFiles, unpackFiles } from './opencode-forms.ts';

const exported = exportedFixture();
const root = createFolder();

describeSessionFormat({
  name: 'opencode-storage',
  text: packFiles(toFiles(exported)),
  unpack: unpackFiles,
});

const info = (id: string, over: Fields = {}) => ({
  id,
  projectID: 'p1',
  time: { created: 1 },
  ...over,
});
const message = (id: string, over: Fields = {}) => ({
  id,
  role: 'user',
  time: { created: 1 },
  ...over,
});
const text = (id: string, value: string, over: Fields = {}) => ({
  id,
  type: 'text',
  text: value,
  ...over,
});

/** Writes a tree and gives the path of its root. */
function writeTree(name: string, files: Readonly<Record<string, unknown>>): string {
  for (const [path, value] of Object.entries(files)) {
    const content = typeof value === 'string' ? value : JSON.stringify(value);
    writeFile(root, `${name}/storage/${path}`, content);
  }
  return join(root, name, 'storage');
}

function load(folder: string): readonly Session[] {
  return [...loadSessions(discoverSessionFiles([folder]).files)].map((loaded) => {
    if (loaded.state === 'read') return loaded.session;
    throw new Error(loaded.reason);
  });
}

describe('a storage tree', () => {
  it('gives the session that an export of it gives', () => {
    const folder = writeTree('whole', Object.fromEntries(toFiles(exported)));
    const [whole] = readSessions('x', JSON.stringify(exported));
    const name = `${folder}/session/p1/ses_tea.json`;
    expect(load(folder)).toEqual([{ ...whole, name, format: 'opencode-storage' }]);
  });

  it('gives each session once, whatever lies beside the sessions', () => {
    const folder = writeTree('many', {
      'session/p1/ses_1.json': info('ses_1'),
      'session/p2/ses_2.json': info('ses_2', { parentID: 'ses_1' }),
      'message/ses_1/msg_1.json': message('msg_1'),
      'message/ses_2/msg_2.json': message('msg_2'),
      'part/msg_1/prt_1.json': text('prt_1', 'one'),
      'part/msg_2/prt_2.json': text('prt_2', 'two'),
      'project/p1.json': { id: 'p1', worktree: '/tea', time: { created: 1 } },
      'todo/ses_1.json': [],
      'session_diff/ses_1.json': [],
      migration: '2',
    });
    const sessions = load(folder);
    expect(sessions.map(outline)).toEqual([['user: one'], ['user: two']]);
    expect(sessions.map(({ isSide, parentSessionId }) => [isSide, parentSessionId])).toEqual([
      [false, undefined],
      [true, 'ses_1'],
    ]);
    expect(load(join(folder, '..'))).toEqual(sessions);
  });

  it('stands in order of time, parts in that of their names', () => {
    const folder = writeTree('order', {
      'session/p1/ses_1.json': info('ses_1'),
      'message/ses_1/msg_1.json': message('msg_1', { time: { created: 9 } }),
      'message/ses_1/msg_2.json': message('msg_2', { time: { created: 1 } }),
      'part/msg_2/b.json': text('1', 'second'),
      'part/msg_2/a.json': text('2', 'first'),
    });
    expect(outline(load(folder)[0]!)).toEqual(['user: first second', 'user:']);
  });

  it('knows records without an id by the names of their files', () => {
    const folder = writeTree('names', {
      'session/p1/ses_1.json': info('ses_1'),
      'message/ses_1/msg_1.json': message('msg_1', { id: undefined }),
      'message/ses_1/msg_2.json': message('msg_2', { id: 7, time: { created: 2 } }),
      'part/msg_1/001.json': { type: 'text', text: 'x' },
      'part/msg_1/002.json': { type: 'text', text: 'y', messageID: 'lost' },
      'part/msg_2/001.json': { type: 'text', text: 'z' },
    });
    const [session] = load(folder);
    expect(outline(session!)).toEqual(['user: x y', 'user: z']);
    expect(session!.messages.map(({ id }) => id)).toEqual(['msg_1', 'msg_2']);
    expect(session!.report).toEqual({ dropped: {}, repaired: {} });
  });

  it('of the older kind has the parts of all sessions in one folder', () => {
    const folder = writeTree('older', {
      'session/p1/ses_1.json': info('ses_1'),
      'message/ses_1/msg_1.json': message('msg_1'),
      'part/prt_1.json': text('prt_1', 'x', { messageID: 'msg_1' }),
      'part/prt_2.json': text('prt_2', 'y', { messageID: 'msg_of_another' }),
    });
    const [session] = load(folder);
    expect(outline(session!)).toEqual(['user: x']);
    expect(session!.report.dropped).toEqual({});
  });

  it('with broken or foreign files is read without them, and counts the broken ones', () => {
    const folder = writeTree('broken', {
      'session/p1/ses_1.json': `\uFEFF${JSON.stringify(info('ses_1'))}\r\n`,
      'message/ses_1/msg_1.json': `\uFEFF${JSON.stringify(message('msg_1'))}\r\n`,
      'message/ses_1/msg_2.json': '{"id":"msg_2","ro',
      'message/ses_1/msg_3.json': { id: 'msg_3' },
      'message/ses_1/notes.txt': 'notes',
      'part/msg_1/prt_1.json': `\uFEFF${JSON.stringify(text('prt_1', 'x'))}\r\n`,
      'part/msg_1/prt_2.json': '',
      'part/msg_1/prt_3.json': '[]',
    });
    const [session] = load(folder);
    expect(outline(session!)).toEqual(['user: x']);
    expect(session!.report.dropped).toEqual({ 'broken file': 3, 'message without a role': 1 });
  });

  it('leaves out what was undone', () => {
    const folder = writeTree('undone', {
      'session/p1/ses_1.json': info('ses_1', { revert: { messageID: 'msg_2' } }),
      'message/ses_1/msg_1.json': message('msg_1'),
      'message/ses_1/msg_2.json': message('msg_2', { time: { created: 2 } }),
      'part/msg_1/prt_1.json': text('prt_1', 'x'),
    });
    const [session] = load(folder);
    expect(outline(session!)).toEqual(['user: x']);
    expect(session!.report.dropped).toEqual({ 'undone message': 1 });
  });

  it.each<[string, string]>([
    ['the folder above', '..'],
    ['a folder beside', '../../other/message/ses_1'],
    ['a folder with a backslash', '..\\ses_1'],
    ['no folder', ''],
  ])('is not left by an id that leads to %s', (_, id) => {
    writeTree('other', { 'message/ses_1/msg_1.json': message('msg_1') });
    const folder = writeTree('hostile', {
      'session/p1/ses_1.json': info(id),
      'message/msg_1.json': message('msg_1'),
      'message/ses_1/msg_1.json': message('msg_1'),
      'part/msg_1/prt_1.json': text('prt_1', 'x'),
    });
    expect(() => load(folder)).toThrow(/got a session without messages\.$/);
  });

  it('is not at hand where only the text of the session is', () => {
    expect(() => readSessions('x', JSON.stringify(info('ses_1')))).toThrow(
      /^Expected 'x' to hold a conversation, got a session without messages\.$/,
    );
  });

  it('is none for a folder that has not all three of its folders', () => {
    const folder = writeTree('half', {
      'session/p1/ses_1.json': info('ses_1'),
      'message/ses_1/msg_1.json': message('msg_1'),
    });
    expect(discoverSessionFiles([folder]).files).toHaveLength(2);
  });
});
