import { type ResumeTextName } from '../policy.ts';
/**
 * What a program says in the user's place after a pivot, by the release from which each holds, or by agent. `{request}`
 * stands for the text of the newest request. Texts: design documents 000, 002 and 003.
 */
export const resumeTexts = {
  /** Nothing is said: the next request follows at once. */
  none: '',
  /** Own words around the known beginning and end. */
  'v0.10.0': 'Use the above summary of our conversation to resume from where you left off.',
  'v1.0.69': 'Continue if you have next steps',
  'v1.1.57':
    'Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.',
  /** Own words; that the request is quoted is known. */
  crush:
    'The session grew too long and was summarized. Go on with what the user asked for: {request}',
} satisfies Record<ResumeTextName, string>;

/**
 * Stands before the continue text when a refused prompt could not be sent again. The first sentence is
 * document 003's; the document breaks off there, and the rest is the project's own.
 */
export const REFUSAL_NOTE =
  "The previous request exceeded the provider's size limit due to large media attachments. The attachments were taken out of the conversation. If the user asked about one of them, say that it was too large, and ask for a smaller one.";
