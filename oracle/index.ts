/** `npm run oracle`: runs real agents against scripts, and keeps or compares what they did. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { Policy } from '../src/engine/index.ts';
import { agents, type Agent, type AgentName, type ModelLimits } from './agents.ts';
import { claimOf } from './claims.ts';
import { canRun, drive } from './drive.ts';
import { driftOf, factsOf } from './facts.ts';
import { checkImport } from './import-check.ts';
import { install, type Release } from './install.ts';
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
import { makeScript, type ScriptName, scriptNames, type Setting, SLACK_TOKENS } from './scripts.ts';
import { findEdge } from './expect.ts';
import { differencesOf } from './compare.ts';

/** Marks the process that runs where there is no network but loopback. */
const INSIDE = 'COMPACTION_BENCH_ORACLE_INSIDE';
const ALONE = ['-rnp', '--fork', '--mount-proc', 'sh', '-c'];
/** Where the system allows it, numbers of processes have five digits, because agents tell them. */
const UP = '{ echo 10000 > /proc/sys/kernel/ns_last_pid; } 2> /dev/null; ip link set lo up';
const LIMITS = { contextTokens: 200_000, outputTokens: 20_000 };
const REFUSALS = { chat: 'openai', responses: 'openai', gemini: 'google' } as const;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    scripts: { type: 'string' },
    verify: { type: 'boolean' },
    import: { type: 'boolean' },
    drift: { type: 'string' },
    'open-network': { type: 'boolean' },
  },
});

await main();

async function main(): Promise<void> {
  const wanted = wantedReleases();
  const scripts = chosenScripts();
  if (process.env[INSIDE] !== '1') {
    const isAlone = spawnSync('unshare', [...ALONE, UP]).status === 0;
    if (!isAlone && !values['open-network']) return refuse();
    useOwnFolder();
    for (const release of wanted) await install(release);
    if (isAlone) return runInside();
  }
  if (values.drift !== undefined) return tellDrift(wanted);
  for (const { name, version } of wanted) {
    const possible = scripts.filter((script) => canRun(agents[name], script));
    const run = values.import ? tellImport : observe;
    for (const script of possible) await run(name, version, script);
  }
}

function refuse(): void {
  console.error(
    'This system gives no network of its own (unshare -rnp), so agents could reach the internet. To run them all the same, add --open-network.',
  );
  process.exitCode = 2;
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
async function runInside(): Promise<void> {
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  // The shell stays the first process: it takes care of those whose parents are gone.
  const child = start(['unshare', ...ALONE, `${UP} && "$0" "$@"; exit $?`, ...again], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, [INSIDE]: '1' },
  });
  process.exitCode = (await codeOf(child)) ?? 1;
}

/** Releases that were named, else all that have records. */
function wantedReleases(): readonly Release[] {
  const { drift } = values;
  if (drift !== undefined) {
    const [, name = '', from = '', to = ''] = /^([^@]+)@(.+)\.\.(.+)$/.exec(drift) ?? [];
    return [from, to].map((version) => releaseOf(`${name}@${version}`));
  }
  return (positionals.length > 0 ? positionals : recordedReleases()).map(releaseOf);
}

function releaseOf(text: string): Release {
  const [name = '', version = ''] = text.split('@');
  if (Object.hasOwn(agents, name) && version !== '') return { name: name as AgentName, version };
  const names = Object.keys(agents).join(', ');
  throw new Error(`Expected AGENT@VERSION with an agent of ${names}, got ${text}.`);
}

/** Says in words what changed between two releases; what is not recorded yet is run first. */
async function tellDrift(releases: readonly Release[]): Promise<void> {
  const facts = [];
  for (const { name, version } of releases) {
    for (const script of missingScripts(name, version)) await observe(name, version, script);
    facts.push(factsOf(recordsOf(name, version)));
  }
  const [before, after] = facts;
  const changes = before && after ? driftOf(before, after) : [];
  console.log(changes.length === 0 ? 'No difference in what is observed.' : changes.join('\n'));
}

