import { z } from 'zod';
import { isObject, parseJson } from '../../lib/json.ts';
import { endOfValue } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createRecording } from '../reading/recording.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { noConversation } from '../reading/transcript.ts';
import { type Session, withNames } from '../session.ts';
import { parseInfo } from './opencode-records.ts';
import { KEPT_WORDS, readSession, type StoredSession } from './opencode.ts';

interface ExportFile {
  /** In file order. */
  readonly exports: readonly StoredSession[];
  /** Non-blank lines outside of exports. */
  readonly otherLines: number;
}

interface FoundExport {
  readonly session: StoredSession;
  readonly start: number;
  readonly end: number;
}

const exportSchema = z.object({
  info: z.record(z.string(), z.unknown()),
  messages: z.array(z.unknown()),
});

/** Unclosed braces that are tolerated in log lines before an export. */
const MAX_FALSE_STARTS = 16;

/** Sessions as `opencode export` prints them, one after another. */
export const opencodeExport: SessionFormat = {
  label: 'OpenCode export (JSON)',
  certainty: 'mark',
  detect: hasExport,
  read: readExports,
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} earlier export` },
};

function hasExport(file: SourceFile): boolean {
  const document = file.json();
  if (document !== undefined) return toExport(document) !== undefined;
  return searchExports(file.text).next().done !== true;
}

/** Recognizes an export by its messages, since other documents have `info` and `messages` too. */
function toExport(value: unknown): StoredSession | undefined {
  const document = exportSchema.safeParse(value).data;
  if (document === undefined) return undefined;
  const { info, messages } = document;
  const isOwn = messages.length === 0 ? typeof info['id'] === 'string' : messages.some(isMessage);
  return isOwn ? document : undefined;
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

/** The first session reports the losses of the whole file. */
function readExports(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const { exports, otherLines } = findExports(file);
  tally.drop('line that is no export', otherLines);
  const sessions: Omit<Session, 'name'>[] = [];
  for (const each of inOrder(withoutEarlier(exports, tally))) {
    const recording = createRecording(sessions.length === 0 ? tally : undefined);
    const session = recording.finish('opencode-export', readSession(recording, each));
    if (session.messages.length > 0) sessions.push(session);
  }
  if (sessions.length === 0) throw noConversation(file.name, 'an export without messages');
  return withNames(file.name, sessions);
}

function findExports(file: SourceFile): ExportFile {
  const document = file.json();
  if (document !== undefined) {
    const session = toExport(document);
    return { exports: session === undefined ? [] : [session], otherLines: 0 };
  }
  const found = [...searchExports(file.text)];
  return {
    exports: found.map(({ session }) => session),
    otherLines: countOtherLines(file.text, found),
  };
}

function countOtherLines(text: string, found: readonly FoundExport[]): number {
  const ends = [0, ...found.map(({ end }) => end)];
  const gaps = ends.map((end, index) => text.slice(end, found[index]?.start));
  return gaps.flatMap((gap) => gap.split('\n')).filter((line) => line.trim() !== '').length;
}

/** Puts tasks of other sessions last. */
function inOrder(exports: readonly StoredSession[]): readonly StoredSession[] {
  return exports.toSorted((a, b) => Number(isTask(a)) - Number(isTask(b)));
}

function isTask({ info }: StoredSession): boolean {
  return parseInfo(info).parentID !== undefined;
}

/** Keeps the last of several exports of one session. */
function withoutEarlier(exports: readonly StoredSession[], tally: Tally): readonly StoredSession[] {
  const last = new Map(exports.map((each) => [parseInfo(each.info).id, each]));
  const kept = exports.filter((each) => {
    const { id } = parseInfo(each.info);
    return id === undefined || last.get(id) === each;
  });
  tally.drop('earlier export of a session', exports.length - kept.length);
  return kept;
}
