import { isSummary, type AssistantMessage, type Message, markerOf } from './message.ts';

/** Which summaries a view rule accepts as a boundary. */
interface ViewRule {
  isComplete(summary: AssistantMessage): boolean;
}

/**
 * View rules by the release from which each holds.
 * Source: OpenCode release history (F3, F4); design documents 000, 002 and 003.
 */
export const viewRules = {
  'v1.0.69': { isComplete: (summary) => Boolean(summary.finish) },
  'v1.2.16': { isComplete: (summary) => Boolean(summary.finish) && summary.error === undefined },
} satisfies Record<string, ViewRule>;

/** The name of a view rule. */
export type ViewRuleName = keyof typeof viewRules;

/**
 * The messages that the model still sees: everything from the newest marker that a complete summary
 * answers, marker included; the whole history while there is none.
 */
export function filterCompacted(
  history: readonly Message[],
  rule: ViewRuleName,
): readonly Message[] {
  const start = boundaryIndex(history, viewRules[rule]);
  return start === 0 ? history : history.slice(start);
}

function boundaryIndex(history: readonly Message[], rule: ViewRule): number {
  const answered = new Set<string>();
  for (let index = history.length - 1; index > 0; index -= 1) {
    const message = history[index];
    if (message === undefined) continue;
    if (answered.has(message.id) && markerOf(message) !== undefined) return index;
    if (isSummary(message) && rule.isComplete(message)) answered.add(message.parentId);
  }
  return 0;
}
