import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import {
  faultCode,
  hasHeader,
  hasRows,
  HEADER_FILE,
  readTextFile,
  RESULTS_FILE,
} from '../../lib/files.ts';
import { describeIssue, isObject, parseJson } from '../../lib/json.ts';
import { quoted, quotedLong } from '../../lib/names.ts';
import { modeOf } from '../../metrics/record.ts';
import { commonSettings, countRecordedModels } from '../../report/origin.ts';
import { readSaved } from '../../report/saved/documents.ts';
import { ModeShape, RecordShape, SettingsShape } from '../../report/saved/shapes.ts';
import { toStories } from '../../report/session-names.ts';
import { basisOf, readHeader } from '../store/header.ts';
import { firstOfAny, readOnlyRows, type Whole, wholeOf } from '../store/read-rows.ts';
import type { ComparableRow, Side } from './pair-sides.ts';

interface ReadSide extends Side {
  readonly whole?: Whole | undefined;
}

type SavedRow = ComparableRow & Pick<Partial<Side>, 'mode'>;

const WHAT = "results of 'sweep' or a JSON report of 'run'";

const Row = RecordShape.extend({
  sessionHash: z.string().exactOptional(),
  cell: z.string().exactOptional(),
  seed: z.number().exactOptional(),
  mode: ModeShape.exactOptional(),
  settings: SettingsShape.exactOptional(),
});

export function readResults(path: string): ReadSide {
  const file = hasHeader(path) ? join(path, RESULTS_FILE) : path;
  const isSwept = basename(file) === RESULTS_FILE && hasHeader(dirname(file));
  return { ...(isSwept ? readSwept(file) : readFile(file)), name: path };
}

function readSwept(file: string) {
  const folder = dirname(file);
  const header = readHeader(folder);
  const { version, catalog, mode, sessions } = header;
  const rows = hasRows(folder) ? [...readOnlyRows(file, header)] : [];
  const origin = { version, catalog, ...basisOf(header), settings: {} };
  const stories = toStories(sessions.map(({ name, story }) => ({ session: name, story })));
  return { ...toSide(file, rows, { origin, mode }), whole: wholeOf(header), stories };
}

function readFile(file: string) {
  const text = readTextFile(file, (reason, cause) =>
    faultCode(cause) === 'EISDIR'
      ? badResults(file, `it is a folder without ${quoted(HEADER_FILE)}`)
      : badResults(file, `it cannot be read: ${reason}`, cause),
  );
  const document = parseJson(text);
  // Several lines are no JSON as a whole; one that has metrics is a row.
  const fields = isObject(document) ? document : {};
  if (document === undefined || 'metrics' in fields) return toSide(file, readLines(file, text));
  const saved = 'runs' in fields && readSaved(file, text, { what: WHAT });
  if (!saved || saved.kind !== 'runs') throw badResults(file, 'it is a JSON document without runs');
  const { version, catalog, settings, model, mode, estimators } = saved.report.provenance;
  const { tokenizer, sessions } = estimators;
  const origin = {
    version,
    catalog,
    tokenizers: { [model]: tokenizer },
    recorded: countRecordedModels(sessions),
    settings,
  };
  return { ...toSide(file, saved.report.runs, { origin, mode }), stories: toStories(sessions) };
}

function readLines(file: string, text: string): readonly SavedRow[] {
  const isFirst = firstOfAny();
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    const place = `line ${index + 1}`;
    if (value === undefined) throw badResults(file, `${place} is not JSON`);
    const { data: row, error } = Row.safeParse(value);
    if (error !== undefined) {
      const issue = describeIssue(error.issues[0]);
      throw badResults(file, `${place} is not a result, at ${issue}`, error);
    }
    return row.cell === undefined || isFirst(row) ? [row] : [];
  });
}

function toSide(
  name: string,
  rows: readonly SavedRow[],
  { origin, mode = 'open-loop' }: Partial<Pick<Side, 'origin' | 'mode'>> = {},
) {
  if (rows.length === 0) throw badResults(name, 'it has no rows');
  // Rows of several sweeps may call sessions alike that are none of each other's trials.
  const hashes = new Map<string, string>();
  for (const { session, sessionHash = hashes.get(session) } of rows) {
    if (sessionHash !== undefined && keepIn(hashes, session, () => sessionHash) !== sessionHash)
      throw badResults(name, `it has two sessions of the name ${quoted(session)}`);
  }
  const closed = rows.filter((row) => modeOf(row) === 'closed-loop').length;
  if (closed > 0 && closed < rows.length)
    throw badResults(name, 'it has rows of both an open and a closed loop');
  const common = commonSettings(rows.map((row) => row.settings ?? {}));
  return {
    name,
    rows,
    mode: closed > 0 ? 'closed-loop' : mode,
    origin: { ...origin, settings: { ...origin?.settings, ...common } },
  };
}

function badResults(file: string, reason: string, cause?: unknown) {
  const message = `Expected ${quotedLong(file)} to be ${WHAT}, but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}