function recordsOf(name: string, version: string): readonly OracleRecord[] {
  return readRecords().filter((one) => one.agent === name && one.version === version);
}

function missingScripts(name: AgentName, version: string): readonly ScriptName[] {
  const known = new Set(recordsOf(name, version).map(({ script }) => script));
  return scriptNames.filter((script) => !known.has(script) && canRun(agents[name], script));
}

function recordedReleases(): readonly string[] {
  return [...new Set(readRecords().map(({ agent, version }) => `${agent}@${version}`))];
}

function chosenScripts(): readonly ScriptName[] {
  const given = values.scripts?.split(',') ?? scriptNames;
  const unknown = given.find((name) => !scriptNames.includes(name as ScriptName));
  if (unknown !== undefined)
    throw new Error(`Expected one of ${scriptNames.join(', ')}, got ${unknown}.`);
  return given as readonly ScriptName[];
}

/** Says how the sessions that a release left agree with what was sent. */
async function tellImport(name: AgentName, version: string, script: ScriptName): Promise<void> {
  const made = makeScript(script, settingOf(name, version));
  const { isEqual, lines } = await checkImport({ name, version }, made);
  console.log(`${name}@${version} ${script}: ${lines.join('\n')}`);
  if (!isEqual) process.exitCode = 1;
}

async function observe(name: AgentName, version: string, script: ScriptName): Promise<void> {
  const setting = settingOf(name, version);
  const made = makeScript(script, setting);
  const driven = await drive({ name, version }, made);
  if (driven.requests.length === 0) {
    console.error(`${name}@${version} ${script}: asked nothing; ORACLE_LOG=1 shows its own words.`);
    process.exitCode = 1;
    return;
  }
  const { edgeTokens, refusal } = setting;
  const record: OracleRecord = RecordSchema.parse({
    recordVersion: 1,
    agent: name,
    version,
    script,
    observed: new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
    contextTokens: setting.contextTokens,
    outputTokens: setting.outputTokens,
    edgeTokens,
    refusal,
    requests: toRequests(driven),
    end: driven.end,
  });
  const path = recordPath(record);
  const kept = existsSync(path) ? readRecord(path) : undefined;
  if (values.verify && kept) return verify(record, kept);
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

function settingOf(name: AgentName, version: string): Setting {
  const agent: Agent = agents[name];
  const limits = agent.limits?.(version) ?? LIMITS;
  const refusal = REFUSALS[agent.dialect];
  const policy = claimOf(name, version);
  const edgeTokens = policy && edgeOf(policy, limits);
  return { ...limits, refusal, edgeTokens: edgeTokens ?? Math.floor(limits.contextTokens * 0.9) };
}

/** In the middle of the first turn or of a later one, or at a turn's end of a policy that compacts only there. */
function edgeOf(policy: Policy, limits: ModelLimits): number | undefined {
  const setting = { ...limits, refusal: REFUSALS.chat };
  const edgeIn = (script: ScriptName, slackTokens = 0) =>
    findEdge(policy, limits, (tokens) =>
      makeScript(script, { ...setting, edgeTokens: tokens - slackTokens }),
    );
  return edgeIn('edge') ?? edgeIn('several-prompts') ?? edgeIn('edge-at-end', SLACK_TOKENS);
}

/** Without its day, and without sizes, in which an agent may name its system. */
function comparable({ observed: _observed, requests, ...rest }: OracleRecord) {
  return { ...rest, requests: requests.map((request) => ({ ...request, chars: 0 })) };
}

function verify(record: OracleRecord, kept: OracleRecord): void {
  const isSame = isDeepStrictEqual(comparable(kept), comparable(record));
  console.log(
    `${record.agent}@${record.version} ${record.script}: ${isSame ? 'equal' : 'DIFFERS'}`,
  );
  if (!isSame) process.exitCode = 1;
}
