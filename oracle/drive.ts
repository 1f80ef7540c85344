/** Runs an agent headless against a scripted server in a home of its own. */

import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createScriptedServer,
  type LoggedRequest,
  outputMark,
  SKILL,
} from '../src/simulator/provider/scripted/server.ts';
import type { SentRequest } from '../src/simulator/provider/scripted/dialects.ts';
import type { ProviderScript } from '../src/simulator/provider/scripted/script.ts';
import { printedOf } from './expect.ts';
import { needOf, type ScriptName, scriptNames } from './scripts.ts';
import type { OracleRecord } from './record.ts';
import { type Agent, agents, type Place } from './agents.ts';
import { fetchedFolders, ownEnv, programFolders, type Release } from './install.ts';
import { codeOf, end, start } from './processes.ts';
import { steadyFacts } from './steady.ts';

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

/** Tests if a release has what a script needs. */
export function canRun({ name, version }: Release, script: ScriptName): boolean {
  const { clock, switchesModel, limits, settings }: Agent = agents[name];
  const has = {
    clock: clock !== undefined,
    'second-model': switchesModel === true,
    window: limits === undefined,
    settings: settings?.(version) !== undefined,
  };
  const need = needOf(script);
  return need === undefined || has[need];
}

/** Scripts with records, of those that releases of an agent can run: `17 of 32`, or `17 to 28 of 32`. */
export function coverageOf(releases: readonly Release[], records: readonly OracleRecord[]): string {
  const seen = releases.map(
    ({ name, version }) =>
      records.filter((one) => one.agent === name && one.version === version).length,
  );
  const possible = releases.map(
    (release) => scriptNames.filter((script) => canRun(release, script)).length,
  );
  const [least, most] = [Math.min(...seen), Math.max(...seen)];
  return `${least === most ? '' : `${least} to `}${most} of ${Math.max(...possible)}`;
}

/** Runs a script from its first prompt to its last. */
export async function drive(
  release: Release,
  script: ProviderScript,
  onLeft: OnLeft = () => {},
): Promise<Driven> {
  const agent: Agent = agents[release.name];
  const sent: SentRequest[] = [];
  const { server, requests, startTurn } = createScriptedServer(script, {
    onRequest: (_logged, request) => void sent.push(request),
  });
  await new Promise<void>((resolve) => {
    server.listen(0, HOST, resolve);
  });
  const port = portOf(server);
  const [home, work] = [join(tmpdir(), 'home'), join(tmpdir(), 'work')];
  const fetched = fetchedFolders(release);
  const bin = programFolders(release).join(delimiter);
  const ownPort = await freePort();
  const url = `http://${HOST}:${port}`;
  const { version } = release;
  const place: Place = { home, work, bin, fetched, url, version, script, ownPort };
  let served: ChildProcess | undefined;
  try {
    prepare(agent, place);
    served = await serve(agent, place);
    const how = await askAll(agent, place, startTurn);
    if (served) {
      end(served);
      await codeOf(served);
    }
    onLeft(home);
    return { requests: steadyFacts(requests, sent, script), sent, end: how };
  } finally {
    if (served) end(served);
    server.closeAllConnections();
    server.close();
    for (const folder of [home, work])
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
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
  const child = startAgent(agent, place, { command, clockMs: 0 });
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
  spawnSync('git', ['init', '--quiet', place.work], { env: ownEnv(place.home) });
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
  const head = ['---', `name: ${SKILL}`, 'description: How numbers are printed here.', '---', ''];
  const text = [...head, printedOf(outputMark(0), SKILL_LINES)].join('\n');
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

function startAgent(agent: Agent, place: Place, { command, clockMs }: Line): ChildProcess {
  const log = process.env['ORACLE_LOG'] === '1' ? 'inherit' : 'ignore';
  const { home, bin } = place;
  const env = {
    ...ownEnv(home, bin),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    ...agent.env?.(place),
    ...clockOf(agent, place, clockMs),
  };
  return start(command, { cwd: place.work, env, stdio: ['ignore', log, log] });
}

async function runCommand(agent: Agent, place: Place, line: Line): Promise<Driven['end']> {
  const child = startAgent(agent, place, line);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end(child);
  }, LONGEST_TURN_MS);
  const code = await codeOf(child);
  clearTimeout(timer);
  if (isLate) return 'timeout';
  return code === 0 ? 'completed' : 'failed';
}

function clockOf({ clock }: Agent, { home }: Place, clockMs: number): NodeJS.ProcessEnv {
  if (clock === undefined || clockMs === 0) return {};
  const file = join(home, 'clock.cjs');
  return { NODE_OPTIONS: `--require=${file}`, ORACLE_CLOCK_MS: `${clockMs}` };
}
