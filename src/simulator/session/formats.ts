import type { SessionFormat } from './format.ts';
import { aiSdk } from './formats/ai-sdk.ts';
import { aider } from './formats/aider.ts';
import { anthropicMessages } from './formats/anthropic-messages.ts';
import { atif } from './formats/atif.ts';
import { canonical } from './formats/canonical.ts';
import { claudeAgentSdk } from './formats/claude-agent-sdk.ts';
import { claudeCode } from './formats/claude-code.ts';
import { clineUi } from './formats/cline-ui.ts';
import { cline } from './formats/cline.ts';
import { codexExec } from './formats/codex-exec.ts';
import { codex } from './formats/codex.ts';
import { continueSession } from './formats/continue.ts';
import { copilotCli } from './formats/copilot-cli.ts';
import { crush } from './formats/crush.ts';
import { cursorCli } from './formats/cursor-cli.ts';
import { droid } from './formats/droid.ts';
import { geminiCli } from './formats/gemini-cli.ts';
import { geminiContents } from './formats/gemini-contents.ts';
import { geminiStream } from './formats/gemini-stream.ts';
import { goose } from './formats/goose.ts';
import { inspectAi } from './formats/inspect-ai.ts';
import { kimiCli } from './formats/kimi-cli.ts';
import { kimiCode } from './formats/kimi-code.ts';
import { langchain } from './formats/langchain.ts';
import { miniSweAgent } from './formats/mini-swe-agent.ts';
import { nanocoder } from './formats/nanocoder.ts';
import { openaiChat } from './formats/openai-chat.ts';
import { openaiResponses } from './formats/openai-responses.ts';
import { opencodeDatabase } from './formats/opencode-database.ts';
import { opencodeEvents } from './formats/opencode-events.ts';
import { opencodeExport } from './formats/opencode-export.ts';
import { opencodeShare } from './formats/opencode-share.ts';
import { opencodeStorage } from './formats/opencode-storage.ts';
import { openhands } from './formats/openhands.ts';
import { otelSpans } from './formats/otel-spans.ts';
import { parquet } from './formats/parquet.ts';
import { pi } from './formats/pi.ts';
import { qwenCode } from './formats/qwen-code.ts';
import { sweAgent } from './formats/swe-agent.ts';

/** The recorded formats that can be read, by name. The first of several equally sure matches claims a file. */
export const sessionFormats = {
  canonical,
  'claude-code': claudeCode,
  'opencode-export': opencodeExport,
  'opencode-share': opencodeShare,
  'opencode-events': opencodeEvents,
  'opencode-storage': opencodeStorage,
  'opencode-database': opencodeDatabase,
  'claude-agent-sdk': claudeAgentSdk,
  codex,
  'gemini-cli': geminiCli,
  'openai-chat': openaiChat,
  parquet,
  'otel-spans': otelSpans,
  pi,
  'swe-agent': sweAgent,
  'mini-swe-agent': miniSweAgent,
  openhands,
  atif,
  cline,
  'ai-sdk': aiSdk,
  'cursor-cli': cursorCli,
  'copilot-cli': copilotCli,
  'codex-exec': codexExec,
  'kimi-cli': kimiCli,
  'kimi-code': kimiCode,
  'qwen-code': qwenCode,
  droid,
  goose,
  'anthropic-messages': anthropicMessages,
  'gemini-contents': geminiContents,
  'openai-responses': openaiResponses,
  continue: continueSession,
  crush,
  aider,
  'gemini-stream': geminiStream,
  'cline-ui': clineUi,
  nanocoder,
  langchain,
  'inspect-ai': inspectAi,
} satisfies Record<string, SessionFormat>;

/** The name of a recorded format. */
export type FormatName = keyof typeof sessionFormats;
