import { isObject, parseJson } from '../../lib/json.ts';
import { endOfValue } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { fieldsOf, toId } from '../reading/lenient.ts';
import { readRecordings } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import { isTask, KEPT_WORDS, readSession, type StoredSession } from './opencode.ts';

interface FoundExport {
  readonly session: StoredSession;
  readonly start: number;
  readonly end: number;
}

/** Unclosed braces that are tolerated in log lines before an export. */
const MAX_FALSE_STARTS = 16;

/** Sessions as `opencode export` prints them, one after another. */
export const opencodeExport: SessionFormat = {
  label: 'OpenCode export (JSON)',
  certainty: 'mark',
  detect: (file) => {
    const document = file.json();
    if (document !== undefined) return toExport(document) !== undefined;
    return searchExports(file.text).next().done !== true;
  },
  read: readRecordings({
    format: 'opencode-export',
    empty: 'an export without messages',
    numbersSpoken: true,
    items: exportsIn,
    read: readSession,
  }),
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} earlier export` },
};

/** Recognizes an export by its messages, since other documents have `info` and `messages` too. */
function toExport(value: unknown): StoredSession | undefined {
  const { info, messages } = fieldsOf(value);
  if (!isObject(info) || !Array.isArray(messages)) return undefined;
  const isOwn = messages.length === 0 ? typeof info['id'] === 'string' : messages.some(isMessage);
  return isOwn ? { info, messages } : undefined;
}

function isMessage(value: unknown): boolean {
  return isObject(value) && isObject(value['info']) && Array.isArray(value['parts']);
}

function* searchExports(text: string): Generator<FoundExport, void, void> {
  if (!text.includes('"messages"') || !text.includes('"parts"')) return;
  let falseStarts = 0;
  let start = text.indexOf('{');
  while (start !== -1 && falseStarts < MAX_FALSE_STARTS) {
    const end = endOfValue(text, start);
    const value = end === -1 ? undefined : parseJson(text.slice(start, end));
    const session = toExport(value);
    if (session !== undefined) yield { session, start, end };
    if (session !== undefined) falseStarts = 0;
    else if (value === undefined) falseStarts++;
    start = text.indexOf('{', value === undefined ? start + 1 : end);
  }
}

/** Reads the last of several exports of one session; tasks of other sessions come last. */
function exportsIn(file: SourceFile, tally: Tally): readonly StoredSession[] {
  const document = toExport(file.json());
  const found = document ? [] : [...searchExports(file.text)];
  const exports = document ? [document] : found.map(({ session }) => session);
  tally.drop('line that is no export', document ? 0 : countOtherLines(file.text, found));
  const last = new Map(exports.map((each) => [toId(each.info['id']), each]));
  const kept = exports.filter((each) => {
    const id = toId(each.info['id']);
    return id === undefined || last.get(id) === each;
  });
  tally.drop('earlier export of a session', exports.length - kept.length);
  return kept.toSorted((a, b) => Number(isTask(a.info)) - Number(isTask(b.info)));
}

function countOtherLines(text: string, found: readonly FoundExport[]): number {
  const ends = [0, ...found.map(({ end }) => end)];
  const gaps = ends.map((end, index) => text.slice(end, found[index]?.start));
  return gaps.flatMap((gap) => gap.split('\n')).filter((line) => line.trim() !== '').length;
}
