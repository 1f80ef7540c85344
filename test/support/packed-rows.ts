import { parseJson } from '../../src/simulator/lib/json.ts';
import { NO_SURROUNDINGS } from '../../src/simulator/session/files/source-file.ts';
import type { Database, DatabaseRow } from '../../src/simulator/session/format.ts';
import type { UnpackedSample } from '../contracts/session-format.ts';
import type { StoredRow } from './opencode-database.ts';

/** A database as a text, so that it can be damaged: a line for each row has its table and columns, then its JSON. */
export function packRows(rows: readonly StoredRow[], jsonColumn: string): string {
  return rows
    .map(({ table, row: { [jsonColumn]: json = '', ...columns } }) =>
      [table, JSON.stringify(columns), json].join('\t'),
    )
    .join('\n');
}

/** The database of a packed text; its JSON may be broken. */
export function unpackRows(packed: string, jsonColumn: string): UnpackedSample {
  const rows = packed
    .replace('\uFEFF', '')
    .split(/\r?\n/)
    .map((line): StoredRow => {
      const [table = '', columns = '', ...json] = line.split('\t');
      return { table, row: { ...columnsOf(parseJson(columns)), [jsonColumn]: json.join('\t') } };
    });
  const database: Database = {
    tables: new Set(rows.map(({ table }) => table)),
    rows: (wanted, where) =>
      rows.flatMap(({ table, row }) => {
        const isWanted = where === undefined || row[where.column] === where.value;
        return table === wanted && isWanted ? [row] : [];
      }),
  };
  return { text: '', surroundings: NO_SURROUNDINGS, database };
}

/** A database holds nothing but texts and numbers. */
function columnsOf(value: unknown): DatabaseRow {
  const entries = Object.entries(value ?? {}).map(([name, one]) => [
    name,
    typeof one === 'string' || typeof one === 'number' ? one : null,
  ]);
  return Object.fromEntries(entries) as DatabaseRow;
}
