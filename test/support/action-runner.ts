import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_FOLDER, ActionFile, type ActionStep, readYaml } from './action-file.ts';
import type { BuiltPackage } from './built-package.ts';

/** A job on a machine of GitHub, as far as the action asks for it. */
export interface FakeJob {
  readonly built: BuiltPackage;
  /** The checked out repository. */
  readonly repository: string;
  /** A folder with programs of the machine. */
  readonly programs: string;
  /** Where the machine keeps its own files. */
  readonly temporary: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly event: 'pull_request' | 'push';
  /** What the job has in its environment besides. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the action left behind. */
export interface ActionOutcome {
  /** Of the job: 0 unless a step failed. */
  readonly code: number;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

type Context = Readonly<Record<string, unknown>>;

const ALWAYS = 'always()';
/** `a.b == 'c'` */
const EQUALITY = /^(?<path>[\w.]+) == '(?<value>[^']*)'$/;

/** Runs the steps of the project's own action as GitHub would, with the files and variables that GitHub gives them. */
export async function runAction(job: FakeJob): Promise<ActionOutcome> {
  const action = ActionFile.parse(readYaml('action.yml'));
  const defaults = Object.entries(action.inputs).map(([name, input]) => [
    name,
    input.default ?? '',
  ]);
  const github = {
    token: 'a-token',
    event_name: job.event,
    event: { pull_request: { number: 7 } },
  };
  const given = { github, runner: { temp: job.temporary } };
  const inputs = { ...resolveAll(Object.fromEntries(defaults), given), ...job.inputs };
  const summaryFile = emptyFile(job, 'summary');
  const steps: Record<string, { outputs: Record<string, string> }> = {};
  const context = { ...given, inputs, steps };
  let [code, log] = [0, ''];
  for (const step of action.runs.steps) {
    if (!isRun(step, context, code)) continue;
    const outputFile = emptyFile(job, 'output');
    const ended = await job.built.runShell(`bash -e <<'STEP'\n${step.run}\nSTEP`, {
      folder: job.repository,
      programs: job.programs,
      env: {
        ...variables,
        ...job.env,
        ...resolveAll(step.env, context),
        ...filesOf(summaryFile, outputFile),
      },
    });
    log += ended.stdout + ended.stderr;
    if (step.id !== undefined) steps[step.id] = { outputs: readOutputs(outputFile) };
    if (ended.code !== 0 && step['continue-on-error'] !== true) code = ended.code;
  }
  const values = Object.entries(action.outputs).map(([name, { value }]) => [name, value]);
  const outputs = resolveAll(Object.fromEntries(values), context);
  return { code, log, summary: readFileSync(summaryFile, 'utf8'), outputs };
}

const variables = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_ACTION_PATH: ACTION_FOLDER,
  GITHUB_REPOSITORY: 'owner/agent',
};

function filesOf(summary: string, output: string): Readonly<Record<string, string>> {
  return { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output };
}

function emptyFile({ temporary }: FakeJob, name: string): string {
  const path = join(temporary, name);
  writeFileSync(path, '');
  return path;
}

function readOutputs(path: string): Record<string, string> {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

/** A step without a condition is run where none has failed. */
function isRun({ if: condition }: ActionStep, context: Context, code: number): boolean {
  if (condition === undefined) return code === 0;
  const terms = String(condition).split(' && ');
  if (!terms.includes(ALWAYS) && code !== 0) return false;
  return terms.every((term) => term === ALWAYS || isEqual(term, context));
}

function isEqual(term: string, context: Context): boolean {
  const { path, value } = EQUALITY.exec(term)?.groups ?? {};
  if (path === undefined) throw new Error(`Expected a condition that is known, got ${term}.`);
  return lookUp(path, context) === value;
}

function resolveAll(texts: Readonly<Record<string, string>>, context: Context) {
  const resolved = Object.entries(texts).map(([name, text]) => [
    name,
    text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, path: string) => lookUp(path, context)),
  ]);
  return Object.fromEntries(resolved);
}

/** What is not there is empty, as there; a context that is not known is a mistake. */
function lookUp(path: string, context: Context): string {
  const [first = '', ...rest] = path.split('.');
  if (!(first in context)) throw new Error(`Expected a context that is known, got ${path}.`);
  const value = rest.reduce<unknown>(
    (part, name) => (part as Readonly<Record<string, unknown>> | undefined)?.[name],
    context[first],
  );
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
