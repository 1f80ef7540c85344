import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeSession } from '../../src/simulator/session/formats/canonical-lines.ts';
import { loadSessions } from '../../src/simulator/session/load.ts';
import {
  call,
  type Line,
  prompt,
  result,
  say,
  step,
  transcript,
} from '../simulator/session/formats/claude-code-lines.ts';
import { callMain } from '../support/command.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const folder = createFolder();

const beginning = [
  prompt('The kettle rings too late.'),
  step('m1', call('c1')),
  result('c1', 'late '.repeat(80)),
  step('m2', call('c2', 'Edit')),
  result('c2', 'changed'),
  step('m3', say('Found it.')),
];

/** A transcript of another session, whose first lines are those of the one that it was made from. */
const recorded = (name: string, ...own: readonly Line[]) => {
  const text = transcript(...beginning, ...own);
  return writeFile(folder, `${name}.jsonl`, text.replaceAll('"kettle"', JSON.stringify(name)));
};

const old = recorded('old');
const resumed = recorded(
  'resumed',
  prompt('Mend it.'),
  step('m4', call('c4')),
  result('c4', 'late '.repeat(80)),
  step('m5', say('Done.')),
);
const fork = recorded('fork', prompt('Leave it.'), step('m6', say('As you wish.')));

/** One that has nothing to do with them. */
const alone = writeFile(
  folder,
  'alone.jsonl',
  transcript(prompt('Is there any tea?'), step('t1', say('No.'))).replaceAll('"kettle"', '"tea"'),
);

/** So many that the fork is in another one than what it was made from. */
const SHARDS = 5;
/** The same sessions one behind another in one file. */
const lines = [...loadSessions([fork, old, resumed])].flatMap((loaded) =>
  loaded.state === 'read' ? [...writeSession(loaded.session)] : [],
);
const joined = writeFile(folder, 'joined.jsonl', lines.join(''));
const json = (command: string, ...argv: readonly string[]) =>
  jsonOf(...command.split(' '), fork, old, resumed, ...argv);

async function jsonOf(...argv: readonly string[]) {
  const { stdout } = await callMain([...argv, '--format', 'json']);
  return JSON.parse(stdout);
}

const familiesIn = (rows: readonly { session: string; family?: string }[]) =>
  new Map(rows.map(({ session, family }) => [session, family]));
/** Both files of a sweep's folder. */
const read = (out: string) =>
  ['sweep.json', 'results.jsonl'].map((name) => readFileSync(join(out, name), 'utf8'));

