import type { Policy } from '../policy.ts';
import { frozen } from '../values.ts';
import * as controls from './alternatives.ts';
import * as assistants from './assistants.ts';
import * as claude from './claude-code.ts';
import * as cline from './cline.ts';
import * as codex from './codex.ts';
import * as documents from './documents.ts';
import * as frameworks from './frameworks.ts';
import * as gemini from './gemini-cli.ts';
import * as opencode from './opencode.ts';
import * as early from './opencode-early.ts';
import * as peers from './peers.ts';

/** Presets by name, the control first; frozen, for all who share them. */
export const policies = named({
  none: controls.none,
  clairvoyant: controls.clairvoyant,
  random: controls.random,
  'largest-first': controls.largestFirst,
  'least-recently-used': controls.leastRecentlyUsed,
  'opencode-0.8': early.opencode08,
  'opencode-0.9.5': early.opencode095,
  'opencode-0.9.9': early.opencode099,
  'opencode-0.10': early.opencode010,
  'opencode-1.0.62': early.opencode1062,
  'opencode-1.0.69': early.opencode1069,
  'opencode-1.0.123': early.opencode10123,
  'opencode-1.0.154': early.opencode10154,
  'opencode-1.0.224': early.opencode10224,
  'opencode-1.1.23': early.opencode1123,
  'opencode-1.1.37': early.opencode1137,
  'opencode-1.1.54': early.opencode1154,
  'opencode-1.1.57': early.opencode1157,
  'opencode-1.1.60': early.opencode1160,
  'opencode-1.2.16': opencode.opencode1216,
  'opencode-1.3.0': opencode.opencode130,
  'opencode-1.3.4': opencode.opencode134,
  'opencode-1.3.6': opencode.opencode136,
  'opencode-1.3.16': opencode.opencode1316,
  'opencode-1.14.19': opencode.opencode11419,
  'opencode-1.14.21': opencode.opencode11421,
  'opencode-1.14.40': opencode.opencode11440,
  'opencode-1.15': opencode.opencode115,
  'opencode-1.16': opencode.opencode116,
  'opencode-1.17.13': opencode.opencode11713,
  'opencode-1.17.15': opencode.opencode11715,
  'opencode-1.18': opencode.opencode118,
  'opencode-1.18.15': opencode.opencode11815,
  'opencode-1.18.17': opencode.opencode11817,
  'opencode-2.0.0': opencode.opencode200,
  'opencode-2.0': opencode.opencode20,
  dcp: peers.dcp,
  'cline-classic': cline.clineClassic,
  'cline-3.0.57': cline.cline357,
  cline: cline.cline,
  'kilo-7.0': assistants.kilo70,
  'kilo-7.7': assistants.kilo77,
  kilo: assistants.kilo,
  'document-000': documents.document000,
  'document-001': documents.document001,
  'document-002': documents.document002,
  'document-003': documents.document003,
  'document-004': documents.document004,
  'document-004-processor': documents.document004Processor,
  'rolling-window': controls.rollingWindow,
  'selective-pruning': controls.selectivePruning,
  'external-memory': controls.externalMemory,
  'claude-code-2.0': claude.claudeCode20,
  'claude-code-2.1': claude.claudeCode21,
  'claude-code-2.1.14': claude.claudeCode2114,
  'claude-code-2.1.22': claude.claudeCode2122,
  'claude-code-2.1.31': claude.claudeCode2131,
  'claude-code': claude.claudeCode,
  'qwen-code-0.12': gemini.qwenCode012,
  'qwen-code-0.15': gemini.qwenCode015,
  'qwen-code': gemini.qwenCode,
  'gemini-cli-0.24': gemini.geminiCli024,
  'gemini-cli-0.34': gemini.geminiCli034,
  'gemini-cli': gemini.geminiCli,
  'codex-local-0.53': codex.codexLocal053,
  'codex-local-0.79': codex.codexLocal079,
  'codex-local': codex.codexLocal,
  'codex-remote': codex.codexRemote,
  'copilot-cli': assistants.copilotCli,
  'copilot-chat': assistants.copilotChat,
  pi: assistants.pi,
  'pi-1.6': assistants.pi16,
  'kimi-cli': assistants.kimiCli,
  'kimi-code-0.20': assistants.kimiCode020,
  'kimi-code-0.30': assistants.kimiCode030,
  'kimi-code': assistants.kimiCode,
  crush: peers.crush,
  goose: peers.goose,
  'anthropic-compact': peers.anthropicCompact,
  'anthropic-clear-tool-uses': peers.anthropicClearToolUses,
  'langchain-clear-tool-uses': peers.langchainClearToolUses,
  'vercel-prune-messages': peers.vercelPruneMessages,
  'verdict-scored': peers.verdictScored,
  'last-n-observations': peers.lastObservations,
  'openai-compact': peers.openaiCompact,
  'mimo-code': assistants.mimoCode,
  'continue-cli': assistants.continueCli,
  nanocoder: assistants.nanocoder,
  'roo-code': assistants.rooCode,
  hermes: assistants.hermes,
  aider: assistants.aider,
  langchain: frameworks.langchain,
  'langchain-messages': frameworks.langchainMessages,
  'langchain-clauses': frameworks.langchainClauses,
  deepagents: frameworks.deepagents,
  'deepagents-unknown-model': frameworks.deepagentsUnknownModel,
  openhands: frameworks.openhands,
  'openhands-240': frameworks.openhands240,
  'openhands-amortized': frameworks.openhandsAmortized,
  'openhands-masking': frameworks.openhandsMasking,
  letta: frameworks.letta,
  mastra: frameworks.mastra,
  strands: frameworks.strands,
  'inspect-edit': frameworks.inspectEdit,
  'inspect-trim': frameworks.inspectTrim,
  'docker-agent': frameworks.dockerAgent,
});

/** The name of a preset. */
export type PolicyName = keyof typeof policies;

function named<Name extends string>(
  presets: Readonly<Record<Name, Policy>>,
): Readonly<Record<Name, Policy>> {
  const entries = Object.entries<Policy>(presets);
  return frozen(
    Object.fromEntries(entries.map(([name, policy]) => [name, { ...policy, name }])) as Record<
      Name,
      Policy
    >,
  );
}
