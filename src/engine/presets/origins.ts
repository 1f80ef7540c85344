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
  /** Observed in recordings of people's sessions; absent where the oracle runs the agent itself. */
  readonly by?: 'recordings';
  /** Recorded compactions that it rests on; absent where nobody counted. */
  readonly recordings?: number;
  /** Day or month of the evidence, as `2026-11-28` or `2026-08`. */
  readonly date: string;
}

const OPENCODE = { agent: 'OpenCode', evidence: 'read', date: '2026-08' } as const;
const OBSERVED = { agent: 'OpenCode', evidence: 'observed', date: '2026-11-28' } as const;
const DOCUMENTS = { agent: 'Design documents', evidence: 'documented', date: '2026-08' } as const;
const CONTROLS = { agent: 'Controls', evidence: 'own', date: '2026-11' } as const;
const CLINE = { agent: 'Cline', evidence: 'observed', date: '2026-11-28' } as const;
const KILO = { agent: 'Kilo', evidence: 'observed', date: '2026-11-28' } as const;
const CODEX = { agent: 'Codex', evidence: 'observed', date: '2026-11-28' } as const;
const GEMINI = { agent: 'Gemini CLI', evidence: 'observed', date: '2026-11-28' } as const;
const QWEN = { agent: 'Qwen Code', evidence: 'observed', date: '2026-11-28' } as const;
const KIMI = { agent: 'Kimi Code', evidence: 'observed', date: '2026-11-28' } as const;
const RECORDED = { evidence: 'observed', by: 'recordings', date: '2026-11-28' } as const;
const CLAUDE_CODE = { agent: 'Claude Code', ...RECORDED } as const;
const OPENCODE_2 = { agent: 'OpenCode 2', evidence: 'read', date: '2026-09' } as const;
const PEERS_DATE = '2026-08';
const readIn = (agent: string): PresetOrigin => ({ agent, evidence: 'read', date: PEERS_DATE });
const documentedBy = (agent: string): PresetOrigin => ({
  agent,
  evidence: 'documented',
  date: PEERS_DATE,
});
const LANGCHAIN = documentedBy('LangChain');
const DEEPAGENTS = readIn('deepagents');
const OPENHANDS = readIn('OpenHands');
const INSPECT = readIn('Inspect');

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
  'opencode-2.0.0': { ...OPENCODE_2, from: '2.0.0', to: '2.0.11' },
  'opencode-2.0': { ...OPENCODE_2, from: '2.0.12' },
  dcp: readIn('OpenCode with DCP'),
  'cline-classic': { agent: 'Cline', to: '2.18.0', evidence: 'read', date: PEERS_DATE },
  'cline-3.0.57': { ...CLINE, from: '3.0.57', to: '3.0.63' },
  cline: { ...CLINE, from: '3.0.64' },
  'kilo-7.0': { ...KILO, from: '7.0.0', to: '7.0.33' },
  'kilo-7.7': { ...KILO, from: '7.7.0', to: '7.7.8' },
  kilo: { ...KILO, from: '7.7.9' },
  'document-000': DOCUMENTS,
  'document-001': DOCUMENTS,
  'document-002': DOCUMENTS,
  'document-003': DOCUMENTS,
  'document-004': DOCUMENTS,
  'document-004-processor': DOCUMENTS,
  'rolling-window': DOCUMENTS,
  'selective-pruning': DOCUMENTS,
  'external-memory': DOCUMENTS,
  'claude-code-2.0': { ...CLAUDE_CODE, from: '2.0.75', to: '2.1.2', recordings: 6 },
  'claude-code-2.1': { ...CLAUDE_CODE, from: '2.1.5', to: '2.1.7', recordings: 20 },
  'claude-code-2.1.14': { ...CLAUDE_CODE, from: '2.1.14', to: '2.1.20', recordings: 13 },
  'claude-code-2.1.22': { ...CLAUDE_CODE, from: '2.1.22', to: '2.1.29', recordings: 8 },
  'claude-code-2.1.31': { ...CLAUDE_CODE, from: '2.1.31', to: '2.1.49', recordings: 31 },
  'claude-code': { ...CLAUDE_CODE, from: '2.1.170', to: '2.1.332', recordings: 2 },
  'qwen-code-0.12': { ...QWEN, from: '0.12.0', to: '0.12.99' },
  'qwen-code-0.15': { ...QWEN, from: '0.15.10', to: '0.15.99' },
  'qwen-code': { ...QWEN, from: '0.21.10' },
  'gemini-cli-0.24': { ...GEMINI, from: '0.24.0', to: '0.24.0' },
  'gemini-cli-0.34': { ...GEMINI, from: '0.34.0', to: '0.52.0' },
  'gemini-cli': { ...GEMINI, from: '0.61.0' },
  'codex-local-0.53': { ...CODEX, from: '0.53.0', to: '0.66.0' },
  'codex-local-0.79': { ...CODEX, from: '0.79.0', to: '0.87.0' },
  'codex-local': { ...CODEX, from: '0.99.0' },
  'codex-remote': { agent: 'Codex with OpenAI', from: '0.104.0', ...RECORDED },
  'copilot-cli': { agent: 'Copilot CLI', from: '0.0.0', ...RECORDED },
  'copilot-chat': readIn('Copilot Chat'),
  pi: { agent: 'pi', from: '0.55.4', to: '0.84.3', evidence: 'observed', date: '2026-11-28' },
  'pi-1.6': { agent: 'pi', from: '0.84.4', evidence: 'observed', date: '2026-11-28' },
  'kimi-cli': readIn('Kimi CLI'),
  'kimi-code-0.20': { ...KIMI, from: '0.20.0', to: '0.20.0' },
  'kimi-code-0.30': { ...KIMI, from: '0.25.0', to: '0.43.1' },
  'kimi-code': { ...KIMI, from: '2.0.2' },
  crush: readIn('Crush'),
  goose: readIn('Goose'),
  'anthropic-compact': documentedBy('Anthropic API'),
  'anthropic-clear-tool-uses': documentedBy('Anthropic API'),
  'langchain-clear-tool-uses': readIn('LangChain'),
  'vercel-prune-messages': {
    agent: 'AI SDK',
    from: '6.0.326',
    evidence: 'read',
    date: '2026-11-28',
  },
  'verdict-scored': CONTROLS,
  'last-n-observations': readIn('SWE-agent'),
  'openai-compact': documentedBy('OpenAI API'),
  'mimo-code': readIn('MiMo-Code'),
  'continue-cli': {
    agent: 'Continue CLI',
    from: '1.5.47',
    evidence: 'observed',
    date: '2026-11-28',
  },
  nanocoder: { agent: 'nanocoder', from: '1.30.0', evidence: 'observed', date: '2026-11-28' },
  'roo-code': readIn('Roo Code'),
  hermes: documentedBy('Hermes'),
  aider: readIn('Aider'),
  langchain: LANGCHAIN,
  'langchain-messages': LANGCHAIN,
  'langchain-clauses': LANGCHAIN,
  deepagents: DEEPAGENTS,
  'deepagents-unknown-model': DEEPAGENTS,
  openhands: OPENHANDS,
  'openhands-240': OPENHANDS,
  'openhands-amortized': { ...OPENHANDS, date: '2025-12' },
  'openhands-masking': { ...OPENHANDS, date: '2025-12' },
  letta: readIn('Letta'),
  mastra: readIn('Mastra'),
  strands: readIn('Strands'),
  'inspect-edit': INSPECT,
  'inspect-trim': INSPECT,
  'docker-agent': readIn('Docker agent'),
};
