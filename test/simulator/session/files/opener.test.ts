import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadedSession, loadSessions } from '../../../../src/simulator/session/load.ts';
import { createOpener } from '../../../../src/simulator/session/files/opener.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

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
