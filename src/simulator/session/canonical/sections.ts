import { isObject } from '../../lib/json.ts';
import { type JsonValues, readJsonLine } from '../files/json-text.ts';
import type { SourceLine } from '../format.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { MARK } from './lines.ts';
import { isHeader } from './parse.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A header with the records up to the next one; the first has everything before it, too. */
export interface Section {
  readonly header: Fields;
  /** Of the header, from 1. */
  readonly lineNumber: number;
  /** Where it begins in its file; absent where that is in the middle of a line, or nothing tells. */
  readonly startByte: number | undefined;
  readonly records: readonly Fields[];
  /** What is lost of its lines. */
  readonly tally: Tally;
}

/** One that may still grow, and may have no header yet. */
type OpenSection = Omit<Section, 'header' | 'records'> & {
  readonly header?: Fields;
  readonly records: Fields[];
};

/** Where a header begins as this program writes it. No torn text holds that: quotes in texts are escaped. */
const HEADER_START = new RegExp(`(?=\\{"${MARK.key}":"${MARK.value}")`);

/** The sections of a file, each as soon as the next one begins. */
export function* splitSections(lines: Iterable<SourceLine>): Generator<Section, void, undefined> {
  let open: OpenSection | undefined;
  let lineNumber = 0;
  for (const { text, startByte } of lines) {
    lineNumber++;
    open ??= openSection(startByte);
    const line = readLine(text);
    for (const [index, value] of line.values.entries()) {
      if (isHeader(value) && isSection(open)) {
        yield open;
        open = openSection(index === 0 ? startByte : undefined);
      }
      if (isHeader(value)) open = { ...open, header: value, lineNumber };
      else addRecord(open, value);
    }
    countLosses(open, line);
  }
  if (open !== undefined && isSection(open)) yield open;
}

/** The values on one line. Where it is broken, a header may stand behind what is left of another record. */
export function readLine(text: string): JsonValues {
  const line = readJsonLine(text);
  if (!line.isBroken) return line;
  const pieces = text.split(HEADER_START).map(readJsonLine);
  return { values: pieces.flatMap(({ values }) => values), isBroken: true };
}

function openSection(startByte: number | undefined): OpenSection {
  return { startByte, lineNumber: 0, records: [], tally: createTally() };
}

function isSection(open: OpenSection): open is OpenSection & Section {
  return open.header !== undefined;
}

function addRecord({ header, records, tally }: OpenSection, value: unknown): void {
  if (!isObject(value)) tally.drop('line that is no object');
  else if (header === undefined) tally.drop('line before the first header');
  else records.push(value);
}

function countLosses({ tally }: OpenSection, { values, isBroken }: JsonValues): void {
  if (isBroken) tally.drop('broken line');
  tally.repair('record on the line of another', values.length - 1);
}
