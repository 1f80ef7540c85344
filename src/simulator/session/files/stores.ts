/** Passes over files that agents keep beside their sessions. */

import type { FoundEntry } from './folder.ts';

/** A folder of an agent, told by some of its entries, of which only some hold sessions. */
interface Store {
  readonly marks: readonly string[];
  readonly leastMarks: number;
  /** Entries with sessions, at least one of which is there. */
  readonly holds: readonly string[];
}

const HOME_MARKS =
  'auth.json config.json config.toml config.yaml device_id extensions file-history globalState.json ' +
  'history history.jsonl index installation_id logs mcp-config.json mcp.json models-store.json ' +
  'models.json output-language.md permissions.yaml plugins projects.json secrets.json ' +
  'session_index.jsonl settings settings.json shell-snapshots skills statsig todos usage workspaces.json';

/** Folders with sessions among much else. Sources: what each agent left after a run, and `docs/sessions.md`. */
const STORES: readonly Store[] = [
  storeOf(HOME_MARKS, 'archived_sessions projects session-state sessions tasks tmp', 2),
  storeOf('kilo.db opencode.db', 'kilo.db opencode.db storage'),
  storeOf('extract-cursor.json logs.json memory meta.json tool-outputs', 'chats'),
  storeOf('notify state.json', 'agents'),
  storeOf('checkpoints workspace.yaml', 'events.jsonl'),
  storeOf('context.jsonl', 'context.jsonl context_sub.jsonl subagents'),
  storeOf('api_conversation_history.json', 'api_conversation_history.json'),
  storeOf('task_metadata.json', 'ui_messages.json'),
];

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl?$/;
const INDEX = /^sessions(?:-index)?\.json$/;
const BESIDE = /^(.+)\.(?:meta|settings)\.json$/;

/** Entries of a folder without what an agent keeps beside its sessions. */
export function withoutSurroundings(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const names = new Set(entries.map(({ name }) => name));
  const count = (list: readonly string[]) => list.filter((name) => names.has(name)).length;
  const store = STORES.find(
    ({ marks, leastMarks, holds }) => count(marks) >= leastMarks && count(holds) > 0,
  );
  const isKept = (name: string) => store?.holds.includes(name) ?? !isBeside(name, names);
  return entries.filter(({ name }) => isKept(name));
}

function isBeside(name: string, names: ReadonlySet<string>): boolean {
  // Cline writes messages into a file of their own, and its newest compaction into another.
  const messages = name.replace(/(?:\.compaction)?\.json$/, '.messages.json');
  if (name.endsWith('.json') && names.has(messages)) return true;
  if (names.has(`${BESIDE.exec(name)?.[1] ?? ''}.jsonl`)) return true;
  if (INDEX.test(name) && [...names].some((other) => ID.test(other))) return true;
  // OpenCode keeps lists of changes there even where its sessions are in a database.
  return name === 'session_diff' || (name === 'projects.json' && names.has('sessions'));
}

function storeOf(marks: string, holds: string, leastMarks = 1): Store {
  return { marks: marks.split(' '), leastMarks, holds: holds.split(' ') };
}
