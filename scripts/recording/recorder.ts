import type { Clock } from './clock.ts';
import type { ExportedPart, PartContent } from './export.ts';
import type { Ledger } from './ledger.ts';
import type { Workspace } from './workspace.ts';

/** What one recording carries from message to message. */
export interface Recorder {
  readonly sessionId: string;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly ledger: Ledger;
  /** The next id of a kind: `msg_0001`, `prt_00001`, `call_0001`. */
  readonly newId: (kind: IdKind) => string;
}

/** What has ids. */
export type IdKind = keyof typeof ID_DIGITS;

/** Name of the agent in every message. */
export const AGENT = 'build';

/** The model that every message names; there is none. */
export const MODEL = { providerID: 'compaction-bench', modelID: 'scripted' };

const ID_DIGITS = { msg: 4, prt: 5, call: 4 };

/** Ids that count from 1, for each kind apart. */
export function createIds(): Recorder['newId'] {
  const counts = { msg: 0, prt: 0, call: 0 };
  return (kind) => {
    counts[kind] += 1;
    return `${kind}_${String(counts[kind]).padStart(ID_DIGITS[kind], '0')}`;
  };
}

/** The content as the next part of a message. */
export function toPart(recorder: Recorder, messageID: string, content: PartContent): ExportedPart {
  return { id: recorder.newId('prt'), sessionID: recorder.sessionId, messageID, ...content };
}
