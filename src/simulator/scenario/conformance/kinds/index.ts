import type { Kind } from '../kind.ts';
import { v2Required, v2SelectTail } from './checkpoint.ts';
import { tokenEstimate } from './estimate.ts';
import { flagParse } from './flag.ts';
import { isOverflow } from './overflow.ts';
import { contextOverflowErrorDetection } from './overflow-error.ts';
import { prune } from './prune.ts';
import { preserveBudget, selectTail } from './tail.ts';
import { getUsage } from './usage.ts';
import { filterCompacted } from './view.ts';

/** Kinds of vectors by name. */
export const kinds = {
  isOverflow,
  tokenEstimate,
  prune,
  filterCompacted,
  selectTail,
  preserveBudget,
  contextOverflowErrorDetection,
  getUsage,
  flagParse,
  v2Required,
  v2SelectTail,
} satisfies Record<string, Kind>;

/** Kinds whose cases are told in fields of their own, so that each is a test rather than a vector. */
export const testedKinds: ReadonlySet<string> = new Set([
  'create',
  'flattenHistory',
  'idOrdering',
  'import',
  'latest',
  'loop',
  'process',
  'retry',
  'revert',
  'summaryPromptStructure',
  'toModelMessages',
  'v2Process',
]);
