/** Templates of summaries: the headings that a summarizer is told to fill. */

/** A heading of a summary, and what belongs under it. */
type Section = readonly [heading: string, content: string];

/** Headings that OpenCode since 1.14.21 and pi have in common. */
export const GOAL_TO_CONTEXT: readonly Section[] = [
  ['## Goal', 'what the user wants, in one or two sentences'],
  ['## Constraints & Preferences', 'what the user demands, forbids or prefers'],
  ['## Progress', ''],
  ['### Done', 'finished work'],
  ['### In Progress', 'work that has been begun'],
  ['### Blocked', 'work that cannot go on, and why'],
  ['## Key Decisions', 'what was decided, and why'],
  ['## Next Steps', 'what to do next, in order'],
  ['## Critical Context', 'facts, values, errors and references that must not be lost'],
];

const KEEP_EMPTY = 'Keep every heading, also where there is nothing to say under it.';

/** An instruction that asks for a summary under exactly these headings, in this order. */
export function template(sections: readonly Section[], aboutEmpty = KEEP_EMPTY): string {
  const body = sections.map(([heading, content]) => [heading, ...note(content)].join('\n'));
  return [
    'Write the summary from which another agent can continue the work above. It will not see the conversation.',
    `Use exactly these headings, in this order. ${aboutEmpty}`,
    '---',
    body.join('\n\n'),
    '---',
  ].join('\n');
}

/** The previous summary as it stands in an instruction, to be brought up to date. */
export function withPreviousSummary(instruction: string, previous: string | undefined): string {
  if (previous === undefined) return instruction;
  return `Bring this summary of the work before the conversation above up to date.\n<previous-summary>\n${previous}\n</previous-summary>\n\n${instruction}`;
}

function note(content: string): readonly string[] {
  return content === '' ? [] : [content.startsWith('-') ? content : `- [${content}]`];
}
