import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';

const SCENARIOS = resolve(import.meta.dirname, '../../../scenarios');
const path = (name: string) => join(SCENARIOS, `${name}.yaml`);
const lostRule = path('lost-rule');

interface Row {
  readonly session: string;
  readonly policy: string;
  readonly state: string;
  readonly reason?: string;
  readonly metrics: Readonly<Record<string, number | null>>;
}

async function read(...argv: readonly string[]) {
  const { code, stdout, stderr } = await callMain([...argv, '--format', 'json']);
  return { code, stderr, report: JSON.parse(stdout) };
}

async function runsOf(...argv: readonly string[]): Promise<readonly Row[]> {
  return (await read('run', ...argv)).report.runs;
}

describe('run of a scenario', () => {
  it.each([
    ['a limit that is not the declared one', 'auto-off-ignored', 'main'],
    ['a fault', 'auto-off-ignored', 'by hand'],
    ['a model and prices of its own', 'prune-breaks-the-cache', 'main'],
    ['another model that writes summaries', 'room-for-the-summary', 'main'],
  ])('measures what check does, with %s', async (_, name, run) => {
    const [row] = await runsOf(`${path(name)}#${run}`);
    const { report } = await read('check', path(name));
    const checked: Row = report.scenarios[0].runs.find((one: { name: string }) => one.name === run);
    expect(row).toMatchObject({ state: checked.state, metrics: checked.metrics });
    expect(row?.reason).toBe(checked.reason);
  });

  it('holds runs that differ by their policy alone against each other, and names the others', async () => {
    const { code, stdout, stderr } = await callMain(['run', lostRule, '--format', 'json']);
    const rows: readonly Row[] = JSON.parse(stdout).runs;
    expect(code).toBe(EXIT.done);
    expect(rows.map(({ session, policy }) => [session, policy])).toEqual([
      [lostRule, 'opencode-1.18'],
      [lostRule, 'none'],
    ]);
    expect(stderr).toContain(`#quoting summarizer' and '`);
  });

  it('lets the command line say otherwise', async () => {
    const argv = ['--policy', 'opencode-1.2.16', '--set', 'contextTokens=200k', '--seed', '7'];
    const { report } = await read('run', lostRule, ...argv, '--summarizer', 'tail');
    expect(report.runs.map(({ policy }: Row) => policy)).toEqual(['opencode-1.2.16']);
    expect(report.provenance).toMatchObject({
      limits: { contextTokens: 200_000 },
      seed: 7,
      summarizer: 'tail',
    });
    const model = 'anthropic/claude-opus-4-5';
    const { report: other } = await read('run', lostRule, '--model', model);
    expect(other.provenance).toMatchObject({ model, summarizer: 'scripted:ratio=0.05' });
  });
});

describe('explain of a scenario', () => {
  it('tells of the run that it names, the first one without a name', async () => {
    const first = await callMain(['explain', lostRule, '--details']);
    expect(first.stdout).toMatch(/lost-rule\.yaml under opencode-1\.18, .* scripted:ratio=0\.05: /);
    const further = await callMain(['explain', `${lostRule}#again and again`, '--details']);
    expect(further.stdout).toMatch(
      /#again and again under opencode-1\.18 guards=true, .* extractive: /,
    );
    const asked = await callMain(['explain', lostRule, '--policy', 'opencode-1.2.16']);
    expect(asked.stdout).toMatch(/lost-rule\.yaml under opencode-1\.2\.16, /);
  });
});
