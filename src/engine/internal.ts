/** What the simulator needs of the engine beside its public names, and no host does. */

export { sortKeys } from './canonical-json.ts';
export { findWording, saysWording, type Wording } from './errors/wording.ts';
export { ownToolName, pathsIn } from './file-calls.ts';
export { FNV, hashUnits } from './fnv.ts';
export { advance } from './loop.ts';
export { perKey } from './per-key.ts';
export { tailBudgetTokens } from './pivot/tail-budget.ts';
export { readField } from './read-field.ts';
export { type Fold, foldOver } from './series/fold.ts';
export { grownItems } from './series/growth.ts';
export { type Shared, sharedFold } from './series/shared-fold.ts';
export {
  commonLength,
  findNewest,
  firstItems,
  itemAt,
  itemsFrom,
  lengthOf,
  partingOf,
} from './series/series.ts';
export { leapFrom, type Leaping } from './series/stack.ts';
export { ROLLING_WINDOW_MESSAGES } from './view.ts';
