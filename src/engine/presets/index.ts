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
  opencode010,
  opencode08,
  opencode095,
  opencode099,
  opencode10123,
  opencode10154,
  opencode10224,
  opencode1062,
  opencode1069,
  opencode1123,
  opencode1137,
  opencode1154,
  opencode1157,
  opencode1160,
} from './opencode-early.ts';
import {
  opencode11419,
  opencode11421,
  opencode11440,
  opencode115,
  opencode116,
  opencode11713,
  opencode11715,
  opencode118,
  opencode11815,
  opencode11817,
  opencode1216,
  opencode130,
  opencode1316,
  opencode134,
  opencode136,
  opencode20,
  opencode200,
} from './opencode.ts';
import { claudeCode } from './claude-code.ts';
import { codexLocal } from './codex.ts';
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
  'opencode-0.9.5': opencode095,
  'opencode-0.9.9': opencode099,
  'opencode-0.10': opencode010,
  'opencode-1.0.62': opencode1062,
  'opencode-1.0.69': opencode1069,
  'opencode-1.0.123': opencode10123,
  'opencode-1.0.154': opencode10154,
  'opencode-1.0.224': opencode10224,
  'opencode-1.1.23': opencode1123,
  'opencode-1.1.37': opencode1137,
  'opencode-1.1.54': opencode1154,
  'opencode-1.1.57': opencode1157,
  'opencode-1.1.60': opencode1160,
  'opencode-1.2.16': opencode1216,
  'opencode-1.3.0': opencode130,
  'opencode-1.3.4': opencode134,
  'opencode-1.3.6': opencode136,
  'opencode-1.3.16': opencode1316,
  'opencode-1.14.19': opencode11419,
  'opencode-1.14.21': opencode11421,
  'opencode-1.14.40': opencode11440,
  'opencode-1.15': opencode115,
  'opencode-1.16': opencode116,
  'opencode-1.17.13': opencode11713,
  'opencode-1.17.15': opencode11715,
  'opencode-1.18': opencode118,
  'opencode-1.18.15': opencode11815,
  'opencode-1.18.17': opencode11817,
  'opencode-2.0.0': opencode200,
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
  'claude-code': claudeCode,
  'qwen-code': qwenCode,
  'gemini-cli': geminiCli,
  'codex-local': codexLocal,
  pi,
  'kimi-cli': kimiCli,
  crush,
  goose,
  'anthropic-compact': anthropicCompact,
  'last-n-observations': lastObservations,
} satisfies Record<string, Policy>);

/** The name of a preset. */
export type PolicyName = keyof typeof policies;
