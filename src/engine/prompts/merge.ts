/** Texts that hand on a previous summary, `{summary}`, by release; form and length are known, the words are the project's own. */
export const mergeTexts = {
  'v1.14.21': `Bring this summary of the work before the conversation above up to date.
<previous-summary>
{summary}
</previous-summary>`,
  'v1.18.17': `This is the summary of the work before the conversation above:

<prior-summary>
{summary}
</prior-summary>

Write one new summary out of that and the conversation. Nobody will see the old one again: whatever you leave out of the new one is gone.

How to bring both together:
- Take over goals, demands of the user, decisions and lines of work that run beside each other, also where the conversation says nothing about them. Leave out what is finished and of no more use.
- The conversation is the newer one. Where the two say different things, the conversation is right: write what is true now, and leave out what is not.
- Add what the conversation brought: progress, decisions, demands and facts.
- What was being done and is done now belongs under "Completed".
- Where something no longer stands in the way, say so, with the details that are still needed.
- Say under "Objective" and "Next Move" how things stand now.`,
} satisfies Record<string, string>;

/** The name of a text that asks to merge a previous summary. */
export type MergeTextName = keyof typeof mergeTexts;

/** An instruction behind the previous summary, if there is one. */
export function withPreviousSummary(
  instruction: string,
  previous: string | undefined,
  merge: MergeTextName = 'v1.14.21',
): string {
  if (previous === undefined) return instruction;
  return `${mergeTexts[merge].replace('{summary}', () => previous)}\n\n${instruction}`;
}
