import {
  chmodSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { writing } from './writing.ts';

/** How a file is written. */
export interface WriteOptions {
  /** Rights of a file that is new; one that was there keeps its own. */
  readonly mode?: number | undefined;
}

/** What is written aside until it is whole. */
export interface Draft {
  /** Where it is written. */
  readonly path: string;
  /** Puts it in the place of the file, with the rights of that one. */
  keep(): void;
  /** Removes what is left of it. */
  drop(): void;
}

/** A draft of a file, of nobody else who writes the same file; folders are made, a link is followed. */
export function createDraft(file: string): Draft {
  // Versions of Node differ in what a look at a path below a file says: the folder comes first.
  makeFolder(dirname(file));
  const there = statSync(file, { throwIfNoEntry: false });
  const place = there ? realpathSync(file) : file;
  // It lies on the same disk, or it could not be moved in one go.
  const folder = mkdtempSync(join(dirname(place), '.writing-'));
  const path = join(folder, basename(place));
  return {
    path,
    keep: () => {
      // Not every disk knows rights.
      if (there && statSync(path).mode !== there.mode) chmodSync(path, there.mode);
      renameSync(path, place);
    },
    drop: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Puts a text into a file so that nobody ever reads half of it; folders are made, a link is followed. */
export function writeWhole(file: string, text: string, { mode }: WriteOptions = {}): void {
  const draft = createDraft(file);
  try {
    writeFileSync(draft.path, text, { mode });
    draft.keep();
  } finally {
    draft.drop();
  }
}

/** Puts texts into files so that none of them changes where one cannot be written; folders are made, links are followed. */
export function writeTogether(texts: ReadonlyMap<string, string>): void {
  const drafts = new Map<string, Draft>();
  try {
    for (const [file, text] of texts) {
      writing(file, () => {
        const draft = createDraft(file);
        drafts.set(file, draft);
        writeFileSync(draft.path, text);
      });
    }
    for (const [file, draft] of drafts) writing(file, () => draft.keep());
  } finally {
    for (const draft of drafts.values()) draft.drop();
  }
}
