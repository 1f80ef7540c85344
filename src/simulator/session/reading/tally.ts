import { parseJson } from '../../lib/json.ts';
import { quote } from '../files/source-file.ts';
import type { JsonLines } from '../format.ts';
import type { ImportReport } from '../session.ts';

/** Counts of dropped and repaired records, by reason. */
export interface Tally {
  drop(reason: string, count?: number): void;
  repair(reason: string, count?: number): void;
  /** Adds the counts of another report. */
  add(report: ImportReport): void;
  toReport(): ImportReport;
}

const MAX_TYPES = 20;
const SHOWN_TYPE_CHARS = 40;

/** Creates an empty tally. */
export function createTally(): Tally {
  const dropped = new Map<string, number>();
  const repaired = new Map<string, number>();
  return {
    drop: (reason, count = 1) => add(dropped, reason, count),
    repair: (reason, count = 1) => add(repaired, reason, count),
    add: (report) => {
      for (const [reason, count] of Object.entries(report.dropped)) add(dropped, reason, count);
      for (const [reason, count] of Object.entries(report.repaired)) add(repaired, reason, count);
    },
    // Reports outlive sessions; a reason that quotes a record would keep its text in memory.
    toReport: () =>
      structuredClone({
        dropped: Object.fromEntries(dropped),
        repaired: Object.fromEntries(repaired),
      }),
  };
}

/** Parses the lines of a file; lines that are no records are counted. */
export function readRecordLines<AnyRecord>(
  lines: JsonLines,
  parse: (line: unknown) => AnyRecord | undefined,
  tally: Tally,
): readonly AnyRecord[] {
  const records = lines.records.flatMap((line) => parse(line) ?? []);
  countLineFaults(lines, tally);
  tally.drop('line that is no object', lines.records.length - records.length);
  return records;
}

/** Counts lines that are broken, and records that share a line. */
export function countLineFaults({ brokenLines, gluedRecords }: JsonLines, tally: Tally): void {
  tally.drop('broken line', brokenLines);
  tally.repair('record on the line of another', gluedRecords);
}

/** Counts unknown records by type; beyond a limit of types, the rest together. */
export function dropUnknown(tally: Tally, types: readonly (string | undefined)[]): void {
  const named = new Set([...new Set(types)].slice(0, MAX_TYPES));
  for (const type of types) {
    const isNamed = type !== undefined && named.has(type);
    tally.drop(isNamed ? `unknown record ${quote(type, SHOWN_TYPE_CHARS)}` : 'unknown record');
  }
}

/** The arguments of a call, which most recorders write as JSON; any other string stays unchanged. */
export function toInput(written: unknown, tally: Tally): unknown {
  if (typeof written !== 'string') return written ?? {};
  const input = parseJson(written);
  if (input === undefined) tally.repair('tool arguments that are no JSON');
  return input ?? written;
}

function add(counts: Map<string, number>, reason: string, count: number): void {
  if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count);
}
