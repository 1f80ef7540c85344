import { type ClaudeRecord, isConversation } from './record.ts';

/** Records by uuid. */
export type RecordIndex = ReadonlyMap<string, ClaudeRecord>;

/** All records of a file that have a uuid. */
export function indexByUuid(records: readonly ClaudeRecord[]): RecordIndex {
  return new Map(records.flatMap((record) => (record.uuid ? [[record.uuid, record]] : [])));
}

/** The record that another one follows, if the file holds it. */
export function parentOf(
  { parentUuid }: ClaudeRecord,
  index: RecordIndex,
): ClaudeRecord | undefined {
  return parentUuid === undefined ? undefined : index.get(parentUuid);
}

/** Whether the chain of parents leads to a record that the file does not hold. */
export function hasLostAncestor(record: ClaudeRecord, index: RecordIndex): boolean {
  const seen = new Set<ClaudeRecord>();
  let current = record;
  for (;;) {
    if (current.parentUuid === undefined || seen.has(current)) return false;
    seen.add(current);
    const parent = parentOf(current, index);
    if (parent === undefined) return true;
    current = parent;
  }
}

/**
 * Finds the uuid of the first sub-agent record among a record's ancestors, itself included.
 * Chains run through records of all types, end at the main conversation, and are walked once.
 */
export function createRootFinder(index: RecordIndex): (record: ClaudeRecord) => string | undefined {
  const roots = new Map<ClaudeRecord, string | undefined>();
  return (record) => {
    const path: ClaudeRecord[] = [];
    let current: ClaudeRecord | undefined = record;
    while (current !== undefined && !roots.has(current) && !isMain(current)) {
      path.push(current);
      roots.set(current, undefined);
      current = parentOf(current, index);
    }
    let root = current && roots.get(current);
    for (const ancestor of path.toReversed()) {
      if (ancestor.isSidechain) root ??= ancestor.uuid;
      roots.set(ancestor, root);
    }
    return root;
  };
}

function isMain(record: ClaudeRecord): boolean {
  return isConversation(record) && !record.isSidechain;
}
