import type { Policy } from '../policy.ts';
import { frozen } from '../values.ts';
import {
  clairvoyant,
  externalMemory,
  largestFirst,
  leastRecentlyUsed,
  none,
  random,
  rollingWindow,
  selectivePruning,
} from './alternatives.ts';
import {
  document000,
  document001,
  document002,
  document003,
  document004,
  document004Processor,
} from './documents.ts';
import {
  opencode08,
  opencode10224,
  opencode1123,
  opencode11419,
  opencode11421,
  opencode11440,
  opencode115,
  opencode1157,
  opencode116,
  opencode118,
  opencode1216,
  opencode20,
} from './opencode.ts';
import {
  aider,
  continueCli,
  copilotChat,
  hermes,
  mimoCode,
  nanocoder,
  rooCode,
} from './assistants.ts';
import { claudeCode } from './claude-code.ts';
import { cline, cline357, clineClassic } from './cline.ts';
import { codexLocal, codexLocal053, codexLocal079 } from './codex.ts';
import { dockerAgent, inspectEdit, inspectTrim, strands } from './frameworks.ts';
import { geminiCli, geminiCli024, geminiCli034 } from './gemini-cli.ts';
import { kilo, kilo70, kilo77 } from './kilo.ts';
import { kimiCli, kimiCode, kimiCode020, kimiCode030 } from './kimi.ts';
import {
  deepagents,
  deepagentsUnknownModel,
  langchain,
  langchainClauses,
  langchainMessages,
} from './langchain.ts';
import { letta, mastra } from './letta.ts';
import { openhands, openhands240, openhandsAmortized, openhandsMasking } from './openhands.ts';
import { crush, dcp, goose, lastObservations } from './peers.ts';
import { pi, pi16 } from './pi.ts';
import { qwenCode, qwenCode012, qwenCode015 } from './qwen-code.ts';
import { anthropicCompact, openaiCompact } from './services.ts';

/** Presets by name, the control first; frozen, for all who share them. */
export const policies = frozen({
  none,
  clairvoyant,
  random,
  'largest-first': largestFirst,
  'least-recently-used': leastRecentlyUsed,
  'opencode-0.8': opencode08,
  'opencode-1.0.224': opencode10224,
  'opencode-1.1.23': opencode1123,
  'opencode-1.1.57': opencode1157,
  'opencode-1.2.16': opencode1216,
  'opencode-1.14.19': opencode11419,
  'opencode-1.14.21': opencode11421,
  'opencode-1.14.40': opencode11440,
  'opencode-1.15': opencode115,
  'opencode-1.16': opencode116,
  'opencode-1.18': opencode118,
  'opencode-2.0': opencode20,
  dcp,
  'cline-classic': clineClassic,
  'cline-3.0.57': cline357,
  cline,
  'kilo-7.0': kilo70,
  'kilo-7.7': kilo77,
  kilo,
  'document-000': document000,
  'document-001': document001,
  'document-002': document002,
  'document-003': document003,
  'document-004': document004,
  'document-004-processor': document004Processor,
  'rolling-window': rollingWindow,
  'selective-pruning': selectivePruning,
  'external-memory': externalMemory,
  'claude-code': claudeCode,
  'qwen-code-0.12': qwenCode012,
  'qwen-code-0.15': qwenCode015,
  'qwen-code': qwenCode,
  'gemini-cli-0.24': geminiCli024,
  'gemini-cli-0.34': geminiCli034,
  'gemini-cli': geminiCli,
  'codex-local-0.53': codexLocal053,
  'codex-local-0.79': codexLocal079,
  'codex-local': codexLocal,
  pi,
  'pi-1.6': pi16,
  'kimi-cli': kimiCli,
  'kimi-code-0.20': kimiCode020,
  'kimi-code-0.30': kimiCode030,
  'kimi-code': kimiCode,
  crush,
  goose,
  'anthropic-compact': anthropicCompact,
  'last-n-observations': lastObservations,
  'openai-compact': openaiCompact,
  'mimo-code': mimoCode,
  'continue-cli': continueCli,
  nanocoder,
  'roo-code': rooCode,
  hermes,
  aider,
  'copilot-chat': copilotChat,
  langchain,
  'langchain-messages': langchainMessages,
  'langchain-clauses': langchainClauses,
  deepagents,
  'deepagents-unknown-model': deepagentsUnknownModel,
  openhands,
  'openhands-240': openhands240,
  'openhands-amortized': openhandsAmortized,
  'openhands-masking': openhandsMasking,
  letta,
  mastra,
  strands,
  'inspect-edit': inspectEdit,
  'inspect-trim': inspectTrim,
  'docker-agent': dockerAgent,
} satisfies Record<string, Policy>);

/** The name of a preset. */
export type PolicyName = keyof typeof policies;
