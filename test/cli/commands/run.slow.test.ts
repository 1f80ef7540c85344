import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import { callMain, words } from '../../support/command.ts';
import {
  type Deed,
  inTurn,
  openAiOverflow,
  says,
  serverError,
} from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

/** A recorded session that reads a file whose content a small window has lost. */
const SESSION = resolve(import.meta.dirname, '../../../scenarios/recorded/csv-format.json');
const SMALL = ['--set', 'contextTokens=50000'];
const CLOSED = 'Closed loop: a scripted agent re-reads what was lost.';
const OPEN = /Counterfactual, fixed trajectory|Open loop/;
const call = (...argv: readonly string[]) => callMain(['--no-cache', ...argv]);

const COMMANDS: readonly [string, readonly string[]][] = [
  ['sweep', [SESSION, '--vary', 'protect=1k,40k', '--jobs', '1', '--details']],
  ['tune', [SESSION, '--vary', 'protect=1k,40k', '--objective', 'compactions', '--details']],
  ['compare', ['opencode-1.2.16', 'document-002', SESSION, '--details']],
  ['whatif', [SESSION, '--details']],
];

describe('--closed-loop', () => {
  it.each(COMMANDS)('stands in what %s prints, and nothing else does', async (command, argv) => {
    const closed = await call(command, ...argv, ...SMALL, '--closed-loop');
    const open = await call(command, ...argv, ...SMALL);
    expect([closed.code, open.code]).toEqual([EXIT.done, EXIT.done]);
    expect(closed.stdout).toContain(CLOSED);
    expect(closed.stdout).not.toMatch(OPEN);
    expect(open.stdout).toMatch(OPEN);
    expect(open.stdout).not.toContain(CLOSED);
  });

  it('gives the runs of a sweep what it gives those of run', async () => {
    const how = [SESSION, '--policy', 'opencode-1.2.16', ...SMALL, '--set', 'protect=1000'];
    const rest = ['--closed-loop', '--format', 'json'];
    const ran = JSON.parse((await call('run', ...how, ...rest)).stdout);
    const swept = JSON.parse((await call('sweep', ...how, ...rest, '--jobs', '1')).stdout);
    expect(ran.runs[0].metrics.rereadSteps).toBeGreaterThan(0);
    expect(swept.cells[0].metrics).toEqual(ran.runs[0].metrics);
  });
});

