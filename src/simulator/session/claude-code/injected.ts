import { isObject } from '../../lib/json.ts';
import { beginsWithAny } from '../reading/begins-with-any.ts';

/** How texts begin that a program put into the user's place. */
const INJECTED_STARTS = [
  '<bash-input>',
  '<bash-stderr>',
  '<bash-stdout>',
  '<command-args>',
  '<command-contents>',
  '<command-message>',
  '<command-name>',
  '<ide_diagnostics>',
  '<ide_opened_file>',
  '<ide_selection>',
  '<local-command-caveat>',
  '<local-command-stderr>',
  '<local-command-stdout>',
  '<system-reminder>',
  '<task-notification>',
  '[Request interrupted by user',
];

/** Where attachments of the various kinds keep what the model was shown. */
const TEXT_KEYS = [
  'addedBlocks',
  'addedLines',
  'banner',
  'blockingError',
  'content',
  'deltaSummary',
  'description',
  'file',
  'prompt',
  'skills',
  'snippet',
  'subject',
  'text',
];
const MAX_DEPTH = 6;

/** Whether a user's text is an echo of a command, a notice or a reminder: seen by the model, but no prompt. */
export function isInjectedText(text: string): boolean {
  return beginsWithAny(text, INJECTED_STARTS);
}

/** What an attachment put before the model; empty for those that only keep books. */
export function attachmentText(attachment: unknown): string {
  const rendered = isObject(attachment) ? attachment['rendered'] : undefined;
  return [...textsIn(rendered ?? attachment, MAX_DEPTH)].join('\n');
}

function* textsIn(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string' && value !== '') yield value;
  if (depth === 0) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* textsIn(item, depth - 1);
  } else if (isObject(value)) {
    for (const key of TEXT_KEYS) yield* textsIn(value[key], depth - 1);
  }
}
