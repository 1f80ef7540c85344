import { type Cleanup } from './cleanup.ts';
import { type CleanupName, type CleanupPolicy } from '../policy.ts';
import { duplicates } from './duplicates.ts';
import { failedInputs } from './failed-inputs.ts';
import { media } from './media.ts';
import { reasoning } from './reasoning.ts';
import { superseded } from './superseded.ts';

/** Passes that find useless what they clear, by name. */
export const cleanups: Readonly<Record<CleanupName, Cleanup>> = {
  duplicates,
  superseded,
  'failed-inputs': failedInputs,
  media,
  reasoning,
};

/** Tools that the plugin leaves alone: their calls change something, or say what to do. */
const PROTECTED = [
  'task',
  'skill',
  'todowrite',
  'todoread',
  'compress',
  'batch',
  'plan_enter',
  'plan_exit',
  'write',
  'edit',
];
const FAILED = '[input removed due to failed tool call]';

/**
 * What each of them goes by where nothing else is said. Sources: the plugin "dynamic context pruning" for OpenCode, and
 * MiMo-Code for media and reasoning.
 */
export const defaultCleanups: Readonly<Record<CleanupName, CleanupPolicy>> = {
  duplicates: {
    pass: 'duplicates',
    when: 'before-request',
    protectedTools: PROTECTED,
    inputText: FAILED,
  },
  superseded: {
    pass: 'superseded',
    when: 'before-request',
    inputText:
      '[content removed to save context, this is not what was written to the file, but a placeholder]',
  },
  'failed-inputs': {
    pass: 'failed-inputs',
    when: 'before-request',
    protectedTools: PROTECTED,
    olderThan: { count: 4, unit: 'steps' },
    inputText: FAILED,
  },
  media: { pass: 'media', when: 'before-request', olderThan: { count: 3, unit: 'turns' } },
  reasoning: { pass: 'reasoning', when: 'before-request', olderThan: { count: 3, unit: 'turns' } },
};
