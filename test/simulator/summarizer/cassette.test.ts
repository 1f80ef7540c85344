import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import { askedIn, createCassette } from '../../../src/simulator/summarizer/cassette.ts';
import type {
  AsyncSummarizer,
  AsyncTools,
  SummaryAnswer,
  SummaryRequest,
} from '../../../src/simulator/summarizer/summarizer.ts';
import { step, text, user } from '../../support/history.ts';
import { createCassettes, scrub, SECRET } from './cassettes.ts';
import { toolsWith } from './counters.ts';
import { ANSWER, answering, counting, DOWN, OVERFLOW, REQUEST } from './models.ts';
import { createSilent } from '../../../src/simulator/summarizer/open.ts';

/** A key of several lines, in pieces. */
const BLOCK = ['-----BEGIN PRIV', 'ATE KEY-----\naGVsbG8\n-----END PRIV', 'ATE KEY-----'].join('');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cassette-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const { cassette, ask, missMessage } = createCassettes(() => folder);

describe('a cassette', () => {
  it.each<[string, SummaryAnswer]>([
    ['an answer', ANSWER],
    ['an overflow', OVERFLOW],
    ['a failure', DOWN],
    ['an empty answer', { state: 'finished', text: '', finish: 'stop' }],
  ])('replays %s as it was recorded, without asking', async (_, answer) => {
    const recorder = answering(answer);
    const recorded = await ask(recorder, 'record');
    const replayed = await ask(createSilent(recorder), 'strict');
    expect(recorded).toEqual(answer);
    expect(replayed).toEqual(answer);
  });

  it('has files of which a change shows as the lines that changed', async () => {
    await ask(answering(ANSWER), 'record');
    const [file, ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    await expect(readFileSync(join(folder, file!), 'utf8')).toMatchFileSnapshot(
      '../../fixtures/snapshots/simulator-summarizer-cassette.txt',
    );
  });

  it('stores no key, no secret and no folder of a person, and goes on without them', async () => {
    const leaky: SummaryAnswer = {
      state: 'finished',
      text: `Edited /home/maria/app/a.ts with sk-live-abcdef123456 and ${SECRET}.\n${BLOCK}`,
      finish: 'stop',
    };
    const request = {
      ...REQUEST,
      system: `In /Users/maria/app with ${SECRET}.`,
      prompt: 'Authorization: Bearer abcdefghijklmn',
      messages: [user('u', 'the key is sk-live-abcdef123456, the place C:\\Users\\maria\\app')],
    };
    const recorded = await ask(answering(leaky), 'record', { request });
    expect(recorded).toMatchObject({ text: 'Edited ~/app/a.ts with [key] and [removed].\n[key]' });
    expect(await ask(createSilent(answering(leaky)), 'strict', { request })).toEqual(recorded);
    const stored = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    expect(stored.join('\n')).not.toMatch(/sk-live|hunter2|aGVsbG8|Bearer|maria|\/home\/|\/tmp\//);
    expect(stored.join('\n')).not.toContain(folder);
  });

  it('stores filler of the same size where it redacts, goes on with it, and says so', async () => {
    const told =
      'Maria Lindqvist asked for kettle.example.org.\nNext: mail lid@kettle.example.org.';
    const secret: SummaryAnswer = { state: 'finished', finish: 'stop', text: told };
    const request = { ...REQUEST, prompt: 'Update it.\nMaria Lindqvist asked.' };
    const options = { folder, scrub, recordedAgainst: 'this test' };
    const redacting = { ...options, mode: 'record', redacts: true } as const;
    const recorded = await createCassette(answering(secret), redacting).summarise(
      request,
      toolsWith(),
    );
    expect(recorded).toMatchObject({ text: expect.stringMatching(/^[A-Z]\w{4} [A-Z]\w{8} .*\n/) });
    const [stored = ''] = readdirSync(folder).map((file) =>
      readFileSync(join(folder, file), 'utf8'),
    );
    expect(stored).not.toMatch(/Maria|Lindqvist|kettle/);
    expect(JSON.parse(stored)).toMatchObject({ isRedacted: true });
    const strict = { ...options, mode: 'strict' } as const;
    const play = (needsWords: boolean) =>
      createCassette(createSilent(answering(secret)), { ...strict, needsWords }).summarise(
        request,
        toolsWith(),
      );
    expect(await play(false)).toEqual(recorded);
    await expect(play(true)).rejects.toThrow('Expected recorded answers with their words');
  });

  it('asks once for what it knows in auto mode, and again for what failed for a while', async () => {
    const good = answering(ANSWER);
    await ask(good, 'auto');
    await ask(good, 'auto');
    expect(good.asked()).toBe(1);
    const other = { ...REQUEST, prompt: 'Another.' };
    const bad = answering(DOWN);
    await ask(bad, 'auto', { request: other });
    await ask(bad, 'auto', { request: other });
    expect(bad.asked()).toBe(2);
  });

  it('finds what another program has recorded since the folder was read', async () => {
    const [mine, theirs] = [answering(ANSWER), answering(ANSWER)];
    const opened = cassette(mine, 'auto');
    await opened.summarise({ ...REQUEST, prompt: 'Another.' }, toolsWith());
    await ask(theirs, 'auto');
    expect(await opened.summarise(REQUEST, toolsWith())).toEqual(ANSWER);
    expect(mine.asked()).toBe(1);
  });

  it.each([
    ['file', 'ENOTDIR'],
    ['file/below', 'ENOTDIR'],
    ['of-folders', 'EISDIR'],
  ])('stops who would record into %s, where calls cannot be kept: %s', async (name, reason) => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'of-folders', 'call.json'), { recursive: true });
    const model = answering(ANSWER);
    const options = { folder: join(folder, name), scrub, recordedAgainst: 'this test' };
    const asking = createCassette(model, { ...options, mode: 'auto' }).summarise(
      REQUEST,
      toolsWith(),
    );
    await expect(asking).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(asking).rejects.toThrow(
      new RegExp(`Expected a folder for recorded calls, got '.*${reason}`),
    );
  });

  it('asks again in record mode, once a program', async () => {
    const model = answering(ANSWER);
    await ask(model, 'record');
    const again = cassette(model, 'record');
    await again.summarise(REQUEST, toolsWith());
    await again.summarise(REQUEST, toolsWith());
    expect(model.asked()).toBe(2);
  });

  it('is no cassette when it is off', () => {
    const model = answering(ANSWER);
    expect(cassette(model, 'off')).toBe(model);
  });

  it('asks once for what two runs want at the same time', async () => {
    const model = answering(ANSWER);
    const shared = cassette(model, 'auto');
    const answers = await Promise.all(
      [toolsWith(), toolsWith()].map(async (tools) => shared.summarise(REQUEST, tools)),
    );
    expect(model.asked()).toBe(1);
    expect(answers).toEqual([ANSWER, ANSWER]);
  });

  it('keeps repetitions apart, and what one run asks twice', async () => {
    const model = counting();
    const shared = cassette(model, 'record');
    const [first, second] = [1, 2].map((repeat): AsyncTools => ({ ...toolsWith(), repeat }));
    const texts = async (player: AsyncSummarizer | ReturnType<typeof cassette>) => [
      await player.summarise(REQUEST, first!),
      await player.summarise(REQUEST, first!),
      await player.summarise(REQUEST, second!),
    ];
    const recorded = await texts(shared);
    expect(recorded.map((answer) => 'text' in answer && answer.text)).toEqual(['1', '2', '3']);
    expect(await texts(cassette(createSilent(model), 'strict'))).toEqual(recorded);
    expect(readdirSync(folder).map((name) => name.slice(16))).toEqual([
      '-1-2.json',
      '-1.json',
      '-2.json',
    ]);
  });

  it('records nothing of a call that was thrown out', async () => {
    const failing: AsyncSummarizer = {
      ...answering(ANSWER),
      summarise: () => Promise.reject(new HarnessError('OVER_BUDGET', 'Too dear.')),
    };
    await expect(ask(failing, 'auto')).rejects.toThrow('Too dear.');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, Partial<SummaryRequest>]>([
    ['the prompt', { prompt: 'Summarise!\n## Goal' }],
    ['the system prompt', { system: 'Be long.' }],
    ['the cap', { outputCapTokens: 101 }],
    ['a message', { messages: [user('u', 'Mend the logout page.')] }],
  ])('misses when %s differs', async (_, change) => {
    await ask(answering(ANSWER), 'record');
    const request = { ...REQUEST, ...change };
    await expect(ask(createSilent(answering(ANSWER)), 'strict', { request })).rejects.toMatchObject(
      {
        code: 'CASSETTE_MISS',
      },
    );
  });

  it('misses when a setting or the model differs', async () => {
    await ask(answering(ANSWER), 'record');
    for (const asked of [
      { name: 'ai:lab/other' },
      { name: 'ai:lab/m', settings: { api: 'chat' } },
    ]) {
      await expect(ask(createSilent(asked), 'strict')).rejects.toMatchObject({
        code: 'CASSETTE_MISS',
      });
    }
  });

  it('tells the nearest recording and what differs', async () => {
    await ask(answering(ANSWER), 'record', {
      request: { ...REQUEST, prompt: 'Far away.', messages: [] },
    });
    await ask(answering(ANSWER), 'record');
    const request = {
      ...REQUEST,
      prompt: 'Summarise.\n## Goal\n## Next\u001b[31m',
      messages: [...REQUEST.messages.slice(0, 1), step('s', [text('t', 'Not mended.')])],
    };
    const message = await missMessage(request);
    expect(message.replaceAll(folder, 'FOLDER')).toMatchInlineSnapshot(
      `"No recording of request 8cb76d0c8bc95926-1.json (ai:lab/m, repeat 1) in 'FOLDER'. Nearest is 3af55fe5e3de7d9b-1.json: it has 'message 2: assistant, 7 characters, c16fbc2afaed75d5', the request has 'prompt: ## Next\\u001b[31m' and 'message 2: assistant, 11 characters, 6230549d2517bcf1'. Record it with '--cassette-mode auto', or take the change back."`,
    );
  });

  it('tells that only other repetitions are recorded, or nothing at all', async () => {
    expect(await missMessage(REQUEST)).toContain('The folder has no recordings at all.');
    await ask(answering(ANSWER), 'record');
    const tools = { ...toolsWith(), repeat: 2 };
    const missing = ask(createSilent(answering(ANSWER)), 'strict', { tools });
    await expect(missing).rejects.toThrow(
      'The same request is recorded for repeat 1.1, not for 2.1.',
    );
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '{"version": 1}'],
    ['another version', '{"version": 2}'],
  ])('names a file that is %s', async (_, content) => {
    writeFileSync(join(folder, 'bad.json'), content);
    await expect(ask(answering(ANSWER), 'auto')).rejects.toThrow(
      /^Expected 'bad\.json' to be a recorded call/,
    );
  });

  it('passes over what is no recording by its name', async () => {
    writeFileSync(join(folder, 'README.md'), 'about');
    await expect(ask(answering(ANSWER), 'auto')).resolves.toEqual(ANSWER);
  });
});

describe('askedIn', () => {
  it('tells whose calls a folder has, where they are of one', async () => {
    expect(() => askedIn(folder, scrub)).toThrow(/found none/);
    await ask(answering(ANSWER), 'record');
    expect(askedIn(folder, scrub)).toEqual({ name: 'ai:lab/m', settings: {} });
    await ask({ ...answering(ANSWER), name: 'ai:lab/n' }, 'record');
    expect(() => askedIn(folder, scrub)).toThrow(/of 'ai:lab\/m', 'ai:lab\/n'/);
  });
});
