import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePivots, planArms } from '../../../src/cli/summarizer-rows.ts';
import { policies } from '../../../src/engine/index.ts';
import { findRepeats, toCopyCandidate } from '../../../src/simulator/session/find-copies.ts';
import type { SummarizerRegistry } from '../../../src/simulator/summarizer/open.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { shippedScenarios } from '../../../src/simulator/sweep/summarizers/inputs.ts';
import { callMain } from '../../support/command.ts';
import { isQuestion } from '../../support/loopback-reader.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';
import { byPart, writeSessions } from '../model-bench.ts';

it('takes the sessions of the package for what they are, independent', () => {
  const { copies, families } = findRepeats([...shippedScenarios()].map(toCopyCandidate));
  expect([copies.length, families.size]).toEqual([0, 0]);
});

const folder = createFolder();
const registry = {
  find: findSummarizer,
  profileOf: () => undefined,
} as unknown as SummarizerRegistry;

function planned(...prompts: readonly string[]) {
  return planArms(
    { summarizers: ['lead'], prompts, context: undefined },
    policies['opencode-1.2.16'],
    registry,
  );
}

describe('parsePivots', () => {
  it.each<[string | undefined, string | undefined, object]>([
    [undefined, undefined, { pivots: 2, compactAt: [0.5, 1] }],
    ['1', undefined, { pivots: 1, compactAt: [1] }],
    ['4', undefined, { pivots: 4, compactAt: [0.25, 0.5, 0.75, 1] }],
    [undefined, '0.2,0.6,1', { pivots: 3, compactAt: [0.2, 0.6, 1] }],
    ['2', ' .5, 1. ', { pivots: 2, compactAt: [0.5, 1] }],
    ['3', 'policy', { pivots: 3 }],
    [undefined, 'policy', { pivots: 2 }],
  ])('takes %s pivots at %s', (pivots, compactAt, plan) => {
    expect(parsePivots(pivots, compactAt)).toEqual(plan);
  });
});

describe('planArms', () => {
  const [one, other] = ['a-short.md', 'b-short.md'].map((name) =>
    writeFile(folder, name, `Say ${name}.`),
  ) as [string, string];
  const twin = writeFile(folder, 'policy.md', 'Say what the policy would not.');

  it('names prompts by their files, and tells them apart by what they say', () => {
    const prompts = planned('policy', one, other).map(({ prompt }) => prompt);
    expect(prompts.map(({ name }) => name)).toEqual(['policy', 'a-short', 'b-short']);
    expect(new Set(prompts.map(({ hash }) => hash)).size).toBe(3);
  });

  it('names files of one name by their paths', () => {
    const same = `${folder}/../${folder.split('/').at(-1)}/a-short.md`;
    expect(planned(one, same).map(({ prompt }) => prompt.name)).toEqual([one, same]);
    expect(planned('policy', twin).map(({ prompt }) => prompt.name)).toEqual(['policy', twin]);
  });
});

describe('summarizers with a reader', () => {
  const [session] = writeSessions(folder);
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer(byPart);
  });
  afterAll(async () => {
    await server.close();
  });

  const argv = (arms: string) => [
    'summarizers',
    session,
    // Nothing is kept as it was, so that all is asked of the summary.
    '--policy=opencode-1.2.16',
    `--summarizers=${arms}`,
    '--reader=ai:local/finder',
    `--base-url=${server.url}`,
  ];

  it('ask it with everything, with what is left and with nothing, and conclude from that', async () => {
    const { code, stdout, stderr } = await callMain([
      ...argv('scripted:echo,scripted:empty'),
      '--format=json',
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { probes, differences } = JSON.parse(stdout);
    const [echo, empty] = probes.arms;
    expect(probes.reader).toBe('ai:local/finder');
    expect(echo.questions).toBeGreaterThan(3);
    expect(echo.accuracy.full.mean).toBeGreaterThan(0.5);
    expect(empty.accuracy.full).toEqual(echo.accuracy.full);
    expect(empty.accuracy.none).toEqual(echo.accuracy.none);
    // What echoes its head loses nothing, and what says nothing leaves what nothing tells.
    expect(echo.accuracy.compacted).toEqual(echo.accuracy.full);
    expect(empty.accuracy.compacted).toEqual(empty.accuracy.none);
    expect(echo.left.mean).toBe(1);
    expect(empty.left.mean).toBe(0);
    const found = differences.find(({ metric }: { metric: string }) => metric === 'answered');
    expect(found).toMatchObject({ arm: 'scripted:empty', base: 'scripted:echo' });
    // The whole session and nothing are read once for both arms, and what is empty is nothing.
    expect(server.received.filter(isQuestion)).toHaveLength(3 * echo.questions);
  });

  it('say before what it would be asked, and ask nobody', async () => {
    const before = server.received.length;
    const { code, stdout } = await callMain([...argv('extractive'), '--dry-run']);
    expect({ code, asked: server.received.length - before }).toEqual({ code: 0, asked: 0 });
    const told = Number(/ai:local\/finder: (\d+) requests/.exec(stdout)?.[1]);
    await callMain(argv('extractive'));
    expect(server.received.length - before).toBe(told);
  });
});

describe('summarizers with facts of a file', () => {
  const [, session] = writeSessions(folder);
  const planted = readFileSync(session, 'utf8').split('\n');

  it('score those that the session says', async () => {
    const [fact] = [...shippedScenarios()][1]!.facts!.filter(({ kind }) => kind === 'id');
    expect(planted.join('\n')).toContain(fact!.value);
    const { kind, subject, value, polarity } = fact!;
    const file = writeFile(
      folder,
      'facts.json',
      JSON.stringify([
        { kind, subject, value, polarity },
        { kind, subject: 'nothing', value: 'never-said-9x9', polarity },
      ]),
    );
    const { code, stdout } = await callMain([
      'summarizers',
      session,
      '--summarizers=scripted:echo',
      `--facts=${file}`,
      '--compact-at=1',
      '--format=json',
    ]);
    expect(code).toBe(0);
    const { arms, provenance } = JSON.parse(stdout);
    expect(provenance.scenarios[0].facts).toBe('stated');
    expect(arms[0].mustFacts.of).toBe(1);
    expect(arms[0].kinds).toMatchObject({ id: { mean: expect.any(Number) } });
  });
});
