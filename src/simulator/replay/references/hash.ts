/** Where hashes of terms start; an integer of 32 bits like every hash, for a loop is slow where some are not. */
export const SEED = 0x811c9dc5 | 0;

/** Multiplies the first of the two hashes of a term at each piece. */
export const PRIME = 0x01000193;

/** The same for the second one. */
export const OTHER_PRIME = 0x5bd1e995;
