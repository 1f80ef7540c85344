import { isGlob } from '../files/glob.ts';

/** A session and the file that it was read from. */
export interface SessionOfFile {
  readonly file: string;
  /** The path of the file, and `#index` where that holds several. */
  readonly name: string;
}

/** Characters of a name that stay as they are: letters and digits of any script, and a few others. */
const UNSAFE = /[^\p{L}\p{M}\p{N}._-]/gu;
/** What is hidden at the start of a name, or lost at its end by some systems. */
const OUTER_DOTS = /^\.+|\.+$/g;
const RECORDING = /\.(?:jsonl|json|traj)$/i;
/** Names that stand for devices, and one that searching leaves out. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|node_modules)(?=\.|$)/i;
const MAX_CHARS = 100;

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

/** The place of a session in a file that holds several. */
function placeIn({ file, name }: SessionOfFile): string {
  const index = name.slice(file.length + 1);
  return /^\d+$/.test(index) ? `.${index}` : '';
}

/** What a path has behind the folder, or the fixed part of the pattern, that it was found by; else its last name. */
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
