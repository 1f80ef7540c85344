/** Holds a record against the engine, field by field. */

import type { Policy, SummaryForm } from '../src/engine/index.ts';
import { known } from '../src/simulator/lib/collections.ts';
import { type Agent, type AgentName, agents } from './agents.ts';
import { type ExpectedRequest, expectRequests } from './expect.ts';
import { describeMoves, movesOf, type OracleRecord } from './record.ts';
import { makeScript, type ScriptName } from './scripts.ts';

/** Two accounts of one field of a run, as text. */
interface Told {
  readonly seen: string;
  readonly expected: string;
}

/** A field, as a record and as the engine tell it. */
interface Field {
  readonly seen: (record: OracleRecord) => string;
  readonly expected: (requests: readonly ExpectedRequest[]) => string;
}

type Form = Pick<SummaryForm, 'kind' | 'tools'>;
type Request = OracleRecord['requests'][number];

/** Almost all: an agent writes the time or the number of a turn into its prompt. */
const WHOLE = 0.99;
/** All but the words that ask for a summary. */
const MOST = 0.9;

/** `p2o3`: two prompts and three outputs, word for word. */
const heldIn = ({ promptsKept, outputsKept }: { promptsKept: number; outputsKept: number }) =>
  `p${promptsKept}o${outputsKept}`;

const formText = ({ kind, tools }: Form) => `${kind}${tools ? ' with tools' : ''}`;

const distinct = (texts: readonly string[]) => [...new Set(texts)].join(', ');

/** Fields by name: the order of requests, what those of the agent hold, what those for a summary hold, and their form. */
export const fields = {
  moves: {
    seen: (record) => describeMoves(movesOf(record)),
    expected: describeMoves,
  },
  kept: {
    seen: ({ requests }) => requests.filter(isOfAgent).map(heldIn).join(' '),
    expected: (requests) => requests.filter(isOfAgent).map(heldIn).join(' '),
  },
  asked: {
    seen: ({ requests }) => requests.filter(isForSummary).map(heldIn).join(' '),
    expected: (requests) => requests.filter(isForSummary).map(heldIn).join(' '),
  },
  form: {
    seen: (record) => distinct(formsOf(record).map(formText)),
    expected: (requests) =>
      distinct(requests.flatMap(({ form }) => (form === undefined ? [] : [formText(form)]))),
  },
} satisfies Record<string, Field>;

export type FieldName = keyof typeof fields;

export const fieldNames = Object.keys(fields) as readonly FieldName[];

/** Fields in which a record differs from the preset. Where the order of requests differs, the others cannot be compared. */
export function differencesOf(
  record: OracleRecord,
  policy: Policy,
): Readonly<Partial<Record<FieldName, Told>>> {
  const { script, agent, ...setting } = record;
  const own: Agent = agents[agent as AgentName];
  const made = { ...setting, ...known({ settings: own.settings?.(record.version) }) };
  const requests = expectRequests(policy, makeScript(script as ScriptName, made), own);
  const told = fieldNames.map((name) => {
    const { seen, expected }: Field = fields[name];
    return [name, { seen: seen(record), expected: expected(requests) }] as const;
  });
  const different = told.filter(([, { seen, expected }]) => seen !== expected);
  const moves = different.filter(([name]) => name === 'moves');
  return Object.fromEntries(moves.length > 0 ? moves : different);
}

/** How each request for a summary was built, by what it shares with the agent's request before it. */
export function formsOf({ requests }: Pick<OracleRecord, 'requests'>): readonly Form[] {
  return requests.flatMap((request, index) => {
    if (!isForSummary(request)) return [];
    const before = requests.slice(0, index).findLast(isOfAgent);
    return [formOf(request, before?.chars ?? 0)];
  });
}

/** What stays word for word is no part of it: then it is all but its end a beginning of the request before. */
function formOf({ samePrefix, chars, roles, tools }: Request, charsBefore: number): Form {
  const isFlat = (roles['user'] ?? 0) === 1 && (roles['assistant'] ?? 0) === 0;
  const isOwn = samePrefix < WHOLE && samePrefix * charsBefore < MOST * chars;
  return { kind: isOwn ? (isFlat ? 'flattened' : 'fresh') : 'extends', tools: tools > 0 };
}

function isOfAgent({ kind }: { readonly kind: string }): boolean {
  return kind === 'agent';
}

function isForSummary({ kind }: { readonly kind: string }): boolean {
  return kind === 'summary';
}
