import { join } from 'node:path';
import type { Environment } from '../../env.ts';

/** An agent, and where it keeps the sessions of a user. */
export interface SessionPlace {
  readonly agent: string;
  /** Folders and files, the likeliest first; most of them do not exist. */
  readonly paths: readonly string[];
}

interface Home {
  readonly home: string;
  /** Data of programs: `XDG_DATA_HOME`, or `~/.local/share`. */
  readonly data: string;
  readonly env: Environment;
}

/** Extensions of editors keep their files below these folders of the editor. */
const EDITORS = ['Code', 'Code - Insiders', 'Cursor', 'VSCodium', 'Windsurf'];
const CLINE = 'saoudrizwan.claude-dev';
const ROO_CODE = 'rooveterinaryinc.roo-cline';

/** Sources: `docs/sessions.md`, which lists the same places. */
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

/** The places of all agents for a user; none where there is no home. */
export function sessionPlaces(env: Environment): readonly SessionPlace[] {
  const home = env['HOME'] || env['USERPROFILE'];
  if (!home) return [];
  const data = env['XDG_DATA_HOME'] || join(home, '.local', 'share');
  return Object.entries(PLACES).map(([agent, pathsOf]) => ({
    agent,
    paths: [...new Set(pathsOf({ home, data, env }))],
  }));
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
