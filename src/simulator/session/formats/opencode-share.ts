import { isObject } from '../../lib/json.ts';
import type { SessionFormat } from '../format.ts';
import { readRecording } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import { type Fields, gatherMessages, type StoredMessage } from './opencode-records.ts';
import { KEPT_WORDS, readSession } from './opencode.ts';

/** The session of a feed with its messages. */
interface SharedSession {
  readonly info: Fields;
  readonly messages: readonly StoredMessage[];
}

/** Types of rows without conversation. */
const OTHER_TYPES = new Set<unknown>(['session_diff', 'model']);

/** The feed that OpenCode's server returns for a shared session. */
export const opencodeShare: SessionFormat = {
  label: 'OpenCode share feed (JSON)',
  certainty: 'mark',
  detect: (file) => isFeed(file.json()),
  read: readRecording(
    { format: 'opencode-share', empty: 'a share without messages' },
    (recording, file) => {
      const rows = file.json();
      const shared = isFeed(rows) ? groupFeed(rows, recording.tally) : undefined;
      return shared && readSession(recording, shared);
    },
  ),
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} row` },
};

/** Recognizes a feed: rows with the type of their data, one of them the session. */
export function isFeed(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && dataOf(value, 'session').length > 0;
}

/** The session in the rows; `undefined` if it or its messages are missing. */
export function groupFeed(rows: readonly unknown[], tally: Tally): SharedSession | undefined {
  const [info] = dataOf(rows, 'session');
  const infos = dataOf(rows, 'message');
  const parts = dataOf(rows, 'part');
  if (info === undefined || infos.length === 0) return undefined;
  const known = dataOf(rows, 'session').length + infos.length + parts.length;
  tally.drop('unknown row', rows.filter((row) => !isOther(row)).length - known);
  return { info, messages: gatherMessages({ infos, parts }, tally) };
}

function dataOf(rows: readonly unknown[], type: string): readonly Fields[] {
  return rows.flatMap((row) => {
    const data = isObject(row) && row['type'] === type ? row['data'] : undefined;
    return isObject(data) && typeof data['id'] === 'string' ? [data] : [];
  });
}

function isOther(row: unknown): boolean {
  return isObject(row) && OTHER_TYPES.has(row['type']);
}
