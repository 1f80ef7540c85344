/** Counts what sessions hold. */

import { isGlob } from './files/folder.ts';
import type { ImportReport, Session } from './session.ts';
import { recordedOutputOf } from './tool-calls.ts';

/** Counts of the content of sessions. */
export interface SessionCounts extends ImportReport {
  readonly sessions: number;
  readonly messages: number;
  /** Outputs of tools, also where the call is not recorded. */
  readonly toolOutputs: number;
  readonly compactions: { readonly full: number; readonly micro: number };
}

interface SessionOfFile {
  readonly file: string;
  readonly name: string;
}

const LOST_OUTPUT = 'tool result without a call';
const OUTPUT_AS_TEXT = 'tool result kept as a text';

/** Counts of no session. */
export const NO_COUNTS: SessionCounts = {
  sessions: 0,
  messages: 0,
  toolOutputs: 0,
  compactions: { full: 0, micro: 0 },
  dropped: {},
  repaired: {},
};

/** Unsafe characters in file names: all but letters and digits of any script, dots, `_` and `-`. */
const UNSAFE = /[^\p{L}\p{M}\p{N}._-]/gu;
/** Dots that hide a file, or that some systems drop at the end of a name. */
const OUTER_DOTS = /^\.+|\.+$/g;
const RECORDING = /\.(?:jsonl|json|traj)$/i;
/** Names of devices, and one that searching skips. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|node_modules)(?=\.|$)/i;
const MAX_CHARS = 100;

/** Counts the content of one session. */
export function countSession({ messages, recordedCompactions, report }: Session): SessionCounts {
  const { dropped, repaired } = report;
  const parts = messages.flatMap((message) => message.parts);
  const outputs = parts.filter((one) => one.type === 'tool' && recordedOutputOf(one) !== undefined);
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

/** Adds two counts. */
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

/** The path for an imported session: the folders and name of its file below the input, and its index. */
export function toSessionPath(session: SessionOfFile, inputs: readonly string[]): string {
  const segments = belowInput(session.file, inputs).split(/[/\\]/);
  const [name = '', ...folders] = segments.filter((segment) => segment !== '').toReversed();
  const file = `${toSafeName(name.replace(RECORDING, ''))}${placeIn(session)}.jsonl`;
  return [...folders.toReversed().map(toSafeName), file].join('/');
}

/** A path that reveals only the index of the file. */
export function toNeutralPath(session: SessionOfFile, fileIndex: number): string {
  return `session-${fileIndex + 1}${placeIn(session)}.jsonl`;
}

/** The same path with a number, if something else has it; the first is 2. */
export function numbered(path: string, number: number): string {
  return number < 2 ? path : path.replace(/\.jsonl$/, `-${number}.jsonl`);
}

function addReasons(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>) {
  const added = Object.entries(b).map(([reason, count]) => [reason, (a[reason] ?? 0) + count]);
  return { ...a, ...Object.fromEntries(added) };
}

function belowInput(file: string, inputs: readonly string[]): string {
  const roots = inputs.map(rootOf).filter((root) => file.startsWith(root));
  const longest = roots.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? file.slice(file.lastIndexOf('/') + 1) : file.slice(longest.length);
}

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

function placeIn({ file, name }: SessionOfFile): string {
  const index = name.slice(file.length + 1);
  return /^\d+$/.test(index) ? `.${index}` : '';
}
