/** Titles of sessions and the files that they changed, turn by turn. */

import { buildSessionSummary, type SnapshotDiff, type Snapshots } from '../../engine/index.ts';
import type { Session } from '../session/session.ts';
import { type Block, renderTerminal, type Text, untrusted } from './document.ts';
import { unreadList } from './run-notes.ts';
import { jsonText } from './markup.ts';
import { countOf, formatCount, UNKNOWN } from './numbers.ts';
import { describeOrigin, type Origin } from './origin.ts';
import type { Terminal, UnreadInput } from './report.ts';

/** The recaps of some sessions. */
export interface RecapReport {
  readonly origin: Origin;
  readonly sessions: readonly SessionRecap[];
  readonly unread: readonly UnreadInput[];
}

/** A session in short. */
export interface SessionRecap {
  readonly session: string;
  /** Of the first turn that has one. */
  readonly title?: string;
  readonly changes: Changes;
  readonly turns: readonly TurnRecap[];
}

/** A turn in short. */
interface TurnRecap {
  readonly messageId: string;
  readonly title?: string;
  /** The last text that the model wrote. */
  readonly body?: string;
  readonly changes: Changes;
}

/** Files that changed with their lines, or why that is not known. */
type Changes =
  | {
      readonly state: 'known';
      readonly additions: number;
      readonly deletions: number;
      readonly files: readonly FileChange[];
    }
  | { readonly state: 'unknown'; readonly reason: string };

interface FileChange {
  readonly file: string;
  readonly additions: number;
  readonly deletions: number;
}

const COLUMNS = [
  { title: 'Turn' },
  { title: 'Files' },
  { title: 'Added' },
  { title: 'Deleted' },
  { title: 'Title', holds: 'words' },
] as const;

const REASONS = {
  'no-start-snapshot': 'no step names a snapshot from before it',
  'no-finish-snapshot': 'no step names a snapshot from after it',
  'snapshot-not-given': "a snapshot is not there; '--snapshots' names where they are",
} as const;

/** How recaps are written down, by name; the default first. */
export const recapFormats = {
  table: (report, terminal) =>
    renderTerminal(recapDocument(report), { ...terminal, details: true }, 'json'),
  json: (report) => jsonText(report),
} satisfies Record<string, (report: RecapReport, terminal: Terminal) => string>;

/** Sums up a session with the snapshots that it names. */
export function recapSession(
  { name, messages }: Pick<Session, 'name' | 'messages'>,
  snapshots: Snapshots,
): SessionRecap {
  const { diff, messages: prompts } = buildSessionSummary(messages, snapshots);
  const turns = prompts.map(({ diff: own, ...turn }) => ({ ...turn, changes: changesOf(own) }));
  const title = turns.find((turn) => turn.title !== undefined)?.title;
  return { session: name, ...(title !== undefined && { title }), changes: changesOf(diff), turns };
}

function changesOf(diff: SnapshotDiff): Changes {
  if (diff.state === 'unknown') return { state: 'unknown', reason: REASONS[diff.reason] };
  const files = diff.files.map(({ file, additions, deletions }) => ({
    file,
    additions,
    deletions,
  }));
  const { additions, deletions } = diff.totals;
  return { state: 'known', additions, deletions, files };
}

function recapDocument({ origin, sessions, unread }: RecapReport): readonly Block[] {
  return [
    ...sessions.flatMap(blocksOf),
    unreadList(unread),
    { type: 'lines', lines: [describeOrigin(origin)] },
  ];
}

function blocksOf({ session, changes, turns }: SessionRecap): readonly Block[] {
  return [
    { type: 'lines', lines: [[untrusted(session), ': ', ...describeChanges(changes)]] },
    { type: 'table', columns: COLUMNS, rows: turns.map(toRow) },
    { type: 'list', title: 'Files', items: itemsOf(changes) },
  ];
}

function describeChanges(changes: Changes): readonly Text[] & readonly string[] {
  if (changes.state === 'unknown') return [`changes unknown: ${changes.reason}.`];
  const { additions, deletions, files } = changes;
  const lines = `${formatCount(additions)} lines added, ${formatCount(deletions)} deleted`;
  return [`${countOf(files.length, 'file')} changed, ${lines}.`];
}

function itemsOf(changes: Changes): readonly Text[] {
  if (changes.state === 'unknown') return [];
  return changes.files.map(({ file, additions, deletions }) => [
    untrusted(file),
    `: +${formatCount(additions)} −${formatCount(deletions)}`,
  ]);
}

function toRow({ title, changes }: TurnRecap, index: number): readonly Text[] {
  const named = title === undefined ? UNKNOWN : untrusted(title);
  const numbers =
    changes.state === 'unknown'
      ? [UNKNOWN, UNKNOWN, UNKNOWN]
      : [changes.files.length, changes.additions, changes.deletions].map(formatCount);
  return [formatCount(index + 1), ...numbers, named];
}
