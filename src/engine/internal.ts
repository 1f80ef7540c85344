/** Names that the simulator needs of the engine beside the public ones. */

export { expectLimits, expectMessage, expectPolicy } from './check.ts';
export { expectKind } from './expect.ts';
export { NO_USAGE } from './checks.ts';
export { firedConditions, isOfTokens } from './conditions.ts';
export { requestedList, viewListOf } from './decide.ts';
export { findWording, saysWording } from './errors.ts';
export { ownToolName, pathsIn } from './file-calls.ts';
export { commonLength, findNewest, firstItems, grownItems, itemAt, itemsFrom } from './history.ts';
export { foldOver, partingOf } from './history.ts';
export type { Fold, List } from './history.ts';
export { advance } from './loop.ts';
export { stateBeforePivot } from './pivot/end-pivot.ts';
export { tailBudgetTokens } from './pivot/tail.ts';
export { historyOf } from './state.ts';
export { FNV, readField, sortKeys } from './values.ts';
export { ROLLING_WINDOW_MESSAGES } from './view.ts';
