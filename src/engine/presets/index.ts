import type { Policy } from '../policy.ts';
import { frozen } from '../values.ts';
import * as assistants from './assistants.ts';
import * as documents from './documents.ts';
import * as makers from './model-makers.ts';
import * as frameworks from './frameworks.ts';
import * as opencode from './opencode.ts';
import * as peers from './peers.ts';

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

type Row = readonly [policy: Policy, origin: PresetOrigin];

const observedOf = (agent: string) => originOf(agent, 'observed', '2026-11-28');
const readIn = (agent: string) => originOf(agent, 'read', '2026-08');
const documentedBy = (agent: string) => originOf(agent, 'documented', '2026-08');
const recordedOf = (agent: string): PresetOrigin => ({
  agent,
  evidence: 'observed',
  by: 'recordings',
  date: '2026-11-28',
});
const OPENCODE = readIn('OpenCode');
const DOCUMENTS = documentedBy('Design documents');
const CONTROLS = originOf('Controls', 'own', '2026-11');
const OBSERVED = observedOf('OpenCode');
const CLINE = observedOf('Cline');
const KILO = observedOf('Kilo');
const CODEX = observedOf('Codex');
const CODEX_OPENAI = recordedOf('Codex with OpenAI');
const GEMINI = observedOf('Gemini CLI');
const QWEN = observedOf('Qwen Code');
const KIMI = observedOf('Kimi Code');
const PI = observedOf('pi');
const claudeCode = (first: string, last: string, recordings: number) => ({
  ...from(recordedOf('Claude Code'), first, last),
  recordings,
});
const OPENCODE_2 = originOf('OpenCode 2', 'read', '2026-09');
const LANGCHAIN = documentedBy('LangChain');
const DEEPAGENTS = readIn('deepagents');
const OPENHANDS = readIn('OpenHands');
const INSPECT = readIn('Inspect');

