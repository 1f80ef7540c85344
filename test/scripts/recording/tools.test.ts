import { afterAll, describe, expect, it } from 'vitest';
import {
  bash,
  type CallScript,
  edit,
  failing,
  glob,
  grep,
  list,
  read,
  skill,
  write,
} from '../../../scripts/recording/script.ts';
import { runTool } from '../../../scripts/recording/tools/run.ts';
import { createWorkspace, removeWorkspace } from '../../../scripts/recording/workspace.ts';

const MANY_LINES = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}`).join('\n');
const WIDE_LINES = Array.from({ length: 60 }, () => 'x'.repeat(1_990)).join('\n');

const workspace = createWorkspace({
  name: 'tools',
  title: 'tools',
  packages: ['picocolors'],
  files: {
    'b.txt': 'two\none\ntwo\n',
    'a/deep/c.txt': 'two\n',
    'long.txt': MANY_LINES,
    'wide.txt': WIDE_LINES,
  },
  turns: [],
});

afterAll(() => removeWorkspace(workspace));

function outputOf(call: CallScript): string {
  const outcome = runTool(call, workspace);
  return outcome.state === 'completed' ? outcome.output : outcome.error;
}

describe('read', () => {
  it('numbers lines from the offset on and says what is left', () => {
    expect(outputOf(read('b.txt', 2, 1))).toBe(
      "<file>\n00002| one\n\n(File has more lines. Use 'offset' to read beyond line 2)\n</file>",
    );
  });

  it.each([
    ['2,000 lines', 'long.txt', 2_000],
    ['51,200 bytes', 'wide.txt', 25],
  ])('ends after %s', (_, path, lines) => {
    expect(outputOf(read(path)).match(/^\d{5}\| /gm)).toHaveLength(lines);
  });
});

describe('grep and glob', () => {
  it('lists hits by path and line', () => {
    expect(outputOf(grep('^two', '.'))).toBe(
      'Found 3 matches\n\na/deep/c.txt:\n  Line 1: two\n\nb.txt:\n  Line 1: two\n  Line 3: two',
    );
  });

  it('shows no more than 100 hits', () => {
    expect(outputOf(grep('line', 'long.txt'))).toMatch(/^Found 100 matches[^]*truncated/);
  });

  it.each([
    ['**/*.txt', 'a/deep/c.txt\nb.txt\nlong.txt\nwide.txt'],
    ['*.txt', 'b.txt\nlong.txt\nwide.txt'],
    ['a/**/c.txt', 'a/deep/c.txt'],
    [
      'node_modules/picocolors/*.d.ts',
      'node_modules/picocolors/picocolors.d.ts\nnode_modules/picocolors/types.d.ts',
    ],
    ['*.md', 'No files found'],
  ])('finds %s', (pattern, paths) => {
    expect(outputOf(glob(pattern))).toBe(paths);
  });

  it('draws a folder as a tree', () => {
    expect(outputOf(list('a'))).toBe('a/\n  deep/\n    c.txt');
  });
});

describe('bash', () => {
  it('keeps both streams in order and takes the folder out', () => {
    expect(outputOf(bash('echo one; echo two >&2; pwd; exit 3', 3))).toBe('one\ntwo\n.');
  });

  it('sees nothing of the environment but what makes output the same everywhere', () => {
    expect(outputOf(bash('echo "$TZ $LC_ALL $NO_COLOR [$CI$LANG]"'))).toBe('UTC C.UTF-8 1 []');
  });

  it('cuts long output', () => {
    const output = outputOf(bash('cat wide.txt'));
    expect(Buffer.byteLength(output)).toBeLessThan(51_300);
    expect(output).toMatch(/cut at 2000 lines or 51200 bytes/);
  });
});

describe('a tool that refuses', () => {
  it.each([
    ['a missing file', read('nowhere.txt'), 'File not found: nowhere.txt'],
    ['a text that is not there', edit('b.txt', 'three', 'four'), 'oldString not found in b.txt'],
    [
      'a text that is there twice',
      edit('b.txt', 'two', 'four'),
      'oldString is not unique in b.txt',
    ],
    ['an unknown skill', skill('nothing'), 'Skill "nothing" not found.'],
  ])('says why: %s', (_, call, reason) => {
    expect(outputOf(failing(call))).toBe(reason);
  });

  it.each([
    ['refuses unexpectedly', read('nowhere.txt')],
    ['does not refuse as expected', failing(read('b.txt'))],
    ['ends with another exit code', bash('exit 2', 1)],
  ])('stops the recording when a call %s', (_, call) => {
    expect(() => runTool(call, workspace)).toThrow(/^Expected .*, got /s);
  });
});

it('writes and edits the files of the scratch folder only', () => {
  runTool(write('new/file.txt', 'old text'), workspace);
  runTool(edit('new/file.txt', 'old', 'new'), workspace);
  expect(outputOf(bash('cat new/file.txt'))).toBe('new text');
});
