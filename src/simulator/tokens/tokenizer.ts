import { createHash } from 'node:crypto';
import { expectText } from '../../engine/internal.ts';
import { perKey } from '../../engine/internal.ts';
import { findEncoding } from './encodings.ts';
import { createMergeCount, type MergeCount } from './merge.ts';
import { sumOverPieces } from './pieces.ts';
import { buildRankTable, type RankTable, toByteString, toText } from './ranks.ts';

/** Counts the tokens of a text; what looks like a special token is text. */
export interface Tokenizer {
  readonly name: string;
  /** Tells apart tables and rules that may count the same text differently. */
  readonly version: string;
  readonly count: (text: string) => number;
}

/** How an encoding counts a piece. */
interface Table {
  readonly ranks: RankTable;
  readonly countMerged: MergeCount;
}

/** Raised when this file, or what it imports from its folder, counts any text differently. */
const MERGE_VERSION = 1;

const VERSION_LENGTH = 8;

/** Longest piece whose count is remembered, in bytes. */
const REMEMBERED_BYTES = 64;

/** Counts that are remembered; then all are forgotten. */
const REMEMBERED_PIECES = 200_000;

/** An encoding has one table, however many tokenizers count by it. */
const tableOf = perKey((tokens: Parameters<typeof buildRankTable>[0]): Table => {
  const ranks = buildRankTable(tokens);
  return { ranks, countMerged: createMergeCount(ranks) };
});

/** Loads one encoding's table, some 100 ms of work the first time. */
export async function loadTokenizer(name: string): Promise<Tokenizer> {
  const { pattern, loadTokens } = findEncoding(expectText('name', name));
  const ownPattern = new RegExp(pattern);
  const tokens = await loadTokens();
  const countPiece = createPieceCount(tableOf(tokens));
  return {
    name,
    version: versionOf(pattern, tokens.length),
    count: (text) => sumOverPieces(text, ownPattern, countPiece),
  };
}

/** Tables of one length and one pattern are taken to be the same. */
function versionOf({ source, flags }: RegExp, tokens: number): string {
  const rules = [MERGE_VERSION, tokens, flags, source].join('\n');
  return createHash('sha256').update(rules).digest('hex').slice(0, VERSION_LENGTH);
}

function createPieceCount({ ranks, countMerged }: Table): (piece: string) => number {
  const remembered = new Map<string, number>();

  return (piece) => {
    const known = remembered.get(piece);
    if (known !== undefined) return known;
    const bytes = toByteString(piece);
    const tokens = ranks.has(bytes) ? 1 : countMerged(bytes);
    if (bytes.length <= REMEMBERED_BYTES) {
      if (remembered.size >= REMEMBERED_PIECES) remembered.clear();
      // A copy as the key, because a piece of a text keeps the whole text in memory.
      remembered.set(toText(bytes), tokens);
    }
    return tokens;
  };
}
