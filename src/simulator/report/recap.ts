import { buildSessionSummary, type SnapshotDiff, type Snapshots } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import type { Session } from '../session/session.ts';
import { type Block, linesOf, listOf, renderTerminal, untrusted } from './document.ts';
import { jsonText } from './markup.ts';
import { countOf, formatCount, UNKNOWN } from './numbers.ts';
import { describeOrigin, type Origin, unreadList } from './origin.ts';
import type { UnreadInput } from './report.ts';
import type { Terminal } from './layout.ts';

interface RecapReport {
  readonly origin: Origin;
  readonly sessions: readonly SessionRecap[];
  readonly unread: readonly UnreadInput[];
}

export type SessionRecap = ReturnType<typeof recapSession>;

type Changes = ReturnType<typeof changesOf>;

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

export const recapFormats = {
  table: (report, terminal) =>
    renderTerminal(recapDocument(report), { ...terminal, details: true }, 'json'),
  json: (report) => jsonText(report),
} satisfies Record<string, (report: RecapReport, terminal: Terminal) => string>;

/** Titled by the first turn that has a title. */
export function recapSession(
  { name, messages }: Pick<Session, 'name' | 'messages'>,
  snapshots: Snapshots,
) {
  const { diff, messages: prompts } = buildSessionSummary(messages, snapshots);
  const turns = prompts.map(({ diff: own, ...turn }) => ({ ...turn, changes: changesOf(own) }));
  const title = turns.find((turn) => turn.title !== undefined)?.title;
  return { session: name, ...known({ title }), changes: changesOf(diff), turns };
}

function changesOf(diff: SnapshotDiff) {
  if (diff.state === 'unknown') return { state: 'unknown', reason: REASONS[diff.reason] } as const;
  const { additions, deletions } = diff.totals;
  const files = diff.files.map(({ file, ...lines }) => {
    return { file, additions: lines.additions, deletions: lines.deletions };
  });
  return { state: 'known', additions, deletions, files } as const;
}

function recapDocument({ origin, sessions, unread }: RecapReport): readonly Block[] {
  return [
    ...sessions.flatMap(({ session, changes, turns }): readonly Block[] => [
      linesOf([[untrusted(session), ': ', describeChanges(changes)]]),
      { type: 'table', columns: COLUMNS, rows: turns.map(toRow) },
      listOf(
        'Files',
        (changes.state === 'known' ? changes.files : []).map(({ file, additions, deletions }) => [
          untrusted(file),
          `: +${formatCount(additions)} −${formatCount(deletions)}`,
        ]),
      ),
    ]),
    unreadList(unread),
    linesOf([describeOrigin(origin)]),
  ];
}

function describeChanges(changes: Changes) {
  if (changes.state === 'unknown') return `changes unknown: ${changes.reason}.`;
  const { additions, deletions, files } = changes;
  const lines = `${formatCount(additions)} lines added, ${formatCount(deletions)} deleted`;
  return `${countOf(files.length, 'file')} changed, ${lines}.`;
}

function toRow({ title, changes }: SessionRecap['turns'][number], index: number) {
  const numbers =
    changes.state === 'unknown'
      ? [UNKNOWN, UNKNOWN, UNKNOWN]
      : [changes.files.length, changes.additions, changes.deletions].map(formatCount);
  const named = title === undefined ? UNKNOWN : untrusted(title);
  return [formatCount(index + 1), ...numbers, named];
}
