import { FNV } from '../../../engine/internal.ts';

/** Where hashes of terms start; an integer of 32 bits like every hash, for a loop is slow where some are not. */
export const SEED = FNV.start | 0;

/** Multiplies the first of the two hashes of a term at each piece. */
export const PRIME = FNV.prime;

/** Multiplies the second hash of a term at each piece. */
export const OTHER_PRIME = 0x5bd1e995;
