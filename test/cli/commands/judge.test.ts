import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeSession } from '../../../src/simulator/session/formats/canonical-lines.ts';
import { callMain, words } from '../../support/command.ts';
import { answerAsFake, readSessions } from '../../support/fake-summarizers.ts';
import { answerAsJudge } from '../../support/loopback-reader.ts';
import { says } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const JUDGE = '--judge=ai:local/judge';
/** As the server calls it. */
const MODEL = 'judge-2026-01-01';
const JUDGED = `Facts judged by ai:local/judge, which answered as ${MODEL}`;
const RIGHT = { judge: answerAsJudge };
const NONSENSE = { judge: () => 'They all look fine to me.\n0: kept\n1: kept, or lost' };

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => says(''));
  for (const [index, session] of readSessions.slice(0, 2).entries())
    writeFile(folder, `${index}.jsonl`, [...writeSession(session)].join(''));
});
afterAll(async () => server.close());

describe('summarizers with a judge', () => {
  const setting = words('--pivots=1 --compact-at=0.5 --format=json');
  const run = async ({ judge }: typeof RIGHT, ...more: readonly string[]) => {
    server.play((received) =>
      says(received.body['model'] === 'judge' ? judge(received) : answerAsFake(received)),
    );
    const arms = '--summarizers=ai:local/faithful,ai:local/name-dump,ai:local/gist';
    const argv = ['summarizers', folder, arms, ...setting, `--base-url=${server.url}`, ...more];
    const { stdout } = await callMain(argv);
    const report = JSON.parse(stdout);
    const kept = report.arms.map((arm: typeof report) => arm.metrics.factsKept.mean);
    return { ...report, kept };
  };

  it('rest on its labels, one request a summary', async () => {
    const before = server.received.length;
    const { kept, judge, verdict } = await run(RIGHT, JUDGE);
    expect(kept).toEqual([1, 1, 0]);
    expect(judge).toMatchObject({ name: 'ai:local/judge', model: MODEL, unanswered: 0 });
    expect(verdict.sentences).toContain(`${JUDGED}.`);
    const asked = server.received.slice(before).filter(({ body }) => body['model'] === 'judge');
    expect(asked).toHaveLength(3 * 2);
  });

  it('stay with the rules where its answers are none, and say so', async () => {
    const byRules = await run(RIGHT);
    const { arms, judge, verdict } = await run(NONSENSE, JUDGE);
    expect(byRules.judge).toBeUndefined();
    expect(arms.map(({ metrics }: typeof judge) => metrics.toldWrong)).toEqual(
      byRules.arms.map(({ metrics }: typeof judge) => metrics.toldWrong),
    );
    expect(byRules.kept[1]).toBe(0);
    expect(judge.unanswered).toBe(judge.facts);
    expect(verdict.sentences).toContain(
      `${JUDGED}; ${judge.facts} of ${judge.facts} facts unanswered by the judge: rules decide.`,
    );
  });
});

describe('rows with a judge', () => {
  const rows = join(createFolder(), 'rows.jsonl');
  const argv = [
    'summarizers',
    folder,
    '--summarizers=extractive',
    `--rows=${rows}`,
    ...words('--pivots=1 --compact-at=0.5 --retries=0'),
  ];
  const run = (judge: string) => callMain([...argv, `--base-url=${server.url}`, judge]);

  it('are kept only of a judge that answers, and differ from those of another one', async () => {
    server.play(() => ({ type: 'refuse', status: 400, body: 'no room' }));
    const { stdout } = await run(JUDGE);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /unanswered by the judge: rules decide \(.+?\)\./,
    );
    expect(existsSync(rows)).toBe(false);
    server.play((received) => says(answerAsJudge(received)));
    expect((await run(JUDGE)).code).toBe(0);
    expect(existsSync(rows)).toBe(true);
    const other = await run('--judge=ai:local/other');
    expect(other.code).toBe(3);
    expect(other.stderr).toContain('the rows differ in their judge of facts');
  });
});

describe('a judge', () => {
  it('is in the price of a dry run', async () => {
    const argv = words('--summarizers=extractive --judge=ai:openai/gpt-5-mini --dry-run');
    const { stdout, code } = await callMain(['summarizers', folder, ...argv]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ai:openai\/gpt-5-mini: 4 requests, /m);
  });

  it.each([
    ['ai:openai/gpt-5-mni', /got 'ai:openai\/gpt-5-mni'; nearest: openai\/gpt-5-mini/],
    ['gpt-5-mini', /'--judge' to be a real model as in .*, got 'gpt-5-mini'/],
  ])('that nobody knows is refused: %s', async (name, told) => {
    const argv = ['summarizers', folder, '--summarizers=extractive', '--judge', name, '--dry-run'];
    const { stderr, code } = await callMain(argv);
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(told);
  });
});

describe('score with a judge', () => {
  const fact = { kind: 'number', polarity: 'do' };
  const facts = [
    { ...fact, subject: 'the upload limit', value: '52428800', previous: '1048576' },
    { ...fact, subject: 'the port', value: '8099' },
  ];
  const argv = [
    'summarizers',
    'score',
    writeFile(createFolder(), 'text.md', '52428800'),
    '--facts',
    writeFile(createFolder(), 'facts.json', JSON.stringify(facts)),
    JUDGE,
  ];
  const score = (...more: readonly string[]) =>
    callMain([...argv, `--base-url=${server.url}`, ...more]);
  beforeEach(() => server.play((received) => says(answerAsJudge(received))));

  it('has its labels and its name', async () => {
    const { stdout } = await score('--format=json');
    const { texts, judge } = JSON.parse(stdout);
    expect(texts[0].facts.map(({ state }: typeof judge) => state)).toEqual(['kept', 'lost']);
    expect(judge).toMatchObject({ name: 'ai:local/judge', facts: 2, unanswered: 0 });
    expect(JSON.stringify(server.received.at(-1)?.body)).toContain(
      '1. the upload limit = 52428800 (earlier 1048576)',
    );
    expect((await score()).stdout).toContain(`${JUDGED}.`);
  });

  it('counts and says what it leaves to the rules', async () => {
    server.play(() => says('2: contradicted'));
    const stdout = (await score()).stdout.replaceAll(/\s+/g, ' ');
    expect(stdout).toContain('keeps 0 of 2 facts; 1 value alone, 1 contradicted');
    expect(stdout).toContain('1 of 2 facts unanswered by the judge: rules decide');
  });
});
