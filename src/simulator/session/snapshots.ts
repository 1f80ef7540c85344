/** Reads the file snapshots that sessions name. */

import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import type { Message, Snapshots } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import { HarnessError } from '../lib/errors.ts';
import { quotedLong } from '../lib/names.ts';

type Tree = ReadonlyMap<string, string>;

type Git = (args: readonly string[], input?: string) => Buffer | undefined;

const MOST_BYTES = 2 ** 30;
/** A recording is not to be trusted with an argument of a program. */
const TREE_ID = /^(?:[\da-f]{40}|[\da-f]{64})$/;
const ENTRY = /^\d+ blob ([\da-f]+)\t([^]+)$/;
const LINE_END = 10;
const NOTHING = Buffer.alloc(0);

/** The snapshots that messages name, from a git repository of OpenCode. */
export function readSnapshots(repository: string, messages: readonly Message[]): Snapshots {
  const git = openRepository(repository);
  const trees = new Map<string, Tree>();
  for (const id of namedSnapshots(messages)) {
    const listing = TREE_ID.test(id) ? git(['ls-tree', '-r', '-z', '--full-tree', id]) : undefined;
    if (listing !== undefined) trees.set(id, parseTree(listing.toString('utf8')));
  }
  const texts = readTexts(git, changedContents([...trees.values()]));
  // Where a content was not read, its id stands for it.
  const textsOf = (tree: Tree) =>
    new Map([...tree].map(([path, id]) => [path, texts.get(id) ?? id]));
  return new Map([...trees].map(([id, tree]) => [id, textsOf(tree)]));
}

function openRepository(repository: string): Git {
  const git: Git = (args, input) => {
    const ran = spawnSync('git', ['--git-dir', repository, ...args], {
      maxBuffer: MOST_BYTES,
      ...known({ input }),
    });
    if (ran.error !== undefined) {
      const message = `Expected git to read ${quotedLong(repository)}: ${ran.error.message}.`;
      throw new HarnessError('NO_INPUT', message, { cause: ran.error });
    }
    return ran.status === 0 ? ran.stdout : undefined;
  };
  if (git(['rev-parse', '--git-dir']) !== undefined) return git;
  throw new HarnessError(
    'NO_INPUT',
    `Expected ${quotedLong(repository)} to be a git repository of snapshots, got none.`,
  );
}

function namedSnapshots(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'step-start' || part.type === 'step-finish' ? (part.snapshot ?? []) : [],
      ),
    ),
  );
}

function parseTree(listing: string): Tree {
  return new Map(
    listing.split('\0').flatMap((line): readonly (readonly [string, string])[] => {
      const [, id, path] = ENTRY.exec(line) ?? [];
      return id === undefined || path === undefined ? [] : [[path, id]];
    }),
  );
}

function changedContents(trees: readonly Tree[]): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const tree of trees) {
    for (const [path, id] of tree) {
      if (trees.some((other) => other.get(path) !== id)) changed.add(id);
    }
  }
  return changed;
}

function readTexts(git: Git, ids: ReadonlySet<string>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (ids.size === 0) return texts;
  const output = git(['cat-file', '--batch'], `${[...ids].join('\n')}\n`) ?? NOTHING;
  let start = 0;
  while (start < output.length) {
    const end = output.indexOf(LINE_END, start);
    const [id = '', , size = ''] = output.toString('latin1', start, end).split(' ');
    const contentEnd = end + 1 + Number(size);
    texts.set(id, output.toString('utf8', end + 1, contentEnd));
    start = contentEnd + 1;
  }
  return texts;
}
