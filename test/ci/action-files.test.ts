import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ACTION_FOLDER, ActionFile, readYaml, Workflow } from '../support/action-file.ts';

const action = ActionFile.parse(readYaml('action.yml'));
const text = readFileSync(join(ACTION_FOLDER, 'action.yml'), 'utf8');
const scripts = ['check.sh', 'comment.sh', 'plain.sh'].map((name) => `examples/ci/${name}`);

/** Source: GitLab's reference of `.gitlab-ci.yml`. */
const Pipeline = z.record(
  z.string(),
  z.strictObject({
    image: z.string(),
    script: z.array(z.string()),
    artifacts: z.strictObject({
      when: z.enum(['on_success', 'on_failure', 'always']),
      reports: z.strictObject({ junit: z.string() }),
    }),
  }),
);

describe('action.yml', () => {
  it('has what a composite action may have, and nothing else', () => {
    expect(ActionFile.safeParse(readYaml('action.yml')).error).toBeUndefined();
    expect(action.runs.steps.length).toBeGreaterThan(1);
  });

  it('asks only for inputs that it has', () => {
    const asked = [...text.matchAll(/\binputs\.([\w-]+)/g)].map(([, name]) => name);
    expect(new Set(asked)).toEqual(new Set(Object.keys(action.inputs)));
  });

  it('asks only for steps that it has', () => {
    const ids = action.runs.steps.flatMap(({ id }) => id ?? []);
    const asked = [...text.matchAll(/\bsteps\.([\w-]+)\.outputs/g)].map(([, name]) => name);
    expect(asked.filter((id) => !ids.includes(id ?? ''))).toEqual([]);
  });

  it('puts no input into a command, where it would be obeyed', () => {
    expect(action.runs.steps.filter(({ run }) => run.includes('${{'))).toEqual([]);
  });

  it('runs the program that the project has installed, and never fetches one of that name', () => {
    expect(action.inputs['command']?.default).toBe('npx --no-install compaction-bench');
  });

  it('runs only files that the package has', () => {
    const run = action.runs.steps.map((step) => step.run).join('\n');
    const files = [...run.matchAll(/\$GITHUB_ACTION_PATH\/([\w./-]+)/g)].map(([, path]) => path);
    const { files: shipped } = JSON.parse(
      readFileSync(join(ACTION_FOLDER, 'package.json'), 'utf8'),
    );
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((path) => !existsSync(join(ACTION_FOLDER, path ?? '')))).toEqual([]);
    expect(shipped).toEqual(expect.arrayContaining(['action.yml', 'examples/ci']));
  });
});

describe('examples/ci', () => {
  it('has a workflow that gives the action what it takes', () => {
    const { jobs } = Workflow.parse(readYaml('examples/ci/github.yml'));
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const own = steps.find(({ uses }) => uses?.endsWith('compaction-bench'));
    const given = Object.keys(own?.with ?? {});
    expect(given.length).toBeGreaterThan(0);
    expect(given.filter((name) => !(name in action.inputs))).toEqual([]);
    for (const { uses, run } of steps) expect([uses, run].filter(Boolean)).toHaveLength(1);
  });

  it('has a pipeline that hands over the report that it writes', () => {
    const [job] = Object.values(Pipeline.parse(readYaml('examples/ci/gitlab.yml')));
    expect(job?.script.join('\n')).toContain(`--out ${job?.artifacts.reports.junit}`);
  });

  it.each(scripts)('has a shell that reads %s', (path) => {
    // A locale that is not installed is told of on standard error.
    const env = { ...process.env, LC_ALL: 'C' };
    const { status, stderr } = spawnSync('bash', ['-n', join(ACTION_FOLDER, path)], { env });
    expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' });
  });
});
