/** Counts for each list of rows how many of them a text has, whatever stands between the words. */
export type RowCount = (text: string) => readonly number[];

/** A word of rows, and what follows it. */
interface Branch {
  readonly next: Map<string, Branch>;
  /** Lists that have the row which ends here, as often as they have it. */
  readonly lists: number[];
}

/** A letter of a script without spaces, or a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}_]+/gu;
const LONGEST_ROW = 3;

/** The rows of three words of a sentence; of a shorter one, all of it. */
export function rowsOf(sentence: string): readonly string[] {
  const words = wordsOf(sentence);
  if (words.length <= LONGEST_ROW) return [words.join(' ')];
  return words
    .slice(LONGEST_ROW - 1)
    .map((_, index) => words.slice(index, index + LONGEST_ROW).join(' '));
}

/** A count of rows that looks at each word of a text once, however many lists there are. */
export function createRowCount(lists: readonly (readonly string[])[]): RowCount {
  const root = createBranch();
  for (const [list, rows] of lists.entries()) {
    for (const row of rows) branchOf(root, row.split(' ')).lists.push(list);
  }
  return (text) => {
    const counts = lists.map(() => 0);
    if (lists.length === 0) return counts;
    for (const branch of findRows(root, wordsOf(text))) {
      for (const list of branch.lists) counts[list] = (counts[list] ?? 0) + 1;
    }
    return counts;
  };
}

function createBranch(): Branch {
  return { next: new Map(), lists: [] };
}

function branchOf(root: Branch, words: readonly string[]): Branch {
  let branch = root;
  for (const word of words) {
    const next = branch.next.get(word) ?? createBranch();
    branch.next.set(word, next);
    branch = next;
  }
  return branch;
}

function findRows(root: Branch, words: readonly string[]): ReadonlySet<Branch> {
  const found = new Set<Branch>();
  for (let start = 0; start < words.length; start += 1) {
    let branch = root.next.get(words[start] ?? '');
    for (let index = start + 1; branch !== undefined; index += 1) {
      if (branch.lists.length > 0) found.add(branch);
      branch = branch.next.get(words[index] ?? '');
    }
  }
  return found;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}
