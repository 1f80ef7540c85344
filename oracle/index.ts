/** `npm run oracle`: runs real agents against scripts, and keeps or compares what they did. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { Policy } from '../src/engine/index.ts';
import { badOption, HarnessError, messageOf } from '../src/simulator/lib/errors.ts';
import { quoted } from '../src/simulator/lib/names.ts';
import { agents, type Agent, type AgentName } from './agents.ts';
import { claimOf } from './claims.ts';
import { canRun, drive } from './drive.ts';
import { changeLines, factsOf } from './facts.ts';
import { checkImport } from './import-check.ts';
import { findNewest, install, type Release } from './install.ts';
import { codeOf, start } from './processes.ts';
import {
  type OracleRecord,
  readRecord,
  readRecords,
  recordPath,
  RecordSchema,
  toRequests,
  writeRecord,
} from './record.ts';
import {
  makeScript,
  needOf,
  type ScriptName,
  scriptNames,
  type Setting,
  SLACK_TOKENS,
  SMALL_LIMITS,
} from './scripts.ts';
import { known } from '../src/simulator/lib/collections.ts';
import { findEdge } from './expect.ts';
import { differencesOf } from './compare.ts';
import { renderDifferences } from './verify.ts';

/** Marks the process that runs where there is no network but loopback. */
const INSIDE = 'COMPACTION_BENCH_ORACLE_INSIDE';
const ALONE = ['-rnp', '--fork', '--mount-proc', 'sh', '-c'];
/** Where the system allows it, numbers of processes have five digits, because agents tell them. */
const UP = '{ echo 10000 > /proc/sys/kernel/ns_last_pid; } 2> /dev/null; ip link set lo up';
const LIMITS = { contextTokens: 200_000, outputTokens: 20_000 };
const SHOWN_WIDTH = 24;
const REFUSALS = { chat: 'openai', responses: 'openai', gemini: 'google' } as const;
/** Options with what each does, as `--help` prints them. */
const OPTIONS = {
  scripts: { type: 'string', of: ' A,B', says: 'only these scripts' },
  newest: { type: 'boolean', of: '', says: 'adds what is not recorded of the newest releases' },
  verify: { type: 'boolean', of: '', says: 'runs what is recorded again, and compares' },
  import: {
    type: 'boolean',
    of: '',
    says: 'compares the sessions that were left with what was sent',
  },
  drift: { type: 'string', of: ' AGENT@A..B', says: 'what changed between two releases' },
  'open-network': {
    type: 'boolean',
    of: '',
    says: 'runs agents where they can reach the internet',
  },
  help: { type: 'boolean', of: '', short: 'h', says: 'prints this' },
} as const;

const { positionals, values } = readArguments();

try {
  await main();
} catch (error) {
  if (!(error instanceof HarnessError)) throw error;
  fail(error.message);
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage());
  const wanted = await wantedReleases();
  const scripts = chosenScripts();
  const isDrift = values.drift !== undefined;
  const unseen = wanted.filter((release) =>
    isDrift ? recordsOf(release).length === 0 : scriptsFor(release, scripts).length > 0,
  );
  if (unseen.length > 0 && process.env[INSIDE] !== '1') {
    const isAlone = spawnSync('unshare', [...ALONE, UP]).status === 0;
    if (!isAlone && !values['open-network']) return refuse();
    useOwnFolder();
    for (const release of unseen) await install(release);
    if (isAlone) return runInside(values.newest ? wanted : []);
  }
  for (const release of unseen) {
    const run = values.import ? tellImport : observe;
    for (const script of scriptsFor(release, scripts))
      await run(release.name, release.version, script);
  }
  if (isDrift) tellDrift(wanted);
  if (values.newest && unseen.length === 0) console.log('All newest releases have their records.');
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    fail(
      `${messageOf(error).split('. ', 1).join()}. 'npm run oracle -- --help' lists the options.`,
    );
    process.exit();
  }
}

