import { compareTexts } from './compare-texts.ts';

/**
 * The members of some groups, each with the first by name of all that it hangs together with: in one group, or through
 * groups that share a member. The same whatever the order of groups and members.
 */
export function joinGroups(groups: Iterable<readonly string[]>): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const group of groups) {
    for (const member of group) join(parents, group[0] ?? member, member);
  }
  return new Map([...parents.keys()].map((member) => [member, findFirst(parents, member)]));
}

/** Whoever comes first by name stands for both. */
function join(parents: Map<string, string>, one: string, other: string): void {
  const [first, second] = [findFirst(parents, one), findFirst(parents, other)];
  const isInOrder = compareTexts(first, second) < 0;
  parents.set(isInOrder ? second : first, isInOrder ? first : second);
}

function findFirst(parents: Map<string, string>, member: string): string {
  let current = member;
  for (;;) {
    const parent = parents.get(current) ?? current;
    if (parent === current) break;
    // Whoever asks next has half the way.
    parents.set(current, parents.get(parent) ?? parent);
    current = parent;
  }
  if (!parents.has(current)) parents.set(current, current);
  return current;
}
