/** Start and prime of the hash FNV-1a (public domain). */
export const FNV = { start: 0x811c9dc5, prime: 0x01000193 } as const;

/** FNV-1a over the code units of a text, or of a stretch of it. */
export function hashUnits(text: string, start = 0, end = text.length): number {
  let hash: number = FNV.start;
  for (let index = start; index < end; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV.prime);
  }
  return hash;
}
