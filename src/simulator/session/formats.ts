import { claudeCode } from './claude-code/format.ts';
import type { SessionFormat } from './format.ts';
import { openaiChat } from './openai-chat/format.ts';
import { opencodeExport } from './opencode-export/format.ts';

/** The recorded formats that can be read, by name. At most one of them claims a file. */
export const formats = {
  'opencode-export': opencodeExport,
  'claude-code': claudeCode,
  'openai-chat': openaiChat,
} satisfies Record<string, SessionFormat>;

/** The name of a recorded format. */
export type FormatName = keyof typeof formats;
