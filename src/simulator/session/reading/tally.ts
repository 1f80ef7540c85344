import { isObject, parseJson } from '../../lib/json.ts';
import { quote } from '../files/source-file.ts';
import type { JsonLines } from '../format.ts';
import type { ImportReport } from '../session.ts';
import type { Fields } from './lenient.ts';

/** Counts of dropped and repaired records, by reason. */
export interface Tally {
  drop(reason: string, count?: number): void;
  /** Counts a record by its unknown type; beyond a limit of types, the rest together. */
  dropUnknown(type: unknown): void;
  repair(reason: string, count?: number): void;
  /** Adds the counts of another report. */
  add(report: ImportReport): void;
  toReport(): ImportReport;
}

const MAX_TYPES = 20;
const SHOWN_TYPE_CHARS = 40;
const UNKNOWN = 'unknown record';

/** Creates an empty tally. */
export function createTally(): Tally {
  const dropped = new Map<string, number>();
  const repaired = new Map<string, number>();
  const types = new Set<string>();
  return {
    dropUnknown: (type) => {
      const name =
        typeof type === 'string' ? `unknown record ${quote(type, SHOWN_TYPE_CHARS)}` : UNKNOWN;
      if (types.size < MAX_TYPES) types.add(name);
      add(dropped, types.has(name) ? name : UNKNOWN, 1);
    },
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

/** The objects of the lines of a file; other lines are counted. */
export function readObjectLines(lines: JsonLines, tally: Tally): readonly Fields[] {
  const objects = lines.records.filter(isObject);
  countLineFaults(lines, tally);
  tally.drop('line that is no object', lines.records.length - objects.length);
  return objects;
}

/** Counts lines that are broken, and records that share a line. */
export function countLineFaults({ brokenLines, gluedRecords }: JsonLines, tally: Tally): void {
  tally.drop('broken line', brokenLines);
  tally.repair('record on the line of another', gluedRecords);
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
