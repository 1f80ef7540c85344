/** Names of tools in outlines. */

import { keepIn } from '../../keep-in.ts';
import { isAllowedValue } from '../../session/redact/allowed.ts';

const UNNAMED = 'tool';

/** A name as it can stand in a scenario, where none is empty. */
export function writtenName(tool: string): string {
  return tool || UNNAMED;
}

/** Known tools keep their names; each of the others has one that tells nothing. */
export function createToolNames(): (tool: string) => string {
  const own = new Map<string, string>();
  return (tool) => {
    if (isAllowedValue('tool', tool)) return tool;
    return keepIn(own, tool, () => `tool-${own.size + 1}`);
  };
}
