import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportedFile } from '../../../src/cli/commands/import.ts';
import { loadSessions } from '../../../src/simulator/session/load.ts';
import {
  prompt,
  say,
  step,
  transcript,
} from '../../simulator/session/formats/claude-code-lines.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const out = join(folder, 'out');
const sessionOf = (version: number) =>
  `{"compaction-bench":"session","version":${version}}\n{"type":"message","role":"user"}\n`;

describe('import of a file that is refused behind some of its sessions', () => {
  const file = writeFile(folder, 'many.jsonl', sessionOf(1) + sessionOf(1) + sessionOf(2));
  const run = (...argv: readonly string[]) =>
    callMain(['sessions', 'import', file, '--out', out, ...argv]);

  it('writes those, and says why there are no more', async () => {
    const { code, stdout } = await run('--format', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      files: [
        {
          format: 'canonical',
          state: 'refused',
          reason: expect.stringMatching(/got version 2 of a newer release\.$/),
          sessions: 2,
          written: ['many.0.jsonl', 'many.1.jsonl'],
        },
      ],
    });
    expect(readdirSync(out)).toEqual(['many.0.jsonl', 'many.1.jsonl']);
  });

  it('has it both among what was read and among what was not', async () => {
    const { code, stdout } = await run();
    expect(code).toBe(1);
    expect(stdout).toMatch(/many\.jsonl +canonical +2 +2[^]*Unread:[^]*of a newer release\./);
  });
});

const root = createFolder();
let made = 0;

/** A folder of a test with recordings in `in`. */
function makeWorld(): { readonly input: string; readonly out: string } {
  const folder = join(root, `world-${(made += 1)}`);
  writeFile(
    folder,
    'in/kettles/a.jsonl',
    transcript(prompt('Is the kettle on?'), step('s', say('No.'))),
  );
  writeFile(folder, 'in/the-kettle.json', `[{"traj":${chatOf(1, 2)}},{"traj":${chatOf(2, 2)}}]`);
  return { input: join(folder, 'in'), out: join(folder, 'out') };
}

const run = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['sessions', 'import', ...argv], options);