describe('run models', () => {
  const folder = createFolder();
  const session = writeFile(folder, 'long.json', chatOf(40, 400));
  const SECRET = 'a-key-of-nobody-0123456789';
  const SMALL = ['--policy', 'opencode-1.2.16', '--set', 'contextTokens=4000'];
  const SUMMARY = '## Goal\nAll of it.';

  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer(inTurn(says(SUMMARY)));
  });
  afterAll(async () => {
    await server.close();
  });

  const run = (argv: readonly string[], options?: CapturedIoOptions) =>
    callMain(['run', ...argv], options);

  describe('run with a real model', () => {
    it('records what a server answers, and replays it strictly without a network to the same bytes', async () => {
      server.play(inTurn(says(SUMMARY)));
      const cassette = join(folder, 'cassette');
      const model = ['--summarizer', 'ai:local/m', '--cassette', cassette];
      const way = ['--base-url', server.url, '--api-key-env', 'LAB_KEY'];
      const argv = [session, ...SMALL, '--format', 'json', ...model];
      const recorded = await run([...argv, ...way], { env: { LAB_KEY: SECRET } });
      expect(recorded).toMatchObject({ code: 0, stderr: '' });
      const asked = server.received.length;
      expect(asked).toBeGreaterThan(0);
      expect(server.received.at(-1)?.headers['authorization']).toBe(`Bearer ${SECRET}`);

      const replayed = await run(argv, { env: { CI: 'true' } });
      expect(replayed).toEqual(recorded);
      expect(server.received.length).toBe(asked);
      expect(JSON.parse(replayed.stdout).runs[0].metrics.compactions).toBeGreaterThan(0);

      const stored = readdirSync(cassette).map((file) =>
        readFileSync(join(cassette, file), 'utf8'),
      );
      for (const text of stored) {
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain(server.url);
        expect(text).not.toContain(folder);
        expect(text).not.toMatch(/authorization|127\.0\.0\.1/i);
      }
    });

    it('says in one line of a table what differs from the nearest recording', async () => {
      server.play(inTurn(says(SUMMARY)));
      const cassette = ['--cassette', join(folder, 'nearest'), '--summarizer', 'ai:local/m'];
      await run([session, ...SMALL, ...cassette, '--base-url', server.url]);
      const text = chatOf(40, 400).replaceAll('Question', 'Query');
      const other = writeFile(folder, 'other.json', text);
      const { stdout } = await run([other, ...SMALL, ...cassette], { env: { CI: '1' } });
      expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
        /Nearest is \w+-1\.json: it has 'message .*', the request has 'message .*'\. Record/,
      );
      expect(stdout).not.toContain('u000a');
    });

    it('sends a smaller request after the model refused one that was too large', async () => {
      server.play(inTurn(openAiOverflow, says(SUMMARY)));
      const set = ['--set', 'shrinkSummaryRequest=true'];
      const way = ['--summarizer', 'ai:local/m', '--base-url', server.url];
      const before = server.received.length;
      const { code, stdout } = await run([session, ...SMALL, ...set, ...way, '--format', 'json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout).runs[0].metrics.compactions).toBeGreaterThan(0);
      const sizes = server.received.slice(before).map(({ body }) => JSON.stringify(body).length);
      expect(sizes[1]).toBeLessThan(sizes[0]!);
    });

    it.each<[string, Deed]>([
      ['away', serverError],
      ['not taking the key', { type: 'refuse', status: 401, body: { error: { message: 'No.' } } }],
    ])('has no run where the model is %s, but its reason', async (_, deed) => {
      server.play(inTurn(deed));
      const way = ['--summarizer', 'ai:local/m', '--base-url', server.url, '--retries', '0'];
      const { code, stdout } = await run([session, ...SMALL, ...way, '--format', 'json']);
      server.play(inTurn(says(SUMMARY)));
      expect(code).toBe(1);
      expect(JSON.parse(stdout).runs[0]).toMatchObject({
        state: 'failed',
        reason: expect.stringMatching(
          /^Expected an answer from 'ai:local\/m', got '(?:No|The server)/,
        ),
      });
    });

    it.each<[string, number, (said: string) => unknown]>([
      ['as JSON', 400, (said) => ({ error: { message: `Bad input: ${said}`, code: 'invalid' } })],
      ['as JSON in JSON', 422, (said) => ({ detail: [{ input: JSON.stringify({ said }) }] })],
    ])('keeps nothing of a session that a server repeats %s', async (_, status, bodyOf) => {
      server.play(({ body }) => {
        const said = JSON.stringify(body['messages']);
        return { type: 'refuse', status, body: bodyOf(said) };
      });
      const cassette = join(folder, `echo-${status}`);
      const events = join(folder, `echo-${status}.jsonl`);
      const way = ['--summarizer', 'ai:local/m', '--base-url', server.url, '--cassette', cassette];
      const secret = ['SECRET-PLAN', 'of', 'the "moon"', 'and\nmore'].join(' ');
      const told = writeFile(
        folder,
        'told.json',
        chatOf(40, 400).replaceAll('word word', JSON.stringify(secret).slice(1, -1)),
      );
      const { stdout, stderr } = await run([told, ...SMALL, ...way, '--events', events]);
      server.play(inTurn(says(SUMMARY)));
      const files = readdirSync(cassette).map((file) => readFileSync(join(cassette, file), 'utf8'));
      const texts = [stdout, stderr, readFileSync(events, 'utf8'), ...files];
      expect(files.length).toBeGreaterThan(0);
      expect(files[0]).toContain('[of the request]');
      for (const text of texts) expect(text).not.toMatch(/SECRET-PLAN|moon/);
    });

    it('says why summaries failed where a model refuses every one', async () => {
      server.play(() => ({
        type: 'refuse',
        status: 400,
        body: { error: { message: 'No <b>. ' } },
      }));
      const way = ['--summarizer', 'ai:local/m', '--base-url', server.url, '--retries', '0'];
      const [table, page, json] = await Promise.all(
        ['table', 'markdown', 'json'].map((format) =>
          run([session, ...SMALL, ...way, '--format', format, '--details']),
        ),
      );
      server.play(inTurn(says(SUMMARY)));
      const { metrics, findings } = JSON.parse(json!.stdout).runs[0];
      const times = metrics.failedCompactions;
      const cause = { cause: 'summary', failed: times, reason: 'No <b>.' };
      expect(findings).toEqual(expect.arrayContaining([expect.objectContaining(cause)]));
      const told = /(\d+) of \1 summaries failed: `?No <b>`?\./;
      for (const { stdout } of [table!, page!]) expect(stdout).toMatch(told);
    });

    it('spends nothing on a server that is not there, and says why nobody answered', async () => {
      const gone = await startModelServer(inTurn(says(SUMMARY)));
      await gone.close();
      const way = ['--summarizer', 'ai:openai/gpt-5-mini', '--base-url', gone.url];
      const more = ['--retries', '1', '--budget-usd', '0.1', '--format', 'json'];
      const { code, stdout, stderr } = await run([session, ...SMALL, ...way, ...more]);
      expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
      expect(stderr).toMatch(
        /^Expected 'ai:openai\/gpt-5-mini' to answer, got '.*ECONNREFUSED 127\.0\.0\.1:\d+'\.\n$/,
      );
    });

    it.each([401, 403, 404])('runs nothing where a model is refused with %d', async (status) => {
      const { length } = server.received;
      server.greet({ type: 'refuse', status, body: { error: { message: 'No such model.' } } });
      const way = ['--summarizer', 'ai:local/m', '--base-url', server.url];
      const { code, stderr } = await run([session, ...SMALL, ...way]);
      const dry = await run([session, ...SMALL, ...way, '--dry-run']);
      const strict = ['--cassette', join(folder, 'none-yet'), '--cassette-mode', 'strict'];
      const replayed = await run([session, ...SMALL, ...way, ...strict]);
      server.greet(says(SUMMARY));
      expect({ code, stderr }).toEqual({
        code: EXIT.wrongUse,
        stderr: "Expected 'ai:local/m' to answer, got 'No such model.'.\n",
      });
      expect([dry.code, replayed.stderr]).toEqual([0, expect.not.stringContaining('No such')]);
      expect(server.received.length).toBe(length);
    });

    it('says apart what requests may have cost that were never answered', async () => {
      server.play(inTurn(says(SUMMARY), { type: 'reset' }));
      const way = ['--summarizer', 'ai:openai/gpt-5-mini', '--base-url', server.url];
      const { stderr } = await run([session, ...SMALL, ...way, '--retries', '0']);
      server.play(inTurn(says(SUMMARY)));
      expect(stderr).toMatch(
        /^Spent on summaries: \$0\.\d+, and up to \$0\.\d+ for requests that were never answered\.$/m,
      );
    });

    it('spends on an answer without a usage what the report says', async () => {
      server.play(inTurn({ type: 'answer', text: SUMMARY }));
      const way = ['--summarizer', 'ai:openai/gpt-5-mini', '--base-url', server.url];
      const { stdout, stderr } = await run([session, ...SMALL, ...way, '--format', 'json']);
      server.play(inTurn(says(SUMMARY)));
      const { costSummariesUsd } = JSON.parse(stdout).runs[0].metrics;
      const spent = Number(/^Spent on summaries: \$([\d.]+)\.$/m.exec(stderr)?.[1]);
      expect(Math.abs(spent - costSummariesUsd)).toBeLessThan(0.0001);
    });

    it('says what was spent before the user wanted to stop', async () => {
      const controller = new AbortController();
      let asked = 0;
      server.play(() => {
        asked += 1;
        if (asked === 2) controller.abort();
        return says(SUMMARY);
      });
      const way = words(`--summarizer ai:openai/gpt-5-mini --base-url ${server.url} --api chat`);
      const stopped = await run([session, ...SMALL, ...way], {
        env: { OPENAI_API_KEY: SECRET },
        signal: controller.signal,
      });
      server.play(inTurn(says(SUMMARY)));
      expect(stopped).toMatchObject({ code: 130, stdout: '' });
      expect(stopped.stderr).toMatch(
        /^Spent on summaries: \$0\.\d+, and up to \$0\.\d+ for requests that were never answered\.\nInterrupted\.\n$/,
      );
    });
  });
});
