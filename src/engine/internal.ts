/** Names that the simulator needs of the engine beside the public ones. */

export { sortKeys } from './canonical-json.ts';
export { findWording, saysWording, type Wording } from './errors/wording.ts';
export { ownToolName, pathsIn } from './file-calls.ts';
export { FNV, hashUnits } from './fnv.ts';
export {
  commonLength,
  findNewest,
  firstItems,
  type Fold,
  foldOver,
  grownItems,
  itemAt,
  itemsFrom,
  type List,
  partingOf,
} from './history.ts';
export { historyOf } from './state.ts';
export { requestedList, viewListOf } from './loop/decide.ts';
export { advance } from './loop.ts';
export { perKey } from './per-key.ts';
export { tailBudgetTokens } from './pivot/tail-budget.ts';
export { readField } from './read-field.ts';
export { leapFrom, type Leaping } from './stack.ts';
export { ROLLING_WINDOW_MESSAGES } from './view.ts';
