/** Passes over files that agents keep beside their sessions. */

import type { FoundEntry } from './folder.ts';

/** A folder of an agent, and the entries of it that hold sessions. */
interface Store {
  /** Entries that tell the folder, and how many of them do. */
  readonly marks: readonly string[];
  readonly leastMarks: number;
  /** At least one of them is there. */
  readonly holds: readonly string[];
}

/** Tells from the entries of a folder which of its names are no sessions. */
type Rule = (names: ReadonlySet<string>) => (name: string) => boolean;

/** Entries of the homes of agents. */
const HOME_MARKS = [
  'auth.json',
  'config.json',
  'config.toml',
  'config.yaml',
  'device_id',
  'extensions',
  'file-history',
  'globalState.json',
  'history',
  'history.jsonl',
  'index',
  'installation_id',
  'logs',
  'mcp-config.json',
  'mcp.json',
  'models-store.json',
  'models.json',
  'output-language.md',
  'permissions.yaml',
  'plugins',
  'projects.json',
  'secrets.json',
  'session_index.jsonl',
  'settings',
  'settings.json',
  'shell-snapshots',
  'skills',
  'statsig',
  'todos',
  'usage',
  'workspaces.json',
];

/** Folders with sessions among much else. Sources: what each agent left after a run, and `docs/sessions.md`. */
const STORES: readonly Store[] = [
  {
    marks: HOME_MARKS,
    leastMarks: 2,
    holds: ['archived_sessions', 'projects', 'session-state', 'sessions', 'tasks', 'tmp'],
  },
  {
    marks: ['kilo.db', 'opencode.db'],
    leastMarks: 1,
    holds: ['kilo.db', 'opencode.db', 'storage'],
  },
  {
    marks: ['extract-cursor.json', 'logs.json', 'memory', 'meta.json', 'tool-outputs'],
    leastMarks: 1,
    holds: ['chats'],
  },
  { marks: ['notify', 'state.json'], leastMarks: 1, holds: ['agents'] },
  { marks: ['checkpoints', 'workspace.yaml'], leastMarks: 1, holds: ['events.jsonl'] },
  {
    marks: ['context.jsonl'],
    leastMarks: 1,
    holds: ['context.jsonl', 'context_sub.jsonl', 'subagents'],
  },
  {
    marks: ['api_conversation_history.json'],
    leastMarks: 1,
    holds: ['api_conversation_history.json'],
  },
  { marks: ['task_metadata.json'], leastMarks: 1, holds: ['ui_messages.json'] },
];

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl?$/;
const BESIDE = /^(.+)\.(?:meta|settings)\.json$/;

/** Single files beside sessions. */
const RULES: readonly Rule[] = [
  // Cline writes messages into a file of their own, and its newest compaction into another.
  (names) => (name) =>
    name.endsWith('.json') && names.has(name.replace(/(?:\.compaction)?\.json$/, '.messages.json')),
  (names) => (name) => names.has(`${BESIDE.exec(name)?.[1] ?? ''}.jsonl`),
  (names) => (name) =>
    /^sessions(?:-index)?\.json$/.test(name) && [...names].some((other) => ID.test(other)),
  (names) => (name) => name === 'projects.json' && names.has('sessions'),
  // OpenCode keeps lists of changes there even where its sessions are in a database.
  () => (name) => name === 'session_diff',
];

/** Entries of a folder without what an agent keeps beside its sessions. */
export function withoutSurroundings(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const names = new Set(entries.map(({ name }) => name));
  const count = (list: readonly string[]) => list.filter((name) => names.has(name)).length;
  const store = STORES.find(
    ({ marks, leastMarks, holds }) => count(marks) >= leastMarks && count(holds) > 0,
  );
  const held = new Set(store?.holds);
  const rules = RULES.map((rule) => rule(names));
  return entries.filter(({ name }) => {
    if (store !== undefined) return held.has(name);
    return !rules.some((isBeside) => isBeside(name));
  });
}
