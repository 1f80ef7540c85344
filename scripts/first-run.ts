/** What the picture in the README runs: the main job, in a window that makes policies act. */
export const FIRST_RUN: readonly string[] = [
  'run',
  '--policy',
  'none,opencode-1.2.16,document-002',
  '--set',
  'contextTokens=100000',
  '--set',
  'outputTokens=8000',
];

/** The same as somebody would type it. */
export const FIRST_RUN_COMMAND = `npx compaction-bench ${FIRST_RUN.join(' ')}`;
