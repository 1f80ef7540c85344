import type { RereadPolicy, ResumePolicy, SummaryPolicy } from '../policy.ts';
import { instructions } from '../prompts/instructions.ts';
import { resumeTexts } from '../prompts/resume.ts';
import { systemPrompts } from '../prompts/system.ts';
import { amount, fields, flag, oneOf, optional, text } from './check.ts';

/** What the summarizer is sent. */
export const summaryForm = fields<SummaryPolicy>({
  systemPrompt: oneOf(systemPrompts),
  systemText: optional(text),
  instruction: oneOf(instructions),
  model: optional(text),
  stripMedia: flag,
  toolOutputChars: optional(amount),
  anchored: flag,
  markerInHead: flag,
  emptyText: optional(text),
  outputCapTokens: optional(amount),
  answers: oneOf<SummaryPolicy['answers']>({ marker: true, 'last-user': true }),
  onFailure: oneOf<SummaryPolicy['onFailure']>({ keep: true, 'roll-back': true }),
  overflowFinishes: flag,
  checksOwnUsage: flag,
});

const rereads = fields<RereadPolicy>({
  files: amount,
  fileTokens: amount,
  longFiles: oneOf<RereadPolicy['longFiles']>({ beginning: true, path: true }),
  totalTokens: amount,
});

/** How the session goes on after a pivot. */
export const resumeForm = fields<ResumePolicy>({
  continueText: optional(oneOf(resumeTexts)),
  onlyMidTurn: optional(flag),
  replayRefusedPrompt: flag,
  wrapReplay: flag,
  explainRefusal: flag,
  rereads: optional(rereads),
});
