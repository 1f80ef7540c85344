import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { ACTION_FOLDER, readYaml, Workflow } from '../support/action-file.ts';
import { callMain } from '../support/command.ts';
import { createFolder } from '../support/session-files.ts';

const WORKFLOWS = '.github/workflows';
const FORMS = '.github/ISSUE_TEMPLATE';
const IMPORT = 'sessions import FILE --redact --out redacted';

const namesIn = (folder: string) => readdirSync(join(ACTION_FOLDER, folder)).toSorted();
const textOf = (path: string) => readFileSync(join(ACTION_FOLDER, path), 'utf8');
const scripts: Readonly<Record<string, string>> = packageJson.scripts;

/** Source: GitHub's syntax for issue forms. */
const Field = z.strictObject({
  type: z.enum(['textarea', 'input']),
  id: z.string(),
  attributes: z.strictObject({
    label: z.string(),
    description: z.string().exactOptional(),
    render: z.string().exactOptional(),
  }),
  validations: z.strictObject({ required: z.boolean() }),
});
const Form = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.tuple(
    [
      z.strictObject({
        type: z.literal('markdown'),
        attributes: z.strictObject({ value: z.string() }),
      }),
    ],
    Field,
  ),
});

describe.each(namesIn(WORKFLOWS))('the workflow %s', (name) => {
  const { permissions, jobs } = Workflow.parse(readYaml(`${WORKFLOWS}/${name}`));
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('may read the repository and nothing else, and knows no secret, but for a job that proposes', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect(textOf(`${WORKFLOWS}/${name}`)).not.toMatch(/secrets|pull_request_target/i);
    const runners = Object.entries(jobs).filter(([job]) => job !== 'propose');
    for (const [, { permissions: own, steps }] of runners) {
      expect(own).toBeUndefined();
      expect(JSON.stringify(steps)).not.toMatch(/token/i);
    }
  });

  it('takes actions of one commit, and runs what there is', () => {
    for (const { uses = '' } of steps) expect(uses).toMatch(/^$|^actions\/[\w-]+@[0-9a-f]{40}$/);
    const runs = steps.flatMap(({ run }) => run ?? []);
    expect(runs).not.toEqual([]);
    for (const run of runs) {
      const [, script] = /^npm (?:run )?(\w+)(?: -- \$\{\{ matrix\.\w+ \}\})?$/.exec(run) ?? [];
      expect(script === undefined ? existsSync(run) : script === 'ci' || script in scripts).toBe(
        true,
      );
    }
  });
});

it('a workflow runs .ci/run without the Node of the other job', () => {
  const text = textOf(`${WORKFLOWS}/ci.yml`);
  const [, variable = ''] = /^ +(COMPACTION_BENCH_\w+): "1"$/m.exec(text) ?? [];
  expect(textOf('.ci/run')).toContain(`[ "\${${variable}:-}" != 1 ]`);
});

it.each(namesIn(FORMS).filter((name) => name !== 'config.yml'))(
  'the form %s asks for sessions without their texts',
  (name) => {
    const [{ attributes }] = Form.parse(readYaml(`${FORMS}/${name}`)).body;
    expect(attributes.value).toContain(`npx compaction-bench ${IMPORT}\n`);
  },
);

it('the command of the forms writes a session', async () => {
  const out = join(createFolder(), 'redacted');
  const file = join(createFolder(), 'session.json');
  writeFileSync(file, JSON.stringify([{ role: 'user', content: 'Boil the water, please.' }]));
  const words = IMPORT.replace('FILE', file)
    .replace(/redacted$/, out)
    .split(' ');
  expect(await callMain(words)).toMatchObject({ code: 0 });
  expect(readdirSync(out)).toHaveLength(1);
});

it('an issue without a form is not offered', () => {
  expect(readYaml(`${FORMS}/config.yml`)).toEqual({ blank_issues_enabled: false });
});
