import type { Message, Usage } from '../../engine/index.ts';
import type { PlantedFact } from './facts.ts';

/** A compaction by the recording agent. */
export interface RecordedCompaction {
  /** `full`: history replaced by a summary. `micro`: old outputs cleared. */
  readonly kind: 'full' | 'micro';
  readonly trigger?: 'auto' | 'manual';
  /** Messages of the session before it. */
  readonly messageIndex: number;
  /** Context tokens before it; for `micro`, tokens of the tool outputs, some of which were cleared. */
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
  /** The recorded summary; absent if the format does not keep it. */
  readonly summary?: string;
  /** Usage of the request that wrote the summary; absent where it is not recorded. */
  readonly summaryUsage?: Usage;
  /** Call ids whose outputs were cleared, for `micro`. */
  readonly clearedCallIds?: readonly string[];
  /** Index of the first message kept verbatim; absent if all before it were replaced, or it is unknown. */
  readonly firstKeptMessageIndex?: number;
}

/** A call answered by a sub-agent's session. */
export interface SideSessionLink {
  readonly callId: string;
  /** The recorder's id of the session, which may be in another file or lost. */
  readonly sessionId: string;
}

/** A window that the recording states. */
export interface RecordedWindow {
  /** The first message that it holds for. */
  readonly messageIndex: number;
  readonly contextTokens: number;
}

/** The recorded cost of a step, in whole nano-dollars. */
export interface RecordedCost {
  /** All input: fresh, read from the cache and written to it. */
  readonly inputNanoUsd: number;
  readonly outputNanoUsd: number;
}

/** Counts of dropped, repaired and guessed records, by reason. */
export interface ImportReport {
  /** Records that could not be parsed or have no known type. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Values that were repaired or filled in. */
  readonly repaired: Readonly<Record<string, number>>;
}

/** One recorded conversation, without the compactions of its agent. */
export interface Session {
  /** The path as given, with `#index` if the file holds several sessions. */
  readonly name: string;
  readonly format: string;
  /** The recorder's id of the session, which growing copies share. */
  readonly sessionId?: string;
  /** Set for the session of a sub-agent. */
  readonly isSide: boolean;
  /** The recorder's id of the parent session, if recorded. */
  readonly parentSessionId?: string;
  /** Calls answered by sub-agents, in order; absent if unknown. */
  readonly sideSessions?: readonly SideSessionLink[];
  /** Earlier messages are absent: the session was resumed, or cut at a boundary. */
  readonly isPartial: boolean;
  /** `provider/model` of most steps; the first of equals. */
  readonly model?: string;
  /** The folder that the agent worked in; absent if not recorded. */
  readonly folder?: string;
  /** Values of a data set about it by column, such as its task and whether that was resolved. */
  readonly labels?: Readonly<Record<string, string | number | boolean>>;
  /** Its texts are filler. */
  readonly isRedacted?: boolean;
  /** The system prompt, if recorded. */
  readonly system?: string;
  /** Definitions of tools that its requests carried, in characters; absent if not recorded. */
  readonly definitions?: readonly { readonly tool: string; readonly chars: number }[];
  /** The full history, as if nobody had compacted, with the recorded `usage` of steps. */
  readonly messages: readonly Message[];
  readonly recordedCompactions: readonly RecordedCompaction[];
  /** Numbers of messages before which the agent was started anew; absent if not recorded. */
  readonly restarts?: readonly number[];
  /** The newest release of the recording agent as numbers, such as 2, 1, 17; absent if not recorded. */
  readonly release?: readonly number[];
  /** Recorded `usage.output` is the final count. */
  readonly isOutputFinal: boolean;
  /** Set if no usage reports cache reads, so that they stand at 0. */
  readonly isCacheUnknown?: boolean;
  /** The requested lifetime of the prompt cache; absent if not recorded. */
  readonly cacheTtlMs?: number;
  /** Stated windows in order, each only where it changes; absent where the format states none. */
  readonly recordedWindows?: readonly RecordedWindow[];
  /** The file's own cost of the session; absent is unknown, not 0. */
  readonly ownCostUsd?: number;
  /** Costs of steps by message id; absent where the format does not record them. */
  readonly recordedCosts?: ReadonlyMap<string, RecordedCost>;
  /** Planted facts in order; absent in recorded sessions. */
  readonly facts?: readonly PlantedFact[];
  readonly report: ImportReport;
}

/** Provider of the models in sessions that the bench itself made; nobody sells them. */
export const OWN_PROVIDER = 'compaction-bench/';
/** The format that generated sessions name. */
export const GENERATED = 'generated';

const WITH_PLACE = /^(?<path>.+)#(?<index>\d+)$/;

/** Input tokens of a recorded request, cached or not. */
export function contextTokensOf(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Tests if the usage of a session was computed where it was made, and reported by no provider. */
export function isUsageComputed({ format, model = '' }: Pick<Session, 'format' | 'model'>) {
  return format === GENERATED || model.startsWith(OWN_PROVIDER);
}

/** The name of a session: the path of its file, with its index if the file holds several. */
export function sessionName(
  path: string,
  { index, count }: { readonly index: number; readonly count: number },
): string {
  return count > 1 ? `${path}#${index}` : path;
}

/** Splits the name of a session into path and index. */
export function parseSessionName(name: string) {
  const { path = name, index } = WITH_PLACE.exec(name)?.groups ?? {};
  return { path, index };
}

/** Names all sessions of a file. */
export function withNames(path: string, sessions: readonly Omit<Session, 'name' | 'format'>[]) {
  const { length: count } = sessions;
  const nameOf = (index: number) => sessionName(path, { index, count });
  return sessions.map((session, index) => ({ name: nameOf(index), ...session }));
}
