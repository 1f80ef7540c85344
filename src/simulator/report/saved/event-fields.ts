import type { RunEvent } from '../../events.ts';

type Kind = 'number' | 'string' | 'boolean' | 'list' | 'object';

/** Fields of saved events that every reader may rely on; others may be absent. */
const EVENT_FIELDS: Readonly<Record<RunEvent['type'], Readonly<Record<string, Kind>>>> = {
  'run-start': { session: 'string', policy: 'string', model: 'string', limits: 'object' },
  'turn-start': { turn: 'number' },
  'step-end': {
    step: 'number',
    turn: 'number',
    messageId: 'string',
    contextTokens: 'number',
    outputTokens: 'number',
    viewMessages: 'number',
    opensTurn: 'boolean',
    lostTokens: 'number',
    isCold: 'boolean',
    cacheReadTokens: 'number',
    cacheWriteTokens: 'number',
    freshTokens: 'number',
    latencyMs: 'number',
  },
  'step-refused': { step: 'number', contextTokens: 'number', windowTokens: 'number' },
  'step-malformed': { step: 'number', reason: 'string' },
  'step-truncated': { step: 'number', contextTokens: 'number', keptTokens: 'number' },
  'request-failed': { of: 'string', step: 'number', failure: 'string' },
  'model-changed': { step: 'number', model: 'string', limits: 'object' },
  overflow: { path: 'string' },
  'prune-end': {
    state: 'string',
    partIds: 'list',
    estimatedTokens: 'number',
    prunedTokens: 'number',
    survivingTokens: 'number',
  },
  'summary-end': {
    state: 'string',
    inputTokens: 'number',
    outputTokens: 'number',
    headMessages: 'number',
    latencyMs: 'number',
  },
  pivot: {
    messageId: 'string',
    auto: 'boolean',
    contextBeforeTokens: 'number',
    contextAfterTokens: 'number',
  },
  'summary-rejected': { reason: 'string' },
  'summary-repeated': { because: 'string' },
  'usage-ignored': { messageId: 'string', reason: 'string' },
  'moved-out': { messageIds: 'list' },
  'law-violated': { law: 'string', message: 'string', messageIds: 'list', isKnown: 'boolean' },
  reference: {
    step: 'number',
    kind: 'string',
    document: 'number',
    messageId: 'string',
    partId: 'string',
    sinceStep: 'number',
    tokens: 'number',
    callTokens: 'number',
  },
  eviction: { by: 'string', parts: 'number' },
  'stale-kept': { tokens: 'number' },
  standing: {
    at: 'string',
    constraints: 'number',
    paths: 'number',
    goneConstraints: 'list',
    gonePaths: 'list',
  },
  'turn-end': { turn: 'number' },
  'run-end': { state: 'string', finalContextTokens: 'number' },
};

/** What is wrong with a value as an event, in words that follow "but"; nothing where all is right. */
export function faultOfEvent(value: Readonly<Record<string, unknown>>): string | undefined {
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(EVENT_FIELDS, type)) return 'it is not an event';
  const fields = Object.entries(EVENT_FIELDS[type as RunEvent['type']]);
  const bad = fields.find(([name, kind]) => !isKind(value[name], kind));
  return bad && `its '${bad[0]}' is no ${bad[1]}`;
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === 'list') return Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (kind === 'object') return typeof value === 'object' && value !== null;
  return typeof value === kind;
}