describe('sessions that were resumed and forked', () => {
  it('are told in statistics, where what they share is counted once', async () => {
    const { overall, sessions, copies, shared, byFormat } = await json('sessions stats');
    expect(copies).toEqual([{ session: old, copyOf: resumed }]);
    expect(shared).toEqual([{ session: fork, sharedWith: resumed, messages: 4 }]);
    const { tools, perTurn, perSession, reuse } = overall;
    expect([tools.Read.calls, tools.Edit.calls]).toEqual([2, 1]);
    expect(perTurn.steps.n).toBe(3);
    // The second read of what was read before stands in one of them; the sessions themselves are whole.
    expect(reuse.duplicateShare.n).toBe(2);
    expect([overall.sessions, perSession.steps.mean]).toEqual([2, 4.5]);
    expect(sessions.map(({ steps }: { steps: number }) => steps)).toEqual([4, 5]);
    expect(byFormat['claude-code']).toEqual(overall);
    const { stdout } = await callMain(['sessions', 'stats', fork, resumed, '--details']);
    expect(stdout).toContain(`${fork}: its first 4 of 6 messages stand in ${resumed} as well`);
  });

  it('are run but for those that others hold, and the report says what is not independent', async () => {
    const { runs, provenance } = await json('run', '--policy', 'none');
    expect(runs.map(({ state, reason }: Record<string, string>) => [state, reason])).toEqual([
      ['completed', undefined],
      ['skipped', `a shorter copy of ${resumed}`],
      ['completed', undefined],
    ]);
    const { sessions } = provenance.estimators;
    expect(sessions.map((each: Record<string, number>) => each['sharedMessages'])).toEqual([
      4,
      undefined,
    ]);
    const argv = ['run', old, fork, resumed, '--policy', 'none', '--details'];
    const { stdout } = await callMain(argv);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '1 of 2 sessions begins with messages of another one',
    );
  });

  it('are swept alike', async () => {
    const sweep = ['sweep', old, fork, resumed, '--policy', 'none', '--jobs', '1'];
    const { stdout } = await callMain(sweep);
    expect(stdout).toContain(
      '3 sessions, 1 of them a copy, which is not run, 1 of them not independent: it begins',
    );
  });

  it('name the family that they belong to in every row', async () => {
    const expected = new Map([
      [alone, undefined],
      [fork, fork],
      [old, undefined],
      [resumed, fork],
    ]);
    const { runs } = await json('run', alone, '--policy', 'none');
    expect(familiesIn(runs)).toEqual(expected);
    const { sessions } = await json('sweep', alone, '--policy', 'none', '--jobs', '1');
    expect(familiesIn(sessions)).toEqual(expected);
    const events = join(folder, 'events.jsonl');
    const run = ['run', fork, alone, resumed, '--policy', 'none'];
    const direct = await callMain([...run, '--format', 'json', '--events', events]);
    const again = await callMain(['report', events, '--format', 'json']);
    expect(again.stdout).toBe(direct.stdout);
  });

  it('are of one family whatever shard they are in, and when a sweep is gone on with', async () => {
    const files = [old, fork, resumed, alone];
    const sweep = ['sweep', ...files, '--policy', 'none,opencode-1.2.16', '--jobs', '1'];
    const whole = join(folder, 'whole');
    await callMain([...sweep, '--out', whole]);
    const shards = Array.from({ length: SHARDS }, (_, index) => join(folder, `part-${index + 1}`));
    for (const [index, out] of shards.entries())
      await callMain([...sweep, '--shard', `${index + 1}/${SHARDS}`, '--out', out]);
    // Else no shard would have to know of files that it does not run.
    const holding = shards.filter((out) => read(out)[1]!.includes('"family"'));
    expect(holding).toHaveLength(2);
    for (const order of [shards, shards.toReversed()]) {
      const out = join(folder, `merged-${order.indexOf(shards[0]!)}`);
      const { code } = await callMain(['sweep', 'merge', ...order, '--out', out]);
      expect(code).toBe(0);
      expect(read(out)).toEqual(read(whole));
    }
    const [, rows] = read(whole);
    writeFileSync(join(whole, 'results.jsonl'), rows!.slice(0, rows!.length / 2));
    await callMain([...sweep, '--out', whole]);
    expect(read(whole)[1]).toBe(rows);
  });

  it('count once where two policies are compared, or two files of their results', async () => {
    const files = [alone, fork, resumed];
    const [a, b] = ['document-001', 'opencode-1.2.16'];
    const { metrics, ...direct } = await jsonOf('compare', a, b, ...files);
    expect(direct).toMatchObject({ pairs: 3, sessions: 3, families: 2 });
    const results = [a, b].map((policy) => join(folder, `${policy}.json`));
    for (const [index, out] of results.entries()) {
      const policy = [a, b][index]!;
      await callMain(['run', ...files, '--policy', policy, '--format', 'json', '--out', out]);
    }
    const ofFiles = await jsonOf('compare', ...results);
    expect(ofFiles).toMatchObject({ families: 2, metrics });
  });

  it('are tuned on as one', async () => {
    // The model has no price.
    const objective = ['--objective', 'inputTokens', '--jobs', '1'];
    const tuning = ['tune', alone, fork, resumed, '--vary', 'reserved=1k,2k', ...objective];
    const { sessions } = await jsonOf(...tuning);
    expect(sessions).toMatchObject({ tuning: 3, families: { tuning: 2, heldOut: 0 } });
    const { stdout } = await callMain([...tuning, '--details']);
    expect(stdout).toContain('3 sessions in 2 families tuned on, 0 sessions held out');
  });

  it('are compared with what was recorded but for those that others hold', async () => {
    const { sessions } = await json('sessions validate');
    expect(sessions[1]).toMatchObject({ file: old, reason: `a shorter copy of ${resumed}` });
  });

  it('are known in one file, too', async () => {
    const reason = `a shorter copy of ${joined}#2`;
    const { runs, provenance } = await jsonOf('run', joined, '--policy', 'none');
    expect(runs.map((run: Record<string, string>) => run['reason'])).toEqual([
      undefined,
      reason,
      undefined,
    ]);
    expect(provenance.estimators.sessions[0]).toMatchObject({ sharedMessages: 4 });
    const { sessions } = await jsonOf('sessions', 'validate', joined);
    expect(sessions[1]).toMatchObject({ reason });
  });

  it.runIf(process.platform === 'linux')('are run from a pipe, which is read once', async () => {
    const pipe = pipeOf(fork, 'run');
    const { runs } = await jsonOf('run', pipe, resumed, '--policy', 'none');
    expect(runs.map((run: Record<string, string>) => run['state'])).toEqual([
      'completed',
      'completed',
    ]);
  });

  it.runIf(process.platform === 'linux')('are refused from a pipe by a sweep', async () => {
    const vary = ['--vary', 'protect=20k,40k', '--jobs', '1'];
    const pipe = makePipe('sweep');
    const reason = `Expected '${pipe}' to be a file, which can be read again, got a pipe or a device; save what it gives in a file.`;
    expect(await callMain(['sweep', pipe, ...vary])).toMatchObject({
      code: 2,
      stderr: `${reason}\n`,
    });
    const { unread } = await jsonOf('sweep', resumed, pipe, ...vary);
    expect(unread).toEqual([{ file: pipe, reason }]);
  });

  it.runIf(process.platform === 'linux')(
    'are told of where they cannot be read again',
    async () => {
      const pipe = pipeOf(fork, 'stats');
      const { code, stdout } = await callMain(['sessions', 'stats', pipe, resumed, '--details']);
      const reason = `Expected '${pipe}' to stay as it was while it was read; what it shares is counted twice.`;
      expect([code, stdout]).toEqual([1, expect.stringContaining(reason)]);
    },
  );
});

/** A pipe that gives what a file holds, once. */
function pipeOf(file: string, name: string): string {
  const pipe = makePipe(name);
  execFileSync('sh', ['-c', 'cat "$0" > "$1" &', file, pipe], { stdio: 'ignore' });
  return pipe;
}

/** A pipe that nobody writes to: one that waits for a reader would outlive the tests. */
function makePipe(name: string): string {
  const pipe = join(folder, `${name}.pipe`);
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  return pipe;
}
