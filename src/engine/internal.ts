/** Names that the simulator needs of the engine beside the public ones. */

export { sortKeys, FNV, hashUnits, readField } from './values.ts';
export { findWording, saysWording } from './errors/overflow-error.ts';
export type { Wording } from './errors/overflow-error.ts';
export { ownToolName, pathsIn } from './file-calls.ts';
export {
  commonLength,
  findNewest,
  firstItems,
  foldOver,
  grownItems,
  itemAt,
  itemsFrom,
  partingOf,
} from './history.ts';
export type { Fold, List } from './history.ts';
export { historyOf } from './state.ts';
export { requestedList, viewListOf } from './decide.ts';
export { advance } from './loop.ts';
export { tailBudgetTokens } from './pivot/tail.ts';
export { leapFrom } from './stack.ts';
export type { Leaping } from './stack.ts';
export { ROLLING_WINDOW_MESSAGES } from './view.ts';
export {
  anything,
  being,
  both,
  callable,
  expectForm,
  expectText,
  fields,
  finite,
  finiteOf,
  flag,
  having,
  kindOf,
  list,
  listOf,
  once,
  oneOf,
  optional,
  text,
  whole,
  withKeys,
  limitsForm,
  tokens,
  messageForm,
  usageForm,
  userForm,
} from './check.ts';
export { policyForm } from './check-policy.ts';
