import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionPlaces } from '../../../../src/simulator/session/files/local-sessions.ts';

const DOCS = resolve(import.meta.dirname, '../../../../docs/reference/places.md');
const placesOf = (env: Readonly<Record<string, string>>) =>
  new Map(sessionPlaces(env).map(({ agent, paths }) => [agent, paths]));

describe('sessionPlaces', () => {
  it('are where agents keep their sessions in a home', () => {
    const places = placesOf({ HOME: '/home/me' });
    expect(places.get('Claude Code')?.[0]).toBe('/home/me/.claude/projects');
    expect(places.get('Codex')).toEqual([
      '/home/me/.codex/sessions',
      '/home/me/.codex/archived_sessions',
    ]);
    expect(places.get('OpenCode')?.[0]).toBe('/home/me/.local/share/opencode/opencode.db');
    expect(places.get('Cline')).toContain(
      '/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks',
    );
  });

  it('follow the variables that move them', () => {
    const places = placesOf({
      HOME: '/home/me',
      CLAUDE_CONFIG_DIR: '/a',
      CODEX_HOME: '/b',
      XDG_DATA_HOME: '/c',
      PI_CODING_AGENT_DIR: '/d',
    });
    expect(places.get('Claude Code')?.[0]).toBe(join('/a', 'projects'));
    expect(places.get('Codex')?.[0]).toBe(join('/b', 'sessions'));
    expect(places.get('Kilo')).toEqual([join('/c', 'kilo', 'kilo.db')]);
    expect(places.get('pi')).toEqual([join('/d', 'sessions')]);
  });

  it('are none without a home', () => {
    expect(sessionPlaces({})).toEqual([]);
  });

  it('are listed in docs/reference/places.md', () => {
    const page = readFileSync(DOCS, 'utf8');
    const listed = sessionPlaces({ HOME: '~' }).flatMap(({ paths }) => paths.slice(0, 1));
    expect(listed.filter((path) => !page.includes(`\`${path}`))).toEqual([]);
  });
});
