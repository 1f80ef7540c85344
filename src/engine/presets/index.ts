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
import { claudeCode, claudeCode20, claudeCode21 } from './claude-code.ts';
import { codexLocal } from './codex.ts';
import { codexRemote } from './codex-remote.ts';
import { copilotChat, copilotCli } from './copilot.ts';
import { geminiCli } from './gemini-cli.ts';
import { kilo } from './kilo.ts';
import { kimiCli } from './kimi.ts';
import { crush, dcp, goose, lastObservations } from './peers.ts';
import { pi } from './pi.ts';
import { qwenCode } from './qwen-code.ts';
import { anthropicCompact } from './services.ts';

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
  'claude-code-2.0': claudeCode20,
  'claude-code-2.1': claudeCode21,
  'claude-code': claudeCode,
  'qwen-code': qwenCode,
  'gemini-cli': geminiCli,
  'codex-local': codexLocal,
  'codex-remote': codexRemote,
  'copilot-cli': copilotCli,
  'copilot-chat': copilotChat,
  pi,
  'kimi-cli': kimiCli,
  crush,
  goose,
  'anthropic-compact': anthropicCompact,
  'last-n-observations': lastObservations,
} satisfies Record<string, Policy>);

/** The name of a preset. */
export type PolicyName = keyof typeof policies;
