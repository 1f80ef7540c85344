/** Counts what sessions hold. */

import type { Part } from '../../engine/index.ts';
import { isGlob } from './files/folder.ts';
import type { ImportReport, Session } from './session.ts';
import { recordedOutputOf } from './tool-calls.ts';

/** Counts of the content of sessions. */
export interface SessionCounts extends ImportReport {
  readonly sessions: number;
  readonly messages: number;
  /** Outputs of tools, also where the call is not recorded. */
  readonly toolOutputs: number;
  readonly compactions: CompactionCounts;
}

/** Recorded compactions by kind: histories replaced by a summary, and clearings of old outputs. */
interface CompactionCounts {
  readonly full: number;
  readonly micro: number;
}

/** A session and the file that it was read from. */
interface SessionOfFile {
  readonly file: string;
  /** The path of the file, and `#index` where that holds several. */
  readonly name: string;
}

/** Reasons that stand for an output each. */
const LOST_OUTPUT = 'tool result without a call';
const OUTPUT_AS_TEXT = 'tool result kept as a text';

/** The numbers of no session. */
export const NO_COUNTS: SessionCounts = {
  sessions: 0,
  messages: 0,
  toolOutputs: 0,
  compactions: { full: 0, micro: 0 },
  dropped: {},
  repaired: {},
};

/** Characters of a name that stay as they are: letters and digits of any script, and a few others. */
const UNSAFE = /[^\p{L}\p{M}\p{N}._-]/gu;
/** Dots that hide a file, or that some systems drop at the end of a name. */
const OUTER_DOTS = /^\.+|\.+$/g;
const RECORDING = /\.(?:jsonl|json|traj)$/i;
/** Names that stand for devices, and one that searching leaves out. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|node_modules)(?=\.|$)/i;
const MAX_CHARS = 100;

/** The numbers of one session. */
export function countSession({ messages, recordedCompactions, report }: Session): SessionCounts {
  const { dropped, repaired } = report;
  const outputs = messages.flatMap(({ parts }) => parts).filter(hasOutput);
  const others = (dropped[LOST_OUTPUT] ?? 0) + (repaired[OUTPUT_AS_TEXT] ?? 0);
  const micro = recordedCompactions.filter(({ kind }) => kind === 'micro').length;
  return {
    sessions: 1,
    messages: messages.length,
    toolOutputs: outputs.length + others,
    compactions: { full: recordedCompactions.length - micro, micro },
    dropped,
    repaired,
  };
}

/** The numbers of both together. */
export function addCounts(a: SessionCounts, b: SessionCounts): SessionCounts {
  return {
    sessions: a.sessions + b.sessions,
    messages: a.messages + b.messages,
    toolOutputs: a.toolOutputs + b.toolOutputs,
    compactions: {
      full: a.compactions.full + b.compactions.full,
      micro: a.compactions.micro + b.compactions.micro,
    },
    dropped: addReasons(a.dropped, b.dropped),
    repaired: addReasons(a.repaired, b.repaired),
  };
}

/** The path below a folder that a session gets: folders and name of its file below the input, and its place in the file. */
export function toSessionPath(session: SessionOfFile, inputs: readonly string[]): string {
  const segments = belowInput(session.file, inputs).split(/[/\\]/);
  const [name = '', ...folders] = segments.filter((segment) => segment !== '').toReversed();
  const file = `${toSafeName(name.replace(RECORDING, ''))}${placeIn(session)}.jsonl`;
  return [...folders.toReversed().map(toSafeName), file].join('/');
}

/** A path that tells nothing of where the session comes from, but its file's place among the files. */
export function toNeutralPath(session: SessionOfFile, fileIndex: number): string {
  return `session-${fileIndex + 1}${placeIn(session)}.jsonl`;
}

/** The same path with a number, for where something else has it; the first is 2. */
export function numbered(path: string, number: number): string {
  return number < 2 ? path : path.replace(/\.jsonl$/, `-${number}.jsonl`);
}

function hasOutput(part: Part): boolean {
  return part.type === 'tool' && recordedOutputOf(part) !== undefined;
}

function addReasons(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const counts = new Map(Object.entries(a));
  for (const [reason, count] of Object.entries(b)) {
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}

/** The path behind the folder, or behind the fixed part of the pattern, that found the file; else its last name. */
function belowInput(file: string, inputs: readonly string[]): string {
  const roots = inputs.map(rootOf).filter((root) => file.startsWith(root));
  const longest = roots.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? file.slice(file.lastIndexOf('/') + 1) : file.slice(longest.length);
}

/** The folder of an input with its slash. */
function rootOf(input: string): string {
  const path = input.replaceAll('\\', '/');
  if (!isGlob(path)) return path.endsWith('/') ? path : `${path}/`;
  const fixed = path.slice(0, path.search(/[*?]/));
  return fixed.slice(0, fixed.lastIndexOf('/') + 1);
}

function toSafeName(name: string): string {
  const plain = name.normalize('NFC').replace(UNSAFE, '_');
  const short = Array.from(plain).slice(0, MAX_CHARS).join('');
  return short.replace(OUTER_DOTS, '_').replace(RESERVED, '$&_') || 'session';
}

/** The place of a session in a file that holds several. */
function placeIn({ file, name }: SessionOfFile): string {
  const index = name.slice(file.length + 1);
  return /^\d+$/.test(index) ? `.${index}` : '';
}
