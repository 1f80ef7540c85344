import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSession } from '../../../src/simulator/session/formats/canonical-lines.ts';
import { createCommand } from '../../support/command.ts';
import { answerAsFake, fakes, readSessions } from '../../support/fake-summarizers.ts';
import { says } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const summarizers = createCommand('summarizers');
const nameOf = (fake: string) => `ai:local/${fake}`;
const ARMS = [...Object.keys(fakes).map(nameOf), 'extractive', 'random'];

describe('twelve summarizers, from a faithful one to words in no order', () => {
  for (const [index, session] of readSessions.entries())
    writeFile(folder, `${index}.jsonl`, [...writeSession(session)].join(''));
  let server: ModelServer;
  let sentences: readonly string[] = [];
  let order: readonly string[] = [];

  beforeAll(async () => {
    server = await startModelServer((received) => says(answerAsFake(received)));
    const argv = [folder, '--pivots=1', '--compact-at=0.5', `--summarizers=${ARMS.join(',')}`];
    const way = [`--base-url=${server.url}`, '--format=json'];
    const { stdout } = await summarizers([...argv, ...way]);
    ({ sentences } = JSON.parse(stdout).verdict);
    order = (sentences[1] ?? '').match(/[a-z:/-]+(?= \d+ %)/g) ?? [];
  });
  afterAll(async () => server.close());

  it('come in the order in which one could go on with them', () => {
    expect(order).toHaveLength(ARMS.length);
    const told = ['terse', 'faithful', 'one-wrong', 'half-wrong'].map(nameOf);
    expect(new Set(order.slice(0, 2))).toEqual(new Set(told.slice(0, 2)));
    expect(order.slice(2, 6)).toEqual([...told.slice(2), 'extractive', 'random']);
    expect(order.at(-1)).toBe(nameOf('denying'));
  });

  it.each<[fault: RegExp, arms: readonly string[]]>([
    [/^Over 5 % of the facts told wrong/, ['one-wrong', 'half-wrong', 'denying']],
    [/^Keeps nothing of this session/, ['gist', 'injected', 'other-session']],
    [/^Values without what they belong to/, ['name-dump']],
    [/^Under a fifth of the facts kept/, ['noise', 'random']],
  ])('are named with what is wrong with them: %s', (fault, arms) => {
    const told = sentences.find((sentence) => fault.test(sentence)) ?? '';
    const named = told.slice(told.indexOf(': ') + 2).match(/[a-z]+[a-z:/-]*/g) ?? [];
    // Extracts may quote what was said before it changed.
    const ours = named.filter((name) => name !== 'extractive');
    const wanted = arms.map((arm) => (arm === 'random' ? arm : nameOf(arm)));
    expect(ours.toSorted()).toEqual(wanted.toSorted());
  });
});
