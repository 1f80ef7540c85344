import type { Tools } from '../../src/engine/index.ts';

/** A standing clock and ids that count up: `message-1`, `part-2`, … */
export function testTools(now = 1): Tools {
  let lastId = 0;
  return { now, newId: (prefix) => `${prefix}-${++lastId}` };
}
