/** Where presets come from: whose they are, of which releases, and how their rules are known. */

import type { PolicyName } from './index.ts';

/**
 * `observed`: a real agent was run or recorded, and does so; `read`: in its source; `documented`: in what its makers or
 * others write about it; `own`: nobody's but this project's, to compare with.
 */
export type Evidence = 'observed' | 'read' | 'documented' | 'own';

export interface PresetOrigin {
  /** The agent, service or document, as it calls itself. */
  readonly agent: string;
  /** First release that it claims; absent where no release is named. */
  readonly from?: string;
  /** Last release that it claims; absent means the newest that is known. */
  readonly to?: string;
  readonly evidence: Evidence;
  /** Day or month of the evidence, as `2026-11-28` or `2026-08`. */
  readonly date: string;
}

const OPENCODE = { agent: 'OpenCode', evidence: 'read', date: '2026-08' } as const;
const DOCUMENTS = { agent: 'Design documents', evidence: 'documented', date: '2026-08' } as const;
const CONTROLS = { agent: 'Controls', evidence: 'own', date: '2026-11' } as const;
const PEERS_DATE = '2026-08';

/** Origins by preset, for lists, and for whoever looks for the preset of a release. */
export const presetOrigins: Readonly<Record<PolicyName, PresetOrigin>> = {
  none: CONTROLS,
  clairvoyant: CONTROLS,
  random: CONTROLS,
  'largest-first': CONTROLS,
  'least-recently-used': CONTROLS,
  'opencode-0.8': { ...OPENCODE, from: '0.8.0', to: '0.9.4' },
  'opencode-1.0.224': { ...OPENCODE, from: '1.0.224', to: '1.1.22' },
  'opencode-1.1.23': { ...OPENCODE, from: '1.1.23', to: '1.1.56' },
  'opencode-1.1.57': { ...OPENCODE, from: '1.1.57', to: '1.1.59' },
  'opencode-1.2.16': { ...OPENCODE, from: '1.2.16', to: '1.14.18' },
  'opencode-1.14.19': { ...OPENCODE, from: '1.14.19', to: '1.14.20' },
  'opencode-1.14.21': { ...OPENCODE, from: '1.14.21', to: '1.14.39' },
  'opencode-1.14.40': { ...OPENCODE, from: '1.14.40', to: '1.14.50' },
  'opencode-1.15': { ...OPENCODE, from: '1.14.51', to: '1.15.13' },
  'opencode-1.16': { ...OPENCODE, from: '1.16.0', to: '1.17.14' },
  'opencode-1.18': { ...OPENCODE, from: '1.17.15', evidence: 'observed', date: '2026-11-28' },
  'opencode-2.0': { ...OPENCODE, agent: 'OpenCode 2', from: '2.0.0', date: '2026-09' },
  dcp: { agent: 'OpenCode with DCP', evidence: 'read', date: PEERS_DATE },
  kilo: { agent: 'Kilo', from: '7.0.0', evidence: 'observed', date: '2026-11-28' },
  'document-000': DOCUMENTS,
  'document-001': DOCUMENTS,
  'document-002': DOCUMENTS,
  'document-003': DOCUMENTS,
  'document-004': DOCUMENTS,
  'document-004-processor': DOCUMENTS,
  'rolling-window': DOCUMENTS,
  'selective-pruning': DOCUMENTS,
  'external-memory': DOCUMENTS,
  'claude-code': { agent: 'Claude Code', evidence: 'documented', date: PEERS_DATE },
  'qwen-code-0.12': {
    agent: 'Qwen Code',
    from: '0.12.0',
    to: '0.12.99',
    evidence: 'observed',
    date: '2026-11-28',
  },
  'qwen-code-0.15': {
    agent: 'Qwen Code',
    from: '0.15.10',
    to: '0.15.99',
    evidence: 'observed',
    date: '2026-11-28',
  },
  'qwen-code': { agent: 'Qwen Code', from: '0.21.10', evidence: 'observed', date: '2026-11-28' },
  'gemini-cli': { agent: 'Gemini CLI', from: '0.0.0', evidence: 'observed', date: '2026-11-28' },
  'codex-local': { agent: 'Codex', from: '0.0.0', evidence: 'observed', date: '2026-11-28' },
  pi: { agent: 'pi', from: '0.55.4', to: '0.84.3', evidence: 'observed', date: '2026-11-28' },
  'pi-1.6': { agent: 'pi', from: '0.84.4', evidence: 'observed', date: '2026-11-28' },
  'kimi-cli': { agent: 'Kimi CLI', evidence: 'read', date: PEERS_DATE },
  'kimi-code-0.20': {
    agent: 'Kimi Code',
    from: '0.20.0',
    to: '0.20.0',
    evidence: 'observed',
    date: '2026-11-28',
  },
  'kimi-code-0.30': {
    agent: 'Kimi Code',
    from: '0.25.0',
    to: '0.43.1',
    evidence: 'observed',
    date: '2026-11-28',
  },
  'kimi-code': { agent: 'Kimi Code', from: '2.0.2', evidence: 'observed', date: '2026-11-28' },
  crush: { agent: 'Crush', evidence: 'read', date: PEERS_DATE },
  goose: { agent: 'Goose', evidence: 'read', date: PEERS_DATE },
  'anthropic-compact': { agent: 'Anthropic API', evidence: 'documented', date: PEERS_DATE },
  'last-n-observations': { agent: 'SWE-agent', evidence: 'read', date: PEERS_DATE },
};
