import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeText } from '../../lib/files.ts';
import type { FolderPlace, NearbyFile, Surroundings } from '../format.ts';
import { kindOf, readFolder } from './folder.ts';

/** Names that lead to no other folder than one right below. */
const PLAIN_NAME = /^(?!\.{1,2}$)[^/\\:\0]+$/;

/** What lies around a file on disk. A name that would lead elsewhere leads nowhere. */
export function surroundingsOf(path: string): Surroundings {
  return { filesIn: (place) => filesIn(dirname(path), place) };
}

function filesIn(start: string, { up, names }: FolderPlace): readonly NearbyFile[] {
  if (!names.every((name) => PLAIN_NAME.test(name))) return [];
  const folder = join(start, ...Array<string>(up).fill('..'), ...names);
  if (kindOf(folder) !== 'folder') return [];
  const files = readFolder(folder).filter(({ kind }) => kind === 'file');
  return files.map((file) => ({
    name: file.name,
    readText: () => decodeText(readFileSync(file.path)),
  }));
}
