/** No tool takes or gives values within values as deep, and what writes them as JSON could not follow. */
const MAX_DEPTH = 500;

/** Whether lists and objects stand in one another deeper than anything real does. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap(childrenOf);
  }
  return level.length > 0;
}

/** A value as JSON; empty where it is none, or too deep. */
export function toJsonText(value: unknown): string {
  return isTooDeep(value) ? '' : (JSON.stringify(value) ?? '');
}

function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