async function importJson(argv: readonly string[]) {
  const { code, stdout } = await run([...argv, '--format', 'json']);
  const { files } = JSON.parse(stdout) as { readonly files: readonly ImportedFile[] };
  return { code, files };
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();

describe('import', () => {
  it('writes a file for each session and says what it holds', async () => {
    const { input, out } = makeWorld();
    const { code, stdout, stderr } = await run([input, '--out', out]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^File .* Messages {2}Dropped/);
    expect(stdout.replaceAll(/^.*(?=\/in\/)/gm, '…')).toMatch(/a\.jsonl +claude-code +2 +0/);
    expect(stdout).toMatch(/the-kettle\.json +openai-chat +6 +0/);
    expect(stderr).toBe(`Sessions: ${out}\n`);
    expect(filesIn(out)).toEqual(['kettles/a.jsonl', 'the-kettle.0.jsonl', 'the-kettle.1.jsonl']);
  });

  it('writes what can be read again, as it was', async () => {
    const { input, out } = makeWorld();
    await run([input, '--out', out]);
    const read = [...loadSessions(filesIn(out).map((file) => join(out, file)))];
    const sessions = read.flatMap((each) => (each.state === 'read' ? [each.session] : []));
    expect(sessions.map(({ format, messages }) => [format, messages.length])).toEqual([
      ['claude-code', 2],
      ['openai-chat', 2],
      ['openai-chat', 4],
    ]);
  });

  it('tells all of it as JSON', async () => {
    const { input, out } = makeWorld();
    writeFile(input, 'no.json', '{"kettle": true}');
    const { code, files } = await importJson([input, '--out', out]);
    expect(code).toBe(1);
    expect(files).toEqual([
      {
        file: join(input, 'kettles/a.jsonl'),
        format: 'claude-code',
        state: 'read',
        sessions: 1,
        messages: 2,
        toolOutputs: 0,
        compactions: { full: 0, micro: 0 },
        dropped: {},
        repaired: {},
        written: ['kettles/a.jsonl'],
      },
      expect.objectContaining({
        file: join(input, 'no.json'),
        format: null,
        state: 'refused',
        reason: expect.stringMatching(/^Expected .* to be a recorded session/),
        sessions: 0,
        written: [],
      }),
      expect.objectContaining({
        sessions: 2,
        written: ['the-kettle.0.jsonl', 'the-kettle.1.jsonl'],
      }),
    ]);
  });

  it('goes on where it was: what is there stays, what is missing comes', async () => {
    const { input, out } = makeWorld();
    writeFile(out, 'kettles/a.jsonl', 'mine');
    await run([input, '--out', out]);
    const first = filesIn(out);
    expect(first).toEqual([
      'kettles/a-2.jsonl',
      'kettles/a.jsonl',
      'the-kettle.0.jsonl',
      'the-kettle.1.jsonl',
    ]);
    expect((await run([input, '--out', out])).code).toBe(0);
    expect(filesIn(out)).toEqual(first);
    expect(readFileSync(join(out, 'kettles/a.jsonl'), 'utf8')).toBe('mine');
  });

  it('never writes over its own inputs', async () => {
    const { input } = makeWorld();
    const before = readFileSync(join(input, 'kettles/a.jsonl'), 'utf8');
    await run([input, '--out', input]);
    expect(readFileSync(join(input, 'kettles/a.jsonl'), 'utf8')).toBe(before);
    expect(filesIn(input)).toContain('kettles/a-2.jsonl');
  });

  it('takes its own files, and writes them as they are', async () => {
    const { input, out } = makeWorld();
    await run([input, '--out', out]);
    const { code, files } = await importJson([out, '--out', `${out}-again`]);
    expect(code).toBe(0);
    expect(files.map(({ format }) => format)).toEqual(['canonical', 'canonical', 'canonical']);
    for (const file of filesIn(out)) {
      expect(readFileSync(join(`${out}-again`, file))).toEqual(readFileSync(join(out, file)));
    }
  });

  it('explains what was dropped and repaired', async () => {
    const { input, out } = makeWorld();
    writeFile(input, 'torn.jsonl', `${transcript(step('s', say('No.')))}{"torn`);
    const { stdout } = await run([input, '--out', out, '--explain']);
    expect(stdout).toContain(
      'torn.jsonl:\n- dropped 1 × broken line\n- repaired 1 × session begins with a step\n',
    );
    expect((await run([input, '--out', out])).stdout).not.toContain('broken line');
  });

  it('explains without a folder, and writes nothing', async () => {
    const { input, out } = makeWorld();
    const { code, stdout, stderr } = await run([input, '--explain']);
    expect(code).toBe(0);
    expect(stdout).toContain('Sessions');
    expect(stderr).not.toContain('Sessions:');
    expect(existsSync(out)).toBe(false);
    expect(stdout).toBe((await run([input, '--explain', '--out', out])).stdout);
  });

  it('reads as the format that is named, or refuses', async () => {
    const { input, out } = makeWorld();
    const { code, files } = await importJson([input, '--out', out, '--from', 'openai-chat']);
    expect(code).toBe(1);
    expect(files.map(({ state }) => state)).toEqual(['refused', 'read']);
    expect(files[0]?.reason).toMatch(/to be a recorded session \(openai-chat\), got /);
  });

  it('ends with 2 where nothing can be read, with reasons', async () => {
    const { input, out } = makeWorld();
    const bad = writeFile(input, 'bad.json', '7');
    const { code, stderr, stdout } = await run([bad, '--out', out]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('to be a recorded session');
    const told = await importJson([bad, join(input, 'none'), '--out', out]);
    expect(told.code).toBe(2);
    expect(told.files.map(({ state }) => state)).toEqual(['refused', 'refused']);
    expect(existsSync(out)).toBe(false);
  });

  it('ends with 1 where a folder cannot take a session, and keeps what it has', async () => {
    const { input, out } = makeWorld();
    mkdirSync(out);
    writeFileSync(join(out, 'kettles'), 'no folder');
    const { code, stderr } = await run([input, '--out', out]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Expected to write '.*kettles.*', got a path inside a file\.$/m);
  });

  it('stops between two sessions when the user wants to', async () => {
    const { input, out } = makeWorld();
    const { code, stderr } = await run([input, '--out', out], { signal: AbortSignal.abort() });
    expect(code).toBe(130);
    expect(stderr).toBe('Interrupted.\n');
  });

  it('prints no control characters of names', async () => {
    const { input, out } = makeWorld();
    const file = writeFile(input, 'evil\u001b[31m.json', chatOf(1));
    const { stdout } = await run([file, '--out', out]);
    expect(stdout).not.toContain('\u001b');
    expect(filesIn(out)).toEqual(['evil__31m.jsonl']);
  });
});

const readAll = (folder: string) =>
  filesIn(folder).map((file) => readFileSync(join(folder, file), 'utf8'));

describe('import --redact', () => {
  /** No filler is a word that was said, and files are called by one of those. */
  const said = /kettle|No\./;
  it('leaves nothing of what the sessions say, nor of the names of their files', async () => {
    const { input, out } = makeWorld();
    const { code, files } = await importJson([input, '--redact', '--out', out]);
    expect(code).toBe(0);
    expect(files.map(({ sessions }) => sessions)).toEqual([1, 2]);
    expect(filesIn(out).toSorted()).toEqual([
      'session-1.jsonl',
      'session-2.0.jsonl',
      'session-2.1.jsonl',
    ]);
    expect(readAll(out).filter((text) => said.test(text))).toEqual([]);
    expect(readAll(out).join('')).not.toContain(input);
  });

  it('quotes in its report what stands in the files, and nothing of the recording', async () => {
    const folder = join(root, `world-${(made += 1)}`);
    const lines = transcript(prompt('On?'), step('s', say('No.')), { type: 'kettle-note' });
    const file = writeFile(folder, 'a.jsonl', lines);
    const { stdout } = await run([file, '--redact', '--explain', '--out', join(folder, 'out')]);
    expect(stdout).toContain('- dropped 1 × unknown record "');
    expect(stdout).not.toContain('kettle');
  });

  it('gives the same filler for the same salt, and another for none', async () => {
    const { input, out } = makeWorld();
    const [first, second, third] = [join(out, 'a'), join(out, 'b'), join(out, 'c')];
    await run([input, '--redact', '--salt', 'pepper', '--out', first]);
    await run([input, '--redact', '--salt', 'pepper', '--out', second]);
    await run([input, '--redact', '--out', third]);
    expect(readAll(second)).toEqual(readAll(first));
    expect(readAll(third)).not.toEqual(readAll(first));
  });
});
