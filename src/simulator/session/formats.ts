import { aiSdk } from './ai-sdk/format.ts';
import { atif } from './atif/format.ts';
import { canonical } from './canonical/format.ts';
import { claudeAgentSdk } from './claude-agent-sdk/format.ts';
import { claudeCode } from './claude-code/format.ts';
import { cline } from './cline/format.ts';
import { codex } from './codex/format.ts';
import type { SessionFormat } from './format.ts';
import { miniSweAgent } from './mini-swe-agent/format.ts';
import { geminiCli } from './gemini-cli/format.ts';
import { openaiChat } from './openai-chat/format.ts';
import { opencodeEvents } from './opencode-events/format.ts';
import { opencodeExport } from './opencode-export/format.ts';
import { opencodeShare } from './opencode-share/format.ts';
import { opencodeStorage } from './opencode-storage/format.ts';
import { openhands } from './openhands/format.ts';
import { pi } from './pi/format.ts';
import { sweAgent } from './swe-agent/format.ts';

/** The recorded formats that can be read, by name. At most one of them claims a file. */
export const sessionFormats = {
  canonical,
  'claude-code': claudeCode,
  'opencode-export': opencodeExport,
  'opencode-share': opencodeShare,
  'opencode-events': opencodeEvents,
  'opencode-storage': opencodeStorage,
  'claude-agent-sdk': claudeAgentSdk,
  codex,
  'gemini-cli': geminiCli,
  'openai-chat': openaiChat,
  pi,
  'swe-agent': sweAgent,
  'mini-swe-agent': miniSweAgent,
  openhands,
  atif,
  cline,
  'ai-sdk': aiSdk,
} satisfies Record<string, SessionFormat>;

/** The name of a recorded format. */
export type FormatName = keyof typeof sessionFormats;
