import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSessions } from '../../../src/simulator/session/load.ts';
import { prompt, transcript } from './claude-lines.ts';

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
