/** Holds the sessions that an agent left against what the scripted server knows of the same run. */

import type { Usage } from '../src/engine/index.ts';
import { sum } from '../src/simulator/lib/collections.ts';
import { type ProviderScript, usageOf } from '../src/simulator/provider/scripted/script.ts';
import { outputMark } from '../src/simulator/provider/scripted/server.ts';
import { findLocalSessions, sessionPlaces } from '../src/simulator/session/files/local-sessions.ts';
import { loadSessions } from '../src/simulator/session/load.ts';
import { contextTokensOf, type Session } from '../src/simulator/session/session.ts';
import { outputOf } from '../src/simulator/session/tool-calls.ts';
import type { AgentName } from './agents.ts';
import { drive, type Driven } from './drive.ts';
import type { Release } from './install.ts';

/** A run in figures, in the order of requests. */
export interface Account {
  readonly calls: number;
  /** Characters of each output. */
  readonly outputs: readonly number[];
  /** Tokens of each answered step, such as `20000+10`, or `20000+100+1900` with reasoning. */
  readonly usages: readonly string[];
  /** Steps that were answered before each compaction. */
  readonly compactions: readonly number[];
}

/** The requests of a run, with what was answered. */
type Run = Pick<Driven, 'requests' | 'sent'>;

/** What the store of an agent keeps of a run, where that is not all, and why. */
interface Limit {
  readonly keeps: (run: Run) => Account;
  readonly why: string;
}

/** The sessions below a home, the oldest first, and why others could not be read. */
interface Store {
  readonly sessions: readonly Session[];
  readonly unread: readonly string[];
}

const FIELDS = ['calls', 'outputs', 'usages', 'compactions'] as const satisfies (keyof Account)[];

/** Known limits of stores; all other agents keep all of it. */
const limits: Readonly<Partial<Record<AgentName, Limit>>> = {
  cline: {
    keeps: (run) => ({ ...sentAccount(run), compactions: sentAccount(run).compactions.slice(-1) }),
    why: 'The file beside the messages has the newest compaction alone.',
  },
  continue: {
    keeps: ({ requests, sent }) => {
      const start = requests.findLastIndex(isSummary) + 1;
      return sentAccount({ requests: requests.slice(start), sent: sent.slice(start) });
    },
    why: 'A session begins with its newest summary; what was summarised is deleted.',
  },
};

/** Drives a script and imports what the agent left; tells in lines how both agree. */
export async function checkImport(
  release: Release,
  script: ProviderScript,
): Promise<{ readonly isEqual: boolean; readonly lines: readonly string[] }> {
  let store: Store = { sessions: [], unread: [] };
  const driven = await drive(release, script, (home) => {
    store = openStore(home);
  });
  const sent = sentAccount(driven);
  const { keeps, why } = limits[release.name] ?? {};
  const kept = keeps?.(driven) ?? sent;
  const differences = [
    ...(driven.end === 'completed' ? [] : [`the agent's run: ${driven.end}`]),
    ...(sent.calls > 0 ? [] : ['the agent made no call']),
    ...store.unread,
    ...differencesOf(kept, readAccount(store.sessions)),
  ];
  const isEqual = differences.length === 0;
  const head = isEqual ? `import equal (${countsOf(kept)})` : 'import DIFFERS';
  const isLimited = differencesOf(sent, kept).length > 0;
  const told = [...differences, ...(isLimited && why !== undefined ? [`known: ${why}`] : [])];
  return { isEqual, lines: [head, ...told.map((line) => `  ${line}`)] };
}

/** The figures of a run by the requests that the agent made. */
export function sentAccount({ requests, sent }: Run): Account {
  const steps = requests.filter(({ kind }) => kind === 'agent');
  const outputs = requests.flatMap(({ kind, answer, answered }, index) =>
    kind === 'agent' && answer === 'call' ? outputsOf(sent.slice(index + 1), answered) : [],
  );
  return {
    calls: outputs.length,
    outputs,
    usages: steps.flatMap(({ usage }) => (usage === undefined ? [] : [usageText(usageOf(usage))])),
    // A compaction may take several requests, all of them between the same two steps.
    compactions: [...new Set(requests.filter(isSummary).map(({ answered }) => answered))],
  };
}

/** The figures of a run by the sessions that were read. */
export function readAccount(sessions: readonly Session[]): Account {
  const messages = sessions.flatMap((session) => session.messages);
  const parts = messages.flatMap((message) => message.parts);
  const calls = parts.filter((part) => part.type === 'tool');
  const compactions = sessions.flatMap((session, index) => {
    const before = sum(sessions.slice(0, index).map((one) => stepsOf(one.messages)));
    return session.recordedCompactions
      .filter(({ kind }) => kind === 'full')
      .map(({ messageIndex }) => before + stepsOf(session.messages.slice(0, messageIndex)));
  });
  return {
    calls: calls.length,
    outputs: calls.map((part) => outputOf(part)?.length ?? 0),
    usages: messages.flatMap((message) =>
      message.role === 'assistant' && message.usage !== undefined ? [usageText(message.usage)] : [],
    ),
    compactions,
  };
}

/** Fields in which two accounts differ, in words. */
export function differencesOf(sent: Account, read: Account): readonly string[] {
  return FIELDS.flatMap((name) => {
    const [one, other] = [sent, read].map((account) => [account[name]].flat().join());
    return one === other ? [] : [`${name}: sent ${one || 'none'}, read ${other || 'none'}`];
  });
}

/** The sessions below a home, found and read as those of a user. */
function openStore(home: string): Store {
  const { agents, unread } = findLocalSessions(sessionPlaces({ HOME: home }), 0);
  const loaded = [...loadSessions(agents.flatMap(({ files }) => files))];
  return {
    sessions: loaded
      .flatMap((one) => (one.state === 'read' ? [one.session] : []))
      .toSorted((one, other) => beginOf(one) - beginOf(other)),
    unread: [...unread, ...loaded].flatMap((one) => ('reason' in one ? [one.reason] : [])),
  };
}

/** Characters of the outputs of an answer where they were sent first; one without its beginning is the newest that came next. */
function outputsOf(later: Run['sent'], answered: number): readonly number[] {
  const outputs = later.map(({ messages }) => messages.filter(({ role }) => role === 'tool'));
  const marked = (call: number) =>
    outputs.flat().find(({ text }) => text.includes(outputMark(answered, call)));
  const found = [marked(0) ?? outputs.find(({ length }) => length > 0)?.at(-1)];
  for (let more = marked(1); more !== undefined; more = marked(found.length)) found.push(more);
  return found.map((output) => {
    // In Gemini's dialect all of them are one message, line by line.
    const count = found.filter((other) => other === output).length;
    return ((output?.text.length ?? 0) + 1) / count - 1;
  });
}

function isSummary({ kind, answer }: Run['requests'][number]): boolean {
  return kind === 'summary' && answer === 'text';
}

function stepsOf(messages: Session['messages']): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

function beginOf({ messages: [first] }: Session): number {
  return first?.createdAt ?? 0;
}

/** An output has its reasoning in it, however its agent writes them. */
function usageText(usage: Usage): string {
  return `${contextTokensOf(usage)}+${usage.output + usage.reasoning}`;
}

function countsOf({ calls, outputs, usages, compactions }: Account): string {
  return `${calls} calls, ${outputs.length} outputs, ${usages.length} usages, ${compactions.length} compactions`;
}
