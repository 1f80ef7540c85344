import type { Message, Usage } from '../../engine/index.ts';
import type { PlantedFact } from './facts.ts';

/** Something that the recording agent did to its own context. */
export interface RecordedCompaction {
  /** `full`: history replaced by a summary. `micro`: old outputs cleared. */
  readonly kind: 'full' | 'micro';
  readonly trigger?: 'auto' | 'manual';
  /** How many of the session's messages came before it. */
  readonly messageIndex: number;
  /** Context tokens before it; for `micro`, tokens of the tool outputs, some of which were cleared. */
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
  /** The summary as recorded; absent where the format does not keep it. */
  readonly summary?: string;
  /** Call ids whose outputs were cleared, for `micro`. */
  readonly clearedCallIds?: readonly string[];
  /** Index of the first message that stayed verbatim behind the summary; absent where all before it went, or where nothing says. */
  readonly firstKeptMessageIndex?: number;
}

/** A call that the session of a sub-agent answered. */
export interface SideSessionLink {
  readonly callId: string;
  /** The recorder's own id of the session, which may lie in another file or be lost. */
  readonly sessionId: string;
}

/** The recorded cost of a step, in whole nano-dollars. */
export interface RecordedCost {
  /** Everything that was sent: fresh, read from the cache and written to it. */
  readonly inputNanoUsd: number;
  readonly outputNanoUsd: number;
}

/** Counts of dropped, repaired and guessed records, by reason. */
export interface ImportReport {
  /** Records that could not be parsed or belong to no known type, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Values that were missing and filled in, or mended, by reason. */
  readonly repaired: Readonly<Record<string, number>>;
}

/** One conversation as recorded, without what the recording agent did to compact it. */
export interface Session {
  /** The path as given, with `#index` where a file holds several. */
  readonly name: string;
  readonly format: string;
  /** The recorder's own id of the session; growing copies share it. */
  readonly sessionId?: string;
  /** Set for the session of a sub-agent. */
  readonly isSide: boolean;
  /** The recorder's own id of the session whose sub-agent this is, where the recording tells. */
  readonly parentSessionId?: string;
  /** Which calls of this session were answered by sub-agents, in the order of the calls; absent where nothing tells. */
  readonly sideSessions?: readonly SideSessionLink[];
  /** Earlier messages are absent: the session was resumed, or cut at a boundary. */
  readonly isPartial: boolean;
  /** `provider/model` of the first step that names one. */
  readonly model?: string;
  /** The system prompt, where the format keeps it. */
  readonly system?: string;
  /** Full history in order, as if nobody had compacted; a step's `usage` is what was recorded for it. */
  readonly messages: readonly Message[];
  readonly recordedCompactions: readonly RecordedCompaction[];
  /** Recorded `usage.output` is the final count. */
  readonly isOutputFinal: boolean;
  /** No recorded usage tells what was read from a cache: it stands at 0 for want of a number. Absent where one does. */
  readonly isCacheUnknown?: boolean;
  /** How long the client asked to keep prompts cached; absent where the format does not tell. */
  readonly cacheTtlMs?: number;
  /** Costs of steps by message id; absent where the format does not record them. */
  readonly recordedCosts?: ReadonlyMap<string, RecordedCost>;
  /** Planted facts in order; absent in recorded sessions. */
  readonly facts?: readonly PlantedFact[];
  readonly report: ImportReport;
}

/** Where a session stands among those of its file. */
interface Place {
  readonly index: number;
  readonly count: number;
}

/** A parsed session name. */
export interface NamedPlace {
  readonly path: string;
  /** Absent where the name is that of a file alone. */
  readonly index?: string | undefined;
}

/** A path and, behind it, the place of a session in its file. */
const WITH_PLACE = /^(?<path>.+)#(?<index>\d+)$/;

/** Tokens that a recorded request held: everything that was sent, cached or not. */
export function contextTokensOf(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** The name of a session: the path of its file, with its place where the file holds several. */
export function sessionName(path: string, { index, count }: Place): string {
  return count > 1 ? `${path}#${index}` : path;
}

/** The path of a file in the name of a session, and its place where one is told. */
export function parseSessionName(name: string): NamedPlace {
  const { path = name, index } = WITH_PLACE.exec(name)?.groups ?? {};
  return { path, index };
}

/** All sessions of a file with their names. */
export function withNames(
  path: string,
  sessions: readonly Omit<Session, 'name'>[],
): readonly Session[] {
  const { length: count } = sessions;
  return sessions.map((session, index) => ({
    name: sessionName(path, { index, count }),
    ...session,
  }));
}
