import type { RenderPolicy } from '../policy.ts';
import { fields, once, oneOf, text } from './check.ts';

/** The sentences of a policy that stand for what is not sent. */
export const renderForm = once(
  fields<RenderPolicy>({
    clearedOutput: text,
    markerQuestion: text,
    summaryAs: oneOf<RenderPolicy['summaryAs']>({
      assistant: true,
      checkpoint: true,
      handover: true,
    }),
  }),
);
