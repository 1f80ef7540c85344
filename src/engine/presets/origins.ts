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
const OBSERVED = { agent: 'OpenCode', evidence: 'observed', date: '2026-11-28' } as const;
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
  'opencode-0.9.5': { ...OPENCODE, from: '0.9.5', to: '0.9.8' },
  'opencode-0.9.9': { ...OPENCODE, from: '0.9.9', to: '0.9.11' },
  'opencode-0.10': { ...OPENCODE, from: '0.10.0', to: '1.0.61' },
  'opencode-1.0.62': { ...OPENCODE, from: '1.0.62', to: '1.0.68' },
  'opencode-1.0.69': { ...OBSERVED, from: '1.0.69', to: '1.0.122' },
  'opencode-1.0.123': { ...OBSERVED, from: '1.0.123', to: '1.0.153' },
  'opencode-1.0.154': { ...OBSERVED, from: '1.0.154', to: '1.0.223' },
  'opencode-1.0.224': { ...OBSERVED, from: '1.0.224', to: '1.1.22' },
  'opencode-1.1.23': { ...OPENCODE, from: '1.1.23', to: '1.1.36' },
  'opencode-1.1.37': { ...OBSERVED, from: '1.1.37', to: '1.1.53' },
  'opencode-1.1.54': { ...OPENCODE, from: '1.1.54', to: '1.1.56' },
  'opencode-1.1.57': { ...OBSERVED, from: '1.1.57', to: '1.1.59' },
  'opencode-1.1.60': { ...OBSERVED, from: '1.1.60', to: '1.2.15' },
  'opencode-1.2.16': { ...OBSERVED, from: '1.2.16', to: '1.2.27' },
  'opencode-1.3.0': { ...OBSERVED, from: '1.3.0', to: '1.3.3' },
  'opencode-1.3.4': { ...OPENCODE, from: '1.3.4', to: '1.3.5' },
  'opencode-1.3.6': { ...OPENCODE, from: '1.3.6', to: '1.3.15' },
  'opencode-1.3.16': { ...OPENCODE, from: '1.3.16', to: '1.14.18' },
  'opencode-1.14.19': { ...OPENCODE, from: '1.14.19', to: '1.14.20' },
  'opencode-1.14.21': { ...OBSERVED, from: '1.14.21', to: '1.14.39' },
  'opencode-1.14.40': { ...OBSERVED, from: '1.14.40', to: '1.14.50' },
  'opencode-1.15': { ...OBSERVED, from: '1.14.51', to: '1.15.13' },
  'opencode-1.16': { ...OBSERVED, from: '1.16.0', to: '1.17.12' },
  'opencode-1.17.13': { ...OPENCODE, from: '1.17.13', to: '1.17.14' },
  'opencode-1.17.15': { ...OBSERVED, from: '1.17.15', to: '1.18.3' },
  'opencode-1.18': { ...OBSERVED, from: '1.18.4', to: '1.18.14' },
  'opencode-1.18.15': { ...OBSERVED, from: '1.18.15', to: '1.18.16' },
  'opencode-1.18.17': { ...OBSERVED, from: '1.18.17' },
  'opencode-2.0.0': {
    ...OPENCODE,
    agent: 'OpenCode 2',
    from: '2.0.0',
    to: '2.0.11',
    date: '2026-09',
  },
  'opencode-2.0': { ...OPENCODE, agent: 'OpenCode 2', from: '2.0.12', date: '2026-09' },
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
  'qwen-code': { agent: 'Qwen Code', from: '0.0.0', evidence: 'observed', date: '2026-11-28' },
  'gemini-cli': { agent: 'Gemini CLI', from: '0.0.0', evidence: 'observed', date: '2026-11-28' },
  'codex-local': { agent: 'Codex', from: '0.0.0', evidence: 'observed', date: '2026-11-28' },
  pi: { agent: 'pi', from: '0.0.0', evidence: 'observed', date: '2026-11-28' },
  'kimi-cli': { agent: 'Kimi Code', from: '0.0.0', evidence: 'observed', date: '2026-11-28' },
  crush: { agent: 'Crush', evidence: 'read', date: PEERS_DATE },
  goose: { agent: 'Goose', evidence: 'read', date: PEERS_DATE },
  'anthropic-compact': { agent: 'Anthropic API', evidence: 'documented', date: PEERS_DATE },
  'last-n-observations': { agent: 'SWE-agent', evidence: 'read', date: PEERS_DATE },
};
