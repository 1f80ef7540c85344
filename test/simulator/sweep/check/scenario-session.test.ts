import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';
import { prompt, say, step, transcript } from '../../session/claude-lines.ts';
import { checked, problemOf, startOf } from './checked.ts';

describe('the session of a scenario', () => {
  it('has the overhead of the file, as measured', async () => {
    expect((await startOf({})).basis).toMatchObject({
      overheadTokens: 2_000,
      overhead: 'measured',
    });
    expect((await startOf({ session: '{ script: [user: 1, step: 1] }' })).basis).toMatchObject({
      overheadTokens: 0,
      overhead: 'measured',
    });
  });

  it('has the calibration of the file, and none where that says none', async () => {
    const session = '{ calibration: { factor: 2, perMessage: 30 }, script: [user: 1, step: 1] }';
    expect((await startOf({ session })).basis).toMatchObject({
      factor: 2,
      perMessageTokens: 30,
      calibration: 'measured',
    });
    expect((await startOf({})).basis).toMatchObject({ factor: 1, calibration: 'estimated' });
  });

  it('may be a recorded one, with what it tells of its overhead or what the file says', async () => {
    const folder = createFolder();
    writeFile(folder, 'chat.json', chatOf(3));
    const at = `${relative('a', folder).replaceAll('\\', '/')}/chat.json`;
    const told = await startOf({ session: `{ file: '${at}' }` });
    expect(told).toMatchObject({
      format: 'openai-chat',
      basis: { overheadTokens: 12_000, overhead: 'estimated' },
    });
    const given = await startOf({ session: `{ file: '${at}', overhead: 7k }` });
    expect(given.basis).toMatchObject({ overheadTokens: 7_000, overhead: 'measured' });
  });

  it('is the main one where the others of its file are of sub-agents', async () => {
    const folder = createFolder();
    const side = { isSidechain: true, uuid: 's1', parentUuid: null };
    const main = [prompt('x'), step('m1', say('a')), step('m2', say('b'), { parentUuid: 'u2' })];
    writeFile(folder, 'agents.jsonl', transcript(...main, prompt('a task', side)));
    const at = `${relative('a', folder).replaceAll('\\', '/')}/agents.jsonl`;
    expect((await startOf({ session: `{ file: '${at}' }` })).session).toMatch(/agents\.jsonl#0$/);
  });

  it('is named by its place where a file holds several', async () => {
    const folder = createFolder();
    writeFile(folder, 'chats.json', `[{ "messages": ${chatOf(1)} }, { "messages": ${chatOf(2)} }]`);
    const at = `${relative('a', folder).replaceAll('\\', '/')}/chats.json`;
    expect(await problemOf(checked({ session: `{ file: '${at}' }` }))).toMatch(
      /^BAD_SCENARIO a\/test\.yaml:3:18: Expected '.*chats\.json' to name one of 2 sessions, such as: .*chats\.json#/,
    );
    const { session } = await startOf({ session: `{ file: '${at}#1' }` });
    expect(session).toMatch(/chats\.json#1$/);
    expect(await problemOf(checked({ session: `{ file: '${at}#9' }` }))).toMatch(
      /to name one of 2/,
    );
  });
});
