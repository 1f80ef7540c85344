/** One entry of a session as the tail of a checkpoint sees it. */
export interface CheckpointEntry {
  readonly isUser: boolean;
  /** Estimated tokens of its text; absent where it leaves none, as checkpoints and system updates do. */
  readonly sizeTokens?: number;
}

/** How much a checkpoint keeps verbatim. */
export interface CheckpointTailOptions {
  readonly keepTokens: number;
  /** Whether the checkpoint before kept a tail, which is then there to be summarised. */
  readonly hasPreviousTail: boolean;
}

/** An entry with text, and its index among all entries. */
interface Shown {
  readonly isUser: boolean;
  readonly sizeTokens: number;
  readonly index: number;
}

/**
 * The index at which the tail of a checkpoint starts: the newest entry always stays, older ones while
 * they fit, then back to a user message however far that is. Where everything would stay, only the
 * latest exchange does; where that is everything, nothing does (the number of entries). `undefined`
 * without any text to compact. Source: OpenCode release history (section 11; 2.0 and from 2026-07-10).
 */
export function selectCheckpointTail(
  entries: readonly CheckpointEntry[],
  options: CheckpointTailOptions,
): number | undefined {
  const shown = entries.flatMap(({ isUser, sizeTokens }, index) =>
    sizeTokens === undefined ? [] : [{ isUser, sizeTokens, index }],
  );
  const [oldest] = shown;
  if (oldest === undefined) return undefined;
  const fitting = shown.slice(0, fittingStart(shown, options.keepTokens) + 1);
  const start = fitting.findLastIndex(({ isUser }) => isUser);
  if (start > 0) return shown[start]?.index;
  const latestUser = shown.findLastIndex(({ isUser }) => isUser);
  if (latestUser > 0) return shown[latestUser]?.index;
  return options.hasPreviousTail ? oldest.index : entries.length;
}

function fittingStart(shown: readonly Shown[], keepTokens: number): number {
  let start = shown.length - 1;
  let totalTokens = shown[start]?.sizeTokens ?? 0;
  while (start > 0) {
    totalTokens += shown[start - 1]?.sizeTokens ?? 0;
    if (totalTokens > keepTokens) return start;
    start -= 1;
  }
  return start;
}
