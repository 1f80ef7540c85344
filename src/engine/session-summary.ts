import { diffFiles, type FileDiff } from './session-summary/diff.ts';
import type { Message, Part, TextPart, UserMessage } from './message.ts';
import { toTitle } from './session-summary/title.ts';

/** The files of each snapshot as `path → text`, by the id that steps name. */
export type Snapshots = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Sums over the files of a diff. */
export interface DiffTotals {
  readonly additions: number;
  readonly deletions: number;
  readonly files: number;
}

/** What some messages did to the files, or why that is unknown. */
export type SnapshotDiff =
  | { readonly state: 'known'; readonly files: readonly FileDiff[]; readonly totals: DiffTotals }
  | { readonly state: 'unknown'; readonly reason: 'no-start-snapshot' | 'no-finish-snapshot' }
  | { readonly state: 'unknown'; readonly reason: 'snapshot-not-given'; readonly snapshot: string };

/** What one user message asked for and got. */
export interface MessageSummary {
  readonly messageId: string;
  /** From the user's own words; absent where there are none, as in a marker or a continue text. */
  readonly title?: string;
  /** The last text that the model wrote in the turn; absent where it wrote none. */
  readonly body?: string;
  readonly diff: SnapshotDiff;
}

/** What a session did to the files, as a whole and turn by turn. */
export interface SessionSummary {
  readonly diff: SnapshotDiff;
  /** One for each user message, oldest first. */
  readonly messages: readonly MessageSummary[];
}

/** A user message and all messages until the next one. */
type Turn = readonly [prompt: UserMessage, ...steps: Message[]];

/**
 * Sums up a history with the snapshots that its steps name: the files that differ between the first
 * step-start and the last step-finish, for the session and for each turn. Steps before the first user
 * message count for the session only. Source: design document 000, Session Summary.
 */
export function buildSessionSummary(
  history: readonly Message[],
  snapshots: Snapshots,
): SessionSummary {
  return {
    diff: diffSteps(history, snapshots),
    messages: splitTurns(history).map(([prompt, ...steps]) => ({
      messageId: prompt.id,
      ...titleOf(prompt),
      ...bodyOf(steps),
      diff: diffSteps(steps, snapshots),
    })),
  };
}

function splitTurns(history: readonly Message[]): readonly Turn[] {
  const turns: [UserMessage, ...Message[]][] = [];
  for (const message of history) {
    if (message.role === 'user') turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

function diffSteps(messages: readonly Message[], snapshots: Snapshots): SnapshotDiff {
  const parts = messages.flatMap((message) => message.parts);
  const start = parts.map((part) => snapshotOf(part, 'step-start')).find(isNamed);
  const finish = parts.map((part) => snapshotOf(part, 'step-finish')).findLast(isNamed);
  if (start === undefined) return { state: 'unknown', reason: 'no-start-snapshot' };
  if (finish === undefined) return { state: 'unknown', reason: 'no-finish-snapshot' };
  const [before, after] = [snapshots.get(start), snapshots.get(finish)];
  if (before === undefined) return notGiven(start);
  if (after === undefined) return notGiven(finish);
  const files = diffFiles(before, after);
  return { state: 'known', files, totals: sumDiffs(files) };
}

function snapshotOf(part: Part, type: 'step-start' | 'step-finish'): string | undefined {
  return part.type === type ? part.snapshot : undefined;
}

/** An empty name is none, as in the released program. */
function isNamed(snapshot: string | undefined): snapshot is string {
  return Boolean(snapshot);
}

function notGiven(snapshot: string): SnapshotDiff {
  return { state: 'unknown', reason: 'snapshot-not-given', snapshot };
}

function sumDiffs(files: readonly FileDiff[]): DiffTotals {
  return {
    additions: files.reduce((sum, { additions }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
    files: files.length,
  };
}

function titleOf(prompt: UserMessage): { readonly title?: string } {
  const title = ownTexts(prompt.parts)
    .map(({ text }) => toTitle(text))
    .find((found) => found !== undefined);
  return title === undefined ? {} : { title };
}

function bodyOf(steps: readonly Message[]): { readonly body?: string } {
  const last = steps
    .flatMap(({ parts }) => ownTexts(parts))
    .findLast(({ text }) => text.trim() !== '');
  return last === undefined ? {} : { body: last.text };
}

/** Texts that the person or the model wrote, not a program in their place. */
function ownTexts(parts: readonly Part[]): readonly TextPart[] {
  return parts.filter(
    (part): part is TextPart => part.type === 'text' && !part.synthetic && !part.ignored,
  );
}