const PRESETS = {
  none: [documents.none, CONTROLS],
  clairvoyant: [documents.clairvoyant, CONTROLS],
  random: [documents.random, CONTROLS],
  'largest-first': [documents.largestFirst, CONTROLS],
  'least-recently-used': [documents.leastRecentlyUsed, CONTROLS],
  'opencode-0.8': [opencode.opencode08, from(OPENCODE, '0.8.0', '0.9.4')],
  'opencode-0.9.5': [opencode.opencode095, from(OPENCODE, '0.9.5', '0.9.8')],
  'opencode-0.9.9': [opencode.opencode099, from(OPENCODE, '0.9.9', '0.9.11')],
  'opencode-0.10': [opencode.opencode010, from(OPENCODE, '0.10.0', '1.0.61')],
  'opencode-1.0.62': [opencode.opencode1062, from(OPENCODE, '1.0.62', '1.0.68')],
  'opencode-1.0.69': [opencode.opencode1069, from(OBSERVED, '1.0.69', '1.0.122')],
  'opencode-1.0.123': [opencode.opencode10123, from(OBSERVED, '1.0.123', '1.0.153')],
  'opencode-1.0.154': [opencode.opencode10154, from(OBSERVED, '1.0.154', '1.0.223')],
  'opencode-1.0.224': [opencode.opencode10224, from(OBSERVED, '1.0.224', '1.1.22')],
  'opencode-1.1.23': [opencode.opencode1123, from(OPENCODE, '1.1.23', '1.1.36')],
  'opencode-1.1.37': [opencode.opencode1137, from(OBSERVED, '1.1.37', '1.1.53')],
  'opencode-1.1.54': [opencode.opencode1154, from(OPENCODE, '1.1.54', '1.1.56')],
  'opencode-1.1.57': [opencode.opencode1157, from(OBSERVED, '1.1.57', '1.1.59')],
  'opencode-1.1.60': [opencode.opencode1160, from(OBSERVED, '1.1.60', '1.2.15')],
  'opencode-1.2.16': [opencode.opencode1216, from(OBSERVED, '1.2.16', '1.2.27')],
  'opencode-1.3.0': [opencode.opencode130, from(OBSERVED, '1.3.0', '1.3.3')],
  'opencode-1.3.4': [opencode.opencode134, from(OPENCODE, '1.3.4', '1.3.5')],
  'opencode-1.3.6': [opencode.opencode136, from(OPENCODE, '1.3.6', '1.3.15')],
  'opencode-1.3.16': [opencode.opencode1316, from(OPENCODE, '1.3.16', '1.14.18')],
  'opencode-1.14.19': [opencode.opencode11419, from(OPENCODE, '1.14.19', '1.14.20')],
  'opencode-1.14.21': [opencode.opencode11421, from(OBSERVED, '1.14.21', '1.14.39')],
  'opencode-1.14.40': [opencode.opencode11440, from(OBSERVED, '1.14.40', '1.14.50')],
  'opencode-1.15': [opencode.opencode115, from(OBSERVED, '1.14.51', '1.15.13')],
  'opencode-1.16': [opencode.opencode116, from(OBSERVED, '1.16.0', '1.17.12')],
  'opencode-1.17.13': [opencode.opencode11713, from(OPENCODE, '1.17.13', '1.17.14')],
  'opencode-1.17.15': [opencode.opencode11715, from(OBSERVED, '1.17.15', '1.18.3')],
  'opencode-1.18': [opencode.opencode118, from(OBSERVED, '1.18.4', '1.18.14')],
  'opencode-1.18.15': [opencode.opencode11815, from(OBSERVED, '1.18.15', '1.18.16')],
  'opencode-1.18.17': [opencode.opencode11817, from(OBSERVED, '1.18.17')],
  'opencode-2.0.0': [opencode.opencode200, from(OPENCODE_2, '2.0.0', '2.0.11')],
  'opencode-2.0': [opencode.opencode20, from(OPENCODE_2, '2.0.12')],
  dcp: [peers.dcp, readIn('OpenCode with DCP')],
  'cline-classic': [assistants.clineClassic, { ...readIn('Cline'), to: '2.18.0' }],
  'cline-3.0.57': [assistants.cline357, from(CLINE, '3.0.57', '3.0.63')],
  cline: [assistants.cline, from(CLINE, '3.0.64')],
  'kilo-7.0': [assistants.kilo70, from(KILO, '7.0.0', '7.0.33')],
  'kilo-7.7': [assistants.kilo77, from(KILO, '7.7.0', '7.7.6')],
  kilo: [assistants.kilo, from(KILO, '7.7.7')],
  'document-000': [documents.document000, DOCUMENTS],
  'document-001': [documents.document001, DOCUMENTS],
  'document-002': [documents.document002, DOCUMENTS],
  'document-003': [documents.document003, DOCUMENTS],
  'document-004': [documents.document004, DOCUMENTS],
  'document-004-processor': [documents.document004Processor, DOCUMENTS],
  'rolling-window': [documents.rollingWindow, DOCUMENTS],
  'selective-pruning': [documents.selectivePruning, DOCUMENTS],
  'external-memory': [documents.externalMemory, DOCUMENTS],
  'claude-code-2.0': [makers.claudeCode20, claudeCode('2.0.75', '2.1.2', 6)],
  'claude-code-2.1': [makers.claudeCode21, claudeCode('2.1.5', '2.1.7', 20)],
  'claude-code-2.1.14': [makers.claudeCode2114, claudeCode('2.1.14', '2.1.20', 13)],
  'claude-code-2.1.22': [makers.claudeCode2122, claudeCode('2.1.22', '2.1.29', 8)],
  'claude-code-2.1.31': [makers.claudeCode2131, claudeCode('2.1.31', '2.1.49', 31)],
  'claude-code': [makers.claudeCode, claudeCode('2.1.170', '2.1.332', 2)],
  'qwen-code-0.12': [makers.qwenCode012, from(QWEN, '0.12.0', '0.12.0')],
  'qwen-code-0.15': [makers.qwenCode015, from(QWEN, '0.15.10', '0.15.10')],
  'qwen-code-0.21': [makers.qwenCode0212, from(QWEN, '0.21.2', '0.21.2')],
  'qwen-code-0.21.10': [makers.qwenCode02110, from(QWEN, '0.21.10', '0.21.10')],
  'qwen-code': [makers.qwenCode, from(QWEN, '0.23.0')],
  'gemini-cli-0.24': [makers.geminiCli024, from(GEMINI, '0.24.0', '0.25.0')],
  'gemini-cli-0.26': [makers.geminiCli026, from(GEMINI, '0.26.0', '0.29.0')],
  'gemini-cli-0.34': [makers.geminiCli034, from(GEMINI, '0.30.0', '0.53.0')],
  'gemini-cli': [makers.geminiCli, from(GEMINI, '0.57.0')],
  'codex-local-0.53': [makers.codexLocal053, from(CODEX, '0.53.0', '0.53.0')],
  'codex-local-0.59': [makers.codexLocal059, from(CODEX, '0.59.0', '0.73.0')],
  'codex-local-0.79': [makers.codexLocal079, from(CODEX, '0.74.0', '0.94.0')],
  'codex-local-0.95': [makers.codexLocal095, from(CODEX, '0.95.0', '0.98.0')],
  'codex-local-0.99': [makers.codexLocal099, from(CODEX, '0.99.0', '0.168.0')],
  'codex-local': [makers.codexLocal, from(CODEX, '0.169.0')],
  'codex-remote-0.77': [makers.codexRemote077, from(CODEX_OPENAI, '0.77.0', '0.77.0')],
  'codex-remote': [makers.codexRemote, from(CODEX_OPENAI, '0.104.0')],
  'copilot-cli': [assistants.copilotCli, from(recordedOf('Copilot CLI'), '0.0.0')],
  'copilot-chat': [assistants.copilotChat, readIn('Copilot Chat')],
  pi: [assistants.pi, from(PI, '0.55.4', '0.84.3')],
  'pi-0.84': [assistants.pi084, from(PI, '0.84.4', '0.85.1')],
  'pi-0.86': [assistants.pi086, from(PI, '0.86.1', '1.3.0')],
  'pi-1.6': [assistants.pi16, from(PI, '1.4.0')],
  'kimi-cli': [assistants.kimiCli, readIn('Kimi CLI')],
  'kimi-code-0.20': [assistants.kimiCode020, from(KIMI, '0.20.0', '0.20.0')],
  'kimi-code-0.30': [assistants.kimiCode030, from(KIMI, '0.25.0', '0.38.0')],
  'kimi-code-0.39': [assistants.kimiCode039, from(KIMI, '0.39.0', '0.43.1')],
  'kimi-code': [assistants.kimiCode, from(KIMI, '2.0.2')],
  crush: [peers.crush, readIn('Crush')],
  goose: [peers.goose, readIn('Goose')],
  'anthropic-compact': [peers.anthropicCompact, documentedBy('Anthropic API')],
  'anthropic-clear-tool-uses': [peers.anthropicClearToolUses, documentedBy('Anthropic API')],
  'langchain-clear-tool-uses': [peers.langchainClearToolUses, readIn('LangChain')],
  'vercel-prune-messages': [
    peers.vercelPruneMessages,
    from(originOf('AI SDK', 'read', '2026-11-28'), '6.0.326'),
  ],
  'verdict-scored': [peers.verdictScored, CONTROLS],
  'last-n-observations': [peers.lastObservations, readIn('SWE-agent')],
  'openai-compact': [peers.openaiCompact, documentedBy('OpenAI API')],
  'mimo-code': [assistants.mimoCode, readIn('MiMo-Code')],
  'continue-cli': [assistants.continueCli, from(observedOf('Continue CLI'), '1.5.47')],
  nanocoder: [assistants.nanocoder, from(observedOf('nanocoder'), '1.30.0')],
  'roo-code': [assistants.rooCode, readIn('Roo Code')],
  hermes: [assistants.hermes, documentedBy('Hermes')],
  aider: [assistants.aider, readIn('Aider')],
  langchain: [frameworks.langchain, LANGCHAIN],
  'langchain-messages': [frameworks.langchainMessages, LANGCHAIN],
  'langchain-clauses': [frameworks.langchainClauses, LANGCHAIN],
  deepagents: [frameworks.deepagents, DEEPAGENTS],
  'deepagents-unknown-model': [frameworks.deepagentsUnknownModel, DEEPAGENTS],
  openhands: [frameworks.openhands, OPENHANDS],
  'openhands-240': [frameworks.openhands240, OPENHANDS],
  'openhands-amortized': [frameworks.openhandsAmortized, { ...OPENHANDS, date: '2025-12' }],
  'openhands-masking': [frameworks.openhandsMasking, { ...OPENHANDS, date: '2025-12' }],
  letta: [frameworks.letta, readIn('Letta')],
  mastra: [frameworks.mastra, readIn('Mastra')],
  strands: [frameworks.strands, readIn('Strands')],
  'inspect-edit': [frameworks.inspectEdit, INSPECT],
  'inspect-trim': [frameworks.inspectTrim, INSPECT],
  'docker-agent': [frameworks.dockerAgent, readIn('Docker agent')],
} satisfies Record<string, Row>;

/** The name of a preset. */
export type PolicyName = keyof typeof PRESETS;

/** Presets by name, the control first; frozen, for all who share them. */
export const policies: Readonly<Record<PolicyName, Policy>> = frozen(
  mapRows(([policy], name): Policy => ({ ...policy, name })),
);

/** Origins by preset, for lists, and for whoever looks for the preset of a release. */
export const presetOrigins: Readonly<Record<PolicyName, PresetOrigin>> = mapRows(
  ([, origin]) => origin,
);

function originOf(agent: string, evidence: Evidence, date: string): PresetOrigin {
  return { agent, evidence, date };
}

function from(origin: PresetOrigin, first: string, last?: string): PresetOrigin {
  return { ...origin, from: first, ...(last !== undefined && { to: last }) };
}

function mapRows<Value>(map: (row: Row, name: string) => Value): Record<PolicyName, Value> {
  const entries = Object.entries<Row>(PRESETS).map(([name, row]) => [name, map(row, name)]);
  return Object.fromEntries(entries) as Record<PolicyName, Value>;
}
