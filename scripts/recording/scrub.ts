import { relative } from 'node:path';

/** What makes tool outputs the same on every machine and in every run. */
export interface Scrubber {
  /** Takes the folders of this machine out of a text. */
  paths(text: string): string;
  /** Takes times of day and durations out of what a command printed. */
  times(text: string): string;
}

/** The folders that must not show. */
export interface ScrubbedRoots {
  readonly repositoryRoot: string;
  readonly scratchRoot: string;
}

const CLOCK_LINE = /^(\s*(?:Start at|Duration)\s+)\S.*$/gm;
const TIMED_LINE = /^(\s*[✓✗×❯↓].*?) +\d+(?:\.\d+)?m?s(?=$| \()/gm;
const INTERNAL_FRAME = /^ +at .*node:internal.*\n/gm;
const NODE_VERSION_LINE = /^Node\.js v[\d.]+$/gm;

/** A scrubber for one scratch folder: inside it and the repository, paths become relative. */
export function createScrubber(roots: ScrubbedRoots): Scrubber {
  const { repositoryRoot, scratchRoot } = roots;
  const upward = relative(scratchRoot, repositoryRoot);
  const folders = [upward, repositoryRoot, scratchRoot];
  return {
    paths: (text) => folders.reduce(removeFolder, text),
    times: (text) =>
      text
        .replace(CLOCK_LINE, '$1-')
        .replace(TIMED_LINE, '$1')
        .replace(INTERNAL_FRAME, '')
        .replace(NODE_VERSION_LINE, 'Node.js'),
  };
}

function removeFolder(text: string, folder: string): string {
  return text
    .replaceAll(`file://${folder}/`, '')
    .replaceAll(`${folder}/`, '')
    .replaceAll(folder, '.');
}