function usage(): string {
  const rows = Object.entries(OPTIONS).map(
    ([name, { of, says }]) => `  ${`--${name}${of}`.padEnd(SHOWN_WIDTH)}${says}`,
  );
  return [
    'Usage: npm run oracle -- [AGENT@VERSION ...] [options]',
    'Runs released agents against scripts, and records what they do. Without a release: all that have records.',
    `\nOptions:\n${rows.join('\n')}`,
    `\nAgents: ${Object.keys(agents).join(', ')}`,
    `Scripts: ${scriptNames.join(', ')}`,
  ].join('\n');
}

/** One sentence, and exit code 2. */
function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 2;
}

function refuse(): void {
  fail(
    'This system gives no network of its own (unshare -rnp), so agents could reach the internet. To run them all the same, add --open-network.',
  );
}

/** Has all temporary files in a folder that is deleted at the end. Its path has one length, because agents tell of it. */
function useOwnFolder(): void {
  const folder = mkdtempSync('/tmp/oracle-');
  process.env['TMPDIR'] = folder;
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
}

/** Runs this program again where there is no network but loopback, and where no process outlives the first. */
async function runInside(found: readonly Release[]): Promise<void> {
  const releases = found.map(({ name, version }) => `${name}@${version}`);
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1), ...releases];
  // The shell stays the first process: it takes care of those whose parents are gone.
  const child = start(['unshare', ...ALONE, `${UP} && "$0" "$@"; exit $?`, ...again], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, [INSIDE]: '1' },
  });
  process.exitCode = (await codeOf(child)) ?? 1;
}

/** Releases that were named, else the newest, or all that have records. */
async function wantedReleases(): Promise<readonly Release[]> {
  const { drift } = values;
  if (drift !== undefined) {
    const [, name = '', from = '', to = ''] = /^([^@]+)@(.+?)\.\.(.+)$/.exec(drift) ?? [];
    if (to === '')
      throw badOption(`Expected '--drift' to be as in pi@0.84.3..1.6.0, got ${quoted(drift)}.`);
    return [from, to].map((version) => releaseOf(`${name}@${version}`));
  }
  if (positionals.length > 0) return positionals.map(releaseOf);
  if (values.newest) return await Promise.all((Object.keys(agents) as AgentName[]).map(findNewest));
  return recordedReleases().map(releaseOf);
}

