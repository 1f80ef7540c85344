import { answering } from './answer.bench.ts';
import { remembering } from './memory.bench.ts';
import { sessionReading } from './session-reading.bench.ts';
import { scoring } from './scoring.bench.ts';
import { simulation } from './simulate.bench.ts';
import { starting } from './start.bench.ts';
import type { Suite } from './suite.ts';
import { sweeping } from './sweep.bench.ts';
import { tokenCounting } from './tokens.bench.ts';

/** The suites in the order in which they are measured. */
export const suites: readonly Suite[] = [
  sessionReading,
  tokenCounting,
  scoring,
  simulation,
  sweeping,
  starting,
  answering,
  remembering,
];
