import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Files whose content is no text: an SQLite database, a Parquet table, a ZIP archive. */
export type PackedKind = keyof typeof SIGNATURES;

const SIGNATURES = {
  database: 'SQLite format 3\0',
  table: 'PAR1',
  archive: 'PK\u0003\u0004',
} as const;

const KINDS = Object.keys(SIGNATURES) as readonly PackedKind[];
const LONGEST = Math.max(...Object.values(SIGNATURES).map(({ length }) => length));

/** How a file is packed; `undefined` of a text or pipe. */
export function packedKindOf(path: string): PackedKind | undefined {
  if (!statSync(path).isFile()) return undefined;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LONGEST);
    const count = readSync(file, bytes, 0, LONGEST, 0);
    const start = bytes.toString('latin1', 0, count);
    return KINDS.find((kind) => start.startsWith(SIGNATURES[kind]));
  } finally {
    closeSync(file);
  }
}
