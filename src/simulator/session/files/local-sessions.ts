import { join } from 'node:path';
import type { Environment } from '../../env.ts';
import { HarnessError, unlessWrongInput } from '../../lib/errors.ts';
import { statOf } from '../../lib/files.ts';
import { discoverSessionFiles } from './discover.ts';
import { kindOf } from './folder.ts';

/** An agent, and where it keeps the sessions of a user. */
export interface SessionPlace {
  readonly agent: string;
  readonly paths: readonly string[];
}

interface Home {
  readonly home: string;
  /** Data of programs: `XDG_DATA_HOME`, or `~/.local/share`. */
  readonly data: string;
  readonly env: Environment;
}

interface LocalSessions {
  readonly agents: readonly { readonly agent: string; readonly files: readonly string[] }[];
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

const EDITORS = ['Code', 'Code - Insiders', 'Cursor', 'VSCodium', 'Windsurf'];
const CLINE = 'saoudrizwan.claude-dev';
const ROO_CODE = 'rooveterinaryinc.roo-cline';

/** Sources: `docs/reference/places.md`, which lists the same places. */
const PLACES: Readonly<Record<string, (home: Home) => readonly string[]>> = {
  'Claude Code': ({ home, env }) => [
    join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects'),
    join(home, '.config', 'claude', 'projects'),
  ],
  Codex: ({ home, env }) => {
    const folder = env['CODEX_HOME'] || join(home, '.codex');
    return [join(folder, 'sessions'), join(folder, 'archived_sessions')];
  },
  OpenCode: ({ data, env }) => [
    env['OPENCODE_DB'] || join(data, 'opencode', 'opencode.db'),
    join(data, 'opencode', 'storage'),
  ],
  Kilo: ({ data }) => [join(data, 'kilo', 'kilo.db')],
  'Gemini CLI': ({ home }) => [join(home, '.gemini', 'tmp')],
  'Qwen Code': ({ home }) => [join(home, '.qwen', 'projects'), join(home, '.qwen', 'tmp')],
  Kimi: ({ home }) => [join(home, '.kimi-code', 'sessions'), join(home, '.kimi', 'sessions')],
  pi: ({ home, env }) => [
    join(env['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent'), 'sessions'),
  ],
  Cline: (where) => [join(where.home, '.cline', 'data'), ...ofEditors(where, CLINE)],
  'Roo Code': (where) => ofEditors(where, ROO_CODE),
  Continue: ({ home, env }) => [
    join(env['CONTINUE_GLOBAL_DIR'] || join(home, '.continue'), 'sessions'),
  ],
  nanocoder: ({ data, env }) => [
    join(env['NANOCODER_DATA_DIR'] || join(data, 'nanocoder'), 'sessions'),
  ],
  Droid: ({ home }) => [join(home, '.factory', 'sessions')],
  'Copilot CLI': ({ home }) => [join(home, '.copilot', 'session-state')],
  Goose: ({ data }) => [join(data, 'goose', 'sessions')],
};

const WRITE_AHEAD = '-wal';

/** The folder of a user; empty where there is none. */
export function homeIn(env: Environment): string {
  return env['HOME'] || env['USERPROFILE'] || '';
}

/** The places of all agents for a user; none where there is no home. */
export function sessionPlaces(env: Environment): readonly SessionPlace[] {
  const home = homeIn(env);
  if (home === '') return [];
  const data = env['XDG_DATA_HOME'] || join(home, '.local', 'share');
  return Object.entries(PLACES).map(([agent, pathsOf]) => ({
    agent,
    paths: [...new Set(pathsOf({ home, data, env }))],
  }));
}

/** The places of the agent that a preset is of, by the name of its origin; none where nobody knows. */
export function placesOf(agent: string, env: Environment): readonly string[] {
  const found = sessionPlaces(env).find((place) => agent.startsWith(place.agent));
  return found?.paths ?? [];
}

/** The session files in these places that were changed since a time in ms. */
export function findLocalSessions(places: readonly SessionPlace[], sinceMs: number): LocalSessions {
  const unread: { file: string; reason: string }[] = [];
  const seen = new Set<string>();
  const isNew = (path: string) => (statOf(path)?.mtimeMs ?? 0) >= sinceMs;
  const agents = places.map(({ agent, paths }) => {
    const found = paths.filter((path) => kindOf(path) !== undefined).map(search);
    unread.push(...found.flatMap(({ unread: one }) => one));
    const files = found.flatMap(({ files: some }) => some).filter((file) => !seen.has(file));
    for (const file of files) seen.add(file);
    return { agent, files: files.filter((file) => isNew(file) || isNew(`${file}${WRITE_AHEAD}`)) };
  });
  return { agents: agents.filter(({ files }) => files.length > 0), unread };
}

function search(path: string) {
  const found = unlessWrongInput(() => discoverSessionFiles([path]));
  if (!(found instanceof HarnessError)) {
    const unread = found.unread.map((one) => ({ file: one.path, reason: one.reason }));
    return { files: found.files, unread };
  }
  const isEmpty = found.code === 'NO_INPUT';
  return { files: [], unread: isEmpty ? [] : [{ file: path, reason: found.message }] };
}

function ofEditors({ home, env }: Home, extension: string): readonly string[] {
  const roots = [
    join(home, '.config'),
    join(home, 'Library', 'Application Support'),
    ...(env['APPDATA'] ? [env['APPDATA']] : []),
  ];
  return roots.flatMap((root) =>
    EDITORS.map((editor) => join(root, editor, 'User', 'globalStorage', extension, 'tasks')),
  );
}
