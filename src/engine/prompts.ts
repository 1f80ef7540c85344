const SIX_BULLETS = `You are a helpful AI assistant tasked with summarizing conversations.

When asked to summarize, provide a detailed but concise summary of the conversation.
Focus on information that would be helpful for continuing the conversation, including:
- What was done
- What is currently being worked on
- Which files are being modified
- What needs to be done next
- Key user requests, constraints, or preferences that should persist
- Important technical decisions and why they were made

Your summary should be comprehensive enough to provide context but concise enough to be quickly understood.`;

/** System prompts of the summary agent, by the release from which each holds. Texts: design documents 002 and 003. */
export const systemPrompts = {
  'v1.0.154': SIX_BULLETS,
  'v1.1.57': `${SIX_BULLETS}

Do not respond to any questions in the conversation, only output the summary.`,
} satisfies Record<string, string>;

/** The name of a system prompt of the summary agent. */
export type SystemPromptName = keyof typeof systemPrompts;

/** Instructions that stand after the head, by the release from which each holds. Texts: design documents 002 and 003. */
export const instructions = {
  'v1.0.123':
    "Provide a detailed prompt for continuing our conversation above. Focus on information that would be helpful for continuing the conversation, including what we did, what we're doing, which files we're working on, and what we're going to do next considering new session will not have access to our conversation.",
  'v1.1.57': `Provide a detailed prompt for continuing our conversation above.
Focus on information that would be helpful for continuing the conversation, including what we did, what we're doing, which files we're working on, and what we're going to do next.
The summary that you construct will be used so that another agent can read it and continue the work.

When constructing the summary, try to stick to this template:
---
## Goal

[What goal(s) is the user trying to accomplish?]

## Instructions

- [What important instructions did the user give you that are relevant]
- [If there is a plan or spec, include information about it so next agent can continue using it]

## Discoveries

[What notable things were learned during this conversation that would be useful for the next agent to know when continuing the work]

## Accomplished

[What work has been completed, what work is still in progress, and what work is left?]

## Relevant files / directories

[Construct a structured list of relevant files that have been read, edited, or created that pertain to the task at hand. If all the files in a directory are relevant, include the path to the directory.]
---`,
} satisfies Record<string, string>;

/** The name of a summary instruction. */
export type InstructionName = keyof typeof instructions;

/** What a program says in the user's place after a pivot, by the release from which each holds. Texts: design documents 000, 002 and 003. */
export const resumeTexts = {
  'v1.0.69': 'Continue if you have next steps',
  'v1.1.57':
    'Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.',
} satisfies Record<string, string>;

/** The name of a continue text. */
export type ResumeTextName = keyof typeof resumeTexts;

/**
 * Stands before the continue text when a refused prompt could not be sent again. The first sentence is
 * document 003's; the document breaks off there, and the rest is the project's own.
 */
export const REFUSAL_NOTE =
  "The previous request exceeded the provider's size limit due to large media attachments. The attachments were taken out of the conversation. If the user asked about one of them, say that it was too large, and ask for a smaller one.";
