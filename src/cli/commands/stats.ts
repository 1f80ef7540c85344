import { named } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import {
  DIVISIONS,
  statisticsFormats,
  type Statistics,
  toStatistics,
} from '../../simulator/report/statistics.ts';
import { readSessions } from '../../simulator/session/load.ts';
import {
  charsEstimator,
  type Estimator,
  type EstimatorName,
} from '../../simulator/session/statistics/sample.ts';
import { type Counters, createCounters } from '../../simulator/tokens/tokenizer.ts';
import { gatherFiles } from '../describe-files.ts';
import { findSessions, noInput, noteDropped, STDIN, type RunInputs } from '../inputs.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import {
  defineCommand,
  detailsOption,
  type OpenReport,
  option,
  reportOptions,
} from '../command.ts';
import { ownOrigin } from '../package.ts';
import { demoOption, SESSION_INPUTS } from '../plan/options.ts';
import type { Session } from '../../simulator/session/session.ts';
import { createGatherer } from '../../simulator/session/statistics/gathering.ts';
import { HarnessError } from '../../simulator/lib/errors.ts';
import { decodeText, describeFault, faultCode } from '../../simulator/lib/files.ts';
import { checkSize, TOO_LONG } from '../../simulator/session/files/source-file.ts';
import { fstatSync } from 'node:fs';

const EXAMPLES = `
Examples:
  $ compaction-bench sessions stats sessions/
  $ compaction-bench sessions stats 'logs/**/*.jsonl' --by format
  $ compaction-bench sessions stats sessions/ --tokens o200k_base --out workload.json
  $ cat session.jsonl | compaction-bench sessions stats`;

const estimators = {
  chars4: async () => charsEstimator,
  o200k_base: async (counters) => ({
    name: 'o200k_base',
    tokensOf: await counters.ofEncoding('o200k_base'),
  }),
  cl100k_base: async (counters) => ({
    name: 'cl100k_base',
    tokensOf: await counters.ofEncoding('cl100k_base'),
  }),
} satisfies Record<EstimatorName, (counters: Counters) => Promise<Estimator>>;

export const statsCommand = defineCommand({
  name: 'stats',
  describe: 'Describe sessions: sizes, turns, steps, gaps, reuse, compactions.',
  arguments: {
    '[inputs...]': `${SESSION_INPUTS}; ${STDIN} for what is piped in, which comes first`,
  },
  options: {
    demo: demoOption,
    tokens: option(
      '--tokens <name>',
      'how tokens are counted: chars4, o200k_base or cl100k_base',
      'chars4',
    ),
    by: option('--by <name>', `group the table by ${listed(DIVISIONS, 'or')}`, 'tool'),
    ...detailsOption,
    ...reportOptions(statisticsFormats),
  },
  examples: EXAMPLES,
  run: async ({ inputs }, options, { io, openReport }) => {
    const out = openReport(statisticsFormats, 'statistics format');
    const by = named(
      'division',
      Object.fromEntries(DIVISIONS.map((one) => [one, one])),
      options.by,
    );
    const counters = createCounters();
    const estimator = await named('estimator', estimators, options.tokens)(counters);
    const report = await describe(inputs, { demo: options.demo, out, estimator }, io);
    if (report === undefined) return undefined;
    if (report.sessions.length === 0) throw noInput(report.unread);
    const shown = out.format({ ...report, origin: ownOrigin() }, by, out.terminal);
    return out.finish(shown, report.unread.length === 0 ? EXIT.done : EXIT.failed);
  },
});

export async function describeFiles(
  inputs: RunInputs,
  estimator: Estimator,
  io: CliIo,
): Promise<Statistics | undefined> {
  const read = await gatherFiles(inputs, estimator, io);
  return read && toStatistics(read.gathering, estimator, read.unread);
}

/** All of standard input as text; absent if the user wanted to stop. */
export async function readStdin({ stdin, signal }: CliIo) {
  const stop = () => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const bytes = await readBytes(stdin);
    return signal.aborted ? undefined : decodeText(bytes);
  } catch (error) {
    // A stream that was destroyed while it was read ends with an error.
    if (signal.aborted) return undefined;
    if (faultCode(error) !== TOO_LONG) throw error;
    const message = `Expected to read standard input, got ${describeFault(error)}.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** True if sessions come from standard input: named so, or piped and nothing named. */
export function readsStdin(inputs: readonly string[], { stdin }: CliIo) {
  if (inputs.length === 0) return stdin.isTTY !== true && !isDevice(stdin);
  return inputs.length === 1 && inputs[0] === STDIN;
}

async function describe(
  inputs: readonly string[],
  {
    demo,
    out,
    estimator,
  }: { demo?: true | undefined; out: OpenReport<unknown>; estimator: Estimator },
  io: CliIo,
) {
  if (demo || !readsStdin(inputs, io)) {
    const found = findSessions(inputs, { demo }, io);
    out.checkInputs(found.files);
    return await describeFiles(found, estimator, io);
  }
  const input = await readStdin(io);
  if (input === undefined) return undefined;
  const sessions = readSessions('standard input', input);
  noteDropped(
    io,
    sessions.map(({ report }) => report.dropped),
  );
  return describeSessions(sessions, estimator);
}

function describeSessions(sessions: readonly Session[], estimator: Estimator) {
  const gatherer = createGatherer(estimator);
  for (const session of sessions) gatherer.add(session);
  return toStatistics(
    gatherer.finish(() => sessions),
    estimator,
    [],
  );
}

async function readBytes(stdin: CliIo['stdin']) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    size += bytes.length;
    checkSize(size);
  }
  return Buffer.concat(chunks);
}

/** Without a terminal or pipe, as in CI jobs, it is an empty device. */
function isDevice({ fd }: CliIo['stdin']) {
  return fd !== undefined && fstatSync(fd).isCharacterDevice();
}
