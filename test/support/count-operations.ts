import { type Profiler, Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { vi } from 'vitest';

const OWN_CODE = '/src/';
/** What is optimised is counted no more, so that nothing is meanwhile; other files run in the same process. */
const OPTIMISERS = ['opt', 'maglev'];

/** Counts what the project's own code does. */
export interface OperationCount {
  /** How often functions and their branches and loops were run through meanwhile. */
  during(task: () => void): number;
}

/**
 * Loads modules anew so that all they do is counted, down to the single round of a loop, and gives them to a task. The
 * count is the same on every machine and under any load.
 */
export async function withOperationCount<Modules, Value>(
  load: () => Promise<Modules>,
  task: (modules: Modules, count: OperationCount) => Value,
): Promise<Value> {
  const session = new Session();
  for (const name of OPTIMISERS) setFlagsFromString(`--no-${name}`);
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  try {
    // What was compiled before is counted by the call only.
    vi.resetModules();
    return task(await load(), { during: (work) => countDuring(session, work) });
  } finally {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
    for (const name of OPTIMISERS) setFlagsFromString(`--${name}`);
  }
}

function countDuring(session: Session, work: () => void): number {
  takeCounts(session);
  work();
  const scripts = takeCounts(session).filter(({ url }) => url.includes(OWN_CODE));
  const ranges = scripts.flatMap(({ functions }) => functions).flatMap((each) => each.ranges);
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

/** Counts since they were taken last. */
function takeCounts(session: Session): readonly Profiler.ScriptCoverage[] {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error !== null) throw error;
    scripts = taken.result;
  });
  return scripts;
}
