/** An entry of a session, which is a list or a tree. */
interface TreeRow {
  readonly id?: string | undefined;
  /** `null` at a root; absent where entries form a line. */
  readonly parentId?: string | null | undefined;
}

/** An entry with its place in the file. */
export interface BranchEntry<Row> {
  readonly record: Row;
  readonly index: number;
}

/** Entries on the path to the last one; other branches were never sent with it. */
export function activeBranch<Row extends TreeRow>(
  records: readonly Row[],
): readonly BranchEntry<Row>[] {
  const indexById = new Map<string, number>();
  const parents = records.map((record, index) => {
    const parent = parentOf(record, index, indexById);
    if (record.id !== undefined) indexById.set(record.id, index);
    return parent;
  });
  const branch: BranchEntry<Row>[] = [];
  for (let index = records.length - 1; index >= 0; index = parents[index] ?? -1) {
    const record = records[index];
    if (record !== undefined) branch.push({ record, index });
  }
  return branch.toReversed();
}

/** The index of the parent; of the entry before where the parent does not precede. */
function parentOf(
  { parentId }: TreeRow,
  index: number,
  indexById: ReadonlyMap<string, number>,
): number {
  if (parentId === null) return -1;
  return (parentId === undefined ? undefined : indexById.get(parentId)) ?? index - 1;
}