function releaseOf(text: string): Release {
  const [, name = '', version = ''] = /^(.+)@(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(text) ?? [];
  if (Object.hasOwn(agents, name)) return { name: name as AgentName, version };
  const names = Object.keys(agents).join(', ');
  throw badOption(`Expected AGENT@VERSION with an agent of ${names}, got ${quoted(text)}.`);
}

/** Says in words what changed between two releases, which have records by now. */
function tellDrift(releases: readonly Release[]): void {
  const [before, after] = releases.map((release) => factsOf(recordsOf(release)));
  if (before && after) console.log(changeLines(before, after).join('\n'));
}

/** Scripts that a release can run; of the newest only those without a record. */
function scriptsFor(release: Release, scripts: readonly ScriptName[]): readonly ScriptName[] {
  const { name: agent, version } = release;
  const isDone = (script: ScriptName) =>
    values.newest === true && existsSync(recordPath({ agent, version, script }));
  return scripts.filter((script) => canRun(release, script) && !isDone(script));
}

function recordsOf({ name, version }: Release): readonly OracleRecord[] {
  return readRecords().filter((one) => one.agent === name && one.version === version);
}

function recordedReleases(): readonly string[] {
  return [...new Set(readRecords().map(({ agent, version }) => `${agent}@${version}`))];
}

function chosenScripts(): readonly ScriptName[] {
  const given = values.scripts?.split(',') ?? scriptNames;
  const unknown = given.find((name) => !scriptNames.includes(name as ScriptName));
  if (unknown !== undefined)
    throw badOption(
      `Expected '--scripts' to be of ${scriptNames.join(', ')}, got ${quoted(unknown)}.`,
    );
  return given as readonly ScriptName[];
}

/** Says how the sessions that a release left agree with what was sent. */
async function tellImport(name: AgentName, version: string, script: ScriptName): Promise<void> {
  const made = makeScript(script, settingOf(name, version, script));
  const { isEqual, lines } = await checkImport({ name, version }, made);
  console.log(`${name}@${version} ${script}: ${lines.join('\n')}`);
  if (!isEqual) process.exitCode = 1;
}

async function observe(agent: AgentName, version: string, script: ScriptName): Promise<void> {
  const path = recordPath({ agent, version, script });
  const kept = existsSync(path) ? readRecord(path) : undefined;
  if (values.verify && !kept) return;
  // A record keeps the edge that its script was made for, whatever the engine computes today.
  const own = settingOf(agent, version, script);
  const setting = values.verify && kept ? { ...own, ...kept } : own;
  const made = makeScript(script, setting);
  const driven = await drive({ name: agent, version }, made);
  if (driven.requests.length === 0) {
    console.error(
      `${agent}@${version} ${script}: asked nothing; ORACLE_LOG=1 shows its own words.`,
    );
    process.exitCode = 1;
    return;
  }
  const { edgeTokens, refusal } = setting;
  const record: OracleRecord = RecordSchema.parse({
    recordVersion: 1,
    agent,
    version,
    script,
    observed: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
    contextTokens: setting.contextTokens,
    outputTokens: setting.outputTokens,
    edgeTokens,
    refusal,
    requests: toRequests(driven.requests),
    end: driven.end,
  });
  if (values.verify && kept) return tellVerified(kept, record);
  // The day is the first on which this was seen.
  if (!isDeepStrictEqual({ ...record, observed: kept?.observed }, kept)) writeRecord(record);
  tellDifferences(record);
}

function tellDifferences(record: OracleRecord): void {
  const { agent, version, script } = record;
  const policy = claimOf(agent as AgentName, version);
  if (policy === undefined) {
    console.log(`${agent}@${version} ${script}: no preset claims it`);
    return;
  }
  const different = Object.entries(differencesOf(record, policy));
  const verb = different.length === 0 ? 'as' : 'DIFFERS from';
  console.log(`${agent}@${version} ${script}: ${verb} ${policy.name}`);
  for (const [field, { seen, expected }] of different)
    console.log(`  ${field}: seen ${seen}\n  ${field}: expected ${expected}`);
}

function settingOf(name: AgentName, version: string, script: ScriptName): Setting {
  const agent: Agent = agents[name];
  const own = agent.limits?.(version) ?? LIMITS;
  const limits = needOf(script) === 'window' ? SMALL_LIMITS : own;
  const settings = agent.settings?.(version);
  const setting = { ...limits, ...known({ settings }), refusal: REFUSALS[agent.dialect] };
  const policy = claimOf(name, version);
  const edgeTokens = policy && edgeOf(policy, { ...setting, edgeTokens: 0 }, script);
  return { ...setting, edgeTokens: edgeTokens ?? Math.floor(limits.contextTokens * 0.9) };
}

/** In the middle of the first turn or of a later one, or at a turn's end of a policy that compacts only there. */
function edgeOf(policy: Policy, setting: Setting, script: ScriptName): number | undefined {
  const edgeIn = (name: ScriptName, slackTokens = 0) =>
    findEdge(policy, setting, (tokens) =>
      makeScript(name, { ...setting, refusal: REFUSALS.chat, edgeTokens: tokens - slackTokens }),
    );
  const need = needOf(script);
  if (need === 'window' || need === 'settings') return edgeIn(script);
  return edgeIn('edge') ?? edgeIn('several-prompts') ?? edgeIn('edge-at-end', SLACK_TOKENS);
}

function tellVerified(kept: OracleRecord, seen: OracleRecord): void {
  const lines = renderDifferences(kept, seen);
  const state = lines.length === 0 ? 'equal' : 'DIFFERS';
  console.log(`${kept.agent}@${kept.version} ${kept.script}: ${state}`);
  for (const line of lines) console.log(`  ${line}`);
  if (lines.length > 0) process.exitCode = 1;
}
