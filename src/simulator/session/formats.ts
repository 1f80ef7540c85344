import type { SessionFormat } from './format.ts';
import { aiSdk } from './formats/ai-sdk.ts';
import { aider } from './formats/aider.ts';
import { anthropicMessages, droid } from './formats/anthropic-messages.ts';
import { atif } from './formats/atif.ts';
import { canonical } from './formats/canonical.ts';
import { claudeAgentSdk } from './formats/claude-agent-sdk.ts';
import { claudeCode } from './formats/claude-code.ts';
import { codexExec, cursorCli, geminiStream } from './formats/cli-streams.ts';
import { clineUi } from './formats/cline-ui.ts';
import { cline } from './formats/cline.ts';
import { codex } from './formats/codex.ts';
import { continueSession } from './formats/continue.ts';
import { copilotCli } from './formats/copilot-cli.ts';
import { crush } from './formats/crush.ts';
import { geminiCli } from './formats/gemini-cli.ts';
import { geminiContents, qwenCode } from './formats/gemini-contents.ts';
import { goose } from './formats/goose.ts';
import { inspectAi } from './formats/inspect-ai.ts';
import { kimiCli, kimiCode } from './formats/kimi.ts';
import { langchain } from './formats/langchain.ts';
import { nanocoder, openaiChat, openaiResponses } from './formats/openai-chat.ts';
import { opencodeEvents } from './formats/opencode-events.ts';
import {
  opencodeDatabase,
  opencodeExport,
  opencodeShare,
  opencodeStorage,
} from './formats/opencode-stores.ts';
import { openhands } from './formats/openhands.ts';
import { otelSpans } from './formats/otel-spans.ts';
import { parquet } from './formats/parquet.ts';
import { pi } from './formats/pi.ts';
import { specstory } from './formats/specstory.ts';
import { miniSweAgent, sweAgent } from './formats/swe-agent.ts';

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
  specstory,
} satisfies Record<string, SessionFormat>;

/** The name of a recorded format. */
export type FormatName = keyof typeof sessionFormats;
