/** How sessions are evidence: those of one family are one observation. */

/** A session and the family that it is of; absent where it stands alone. */
export interface FamilyMember {
  readonly session: string;
  readonly family?: string | undefined;
}

/** Sessions, and how many families they are of, which are the independent pieces of evidence. */
export interface CountedFamilies {
  readonly sessions: number;
  readonly families: number;
}

/** What runs have in common that are no independent evidence: their family, or a session that stands alone. */
export function clusterOf({ session, family }: FamilyMember): string {
  return family ?? session;
}

/** How many sessions there are, each of them counted once, and of how many families. */
export function countEvidence(members: readonly FamilyMember[]): CountedFamilies {
  return {
    sessions: new Set(members.map(({ session }) => session)).size,
    families: new Set(members.map(clusterOf)).size,
  };
}
