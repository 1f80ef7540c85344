/** Kinds of tools by the names that agents give them. */

import type { MakeCall } from '../scene.ts';
import { makeEdit, makePatch, makeWrite } from './edit.ts';
import { makeTasks, makeWords } from './notes.ts';
import { makeRead } from './read.ts';
import { makeGlob, makeGrep } from './search.ts';
import { makeShell, makeWait } from './shell.ts';

/** A kind of tools, and what a fact may stand in of its calls. */
interface ToolKind {
  readonly make: MakeCall;
  /** The output can hold a sentence. */
  readonly tellsFacts: boolean;
  /** The arguments can hold a value. */
  readonly takesValues: boolean;
  /** Every call reads a file. */
  readonly isRead: boolean;
  /** A call can be made again, word for word. */
  readonly isRepeatable: boolean;
  /** Its own output says what went wrong. */
  readonly tellsErrors: boolean;
}

const NEITHER = {
  tellsFacts: false,
  takesValues: false,
  isRead: false,
  isRepeatable: false,
  tellsErrors: false,
};
const ALL = {
  ...NEITHER,
  tellsFacts: true,
  takesValues: true,
  isRepeatable: true,
  tellsErrors: true,
};

/** Kinds of tools by what they do. */
const kinds = {
  read: { ...NEITHER, make: makeRead, tellsFacts: true, isRead: true, isRepeatable: true },
  edit: { ...NEITHER, make: makeEdit, tellsErrors: true },
  patch: { ...NEITHER, make: makePatch, tellsErrors: true },
  write: { ...NEITHER, make: makeWrite },
  shell: { ...ALL, make: makeShell },
  wait: { ...NEITHER, make: makeWait, tellsFacts: true },
  grep: { ...ALL, make: makeGrep, tellsErrors: false },
  glob: { ...NEITHER, make: makeGlob, isRepeatable: true },
  tasks: { ...NEITHER, make: makeTasks },
  words: { ...NEITHER, make: makeWords, tellsFacts: true },
} satisfies Record<string, ToolKind>;

/** Names of tools in lower case and letters only, by kind; any other tool takes and gives words. */
const NAMES: Readonly<Record<keyof typeof kinds, readonly string[]>> = {
  read: ['read', 'readfile', 'readfiles', 'readmanyfiles', 'view', 'viewfile', 'open', 'openfile'],
  edit: ['edit', 'editfile', 'editor', 'multiedit', 'replace', 'strreplace', 'strreplaceeditor'],
  patch: ['applypatch', 'patch', 'applydiff'],
  write: ['write', 'writefile', 'writetofile', 'create', 'createfile'],
  shell: [
    'bash',
    'shell',
    'execcommand',
    'runshellcommand',
    'executecommand',
    'runcommands',
    'run',
    'terminal',
  ],
  wait: ['writestdin', 'bashoutput', 'taskoutput'],
  grep: ['grep', 'searchfiles', 'searchfilecontent', 'codesearch'],
  glob: ['glob', 'findfile', 'ls', 'list', 'listdirectory', 'listfiles'],
  tasks: ['todowrite', 'writetodos', 'updateplan'],
  words: [],
};
const KIND_OF_NAME = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as keyof typeof kinds] as const),
  ),
);

/** What a tool of that name does. */
export function kindOf(tool: string): ToolKind {
  const own = tool.split('__').at(-1) ?? tool;
  const plain = own.toLowerCase().replace(/[^a-z]/g, '');
  return kinds[KIND_OF_NAME.get(plain) ?? 'words'];
}
