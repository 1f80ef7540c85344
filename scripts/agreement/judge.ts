/** Labels of a model on labelled cases, in place of the states of rules. */

import { openRegistry } from '../../src/cli/plan/live.ts';
import {
  type ModelOptions,
  printEstimates,
  reachModels,
  withSpent,
} from '../../src/cli/plan/models.ts';
import { type CliIo, EXIT, printNote } from '../../src/cli/process/io.ts';
import { findReader } from '../../src/cli/summarizer-rows.ts';
import type { Reader } from '../../src/simulator/metrics/probes/probe.ts';
import {
  countLabels,
  type Decided,
  decideFacts,
  scoreText,
} from '../../src/simulator/metrics/quality/score-text.ts';
import { describeJudge } from '../../src/simulator/report/summarizers-report.ts';
import { createModelReader } from '../../src/simulator/sweep/summarizers/run-arms.ts';
import { createCounters } from '../../src/simulator/tokens/tokenizer.ts';
import type { FactCase } from './facts.ts';

type Sets = readonly (readonly FactCase[])[];

const ENCODING = 'o200k_base';
/** Texts that are asked about at once; the registry has limits of its own. */
const AT_ONCE = 16;

/** Asks a model about sets of cases and prints them with its labels, or what that would cost. Returns the exit code. */
export async function judgeSets(
  sets: Sets,
  {
    options: { judge: name, ...options },
    print,
  }: {
    readonly options: ModelOptions & { readonly judge: string };
    readonly print: (sets: Sets) => void;
  },
  io: CliIo,
): Promise<number> {
  const { registry } = openRegistry(options, io.env);
  const model = findReader(name, registry, '--judge');
  await reachModels(registry, [name], io);
  const count = await createCounters().ofEncoding(ENCODING);
  const judge = createModelReader(model, { count, signal: io.signal });
  return withSpent({ ...registry, spentOn: 'judgements' }, io, async () => {
    const decided = await decideAll(sets.flat(), judge);
    if (options.dryRun === true) return printEstimates(io, registry, name);
    print(sets.map((cases) => cases.map((one) => withLabel(one, decided))));
    printNote(io, describeJudge(countLabels(judge, [...decided.values()])));
    return EXIT.done;
  });
}

async function decideAll(cases: readonly FactCase[], judge: Reader) {
  const sources = [...new Set(cases.map(({ source }) => source))];
  const decided = new Map<object, Decided>();
  for (let start = 0; start < sources.length; start += AT_ONCE) {
    const some = sources.slice(start, start + AT_ONCE);
    await Promise.all(
      some.map(async (source) => {
        decided.set(source, await decideFacts(scoreText(source), { ...source, judge }));
      }),
    );
  }
  return decided;
}

/** Where the judge gives no label, the state that rules give stays. */
function withLabel(one: FactCase, decided: ReadonlyMap<object, Decided>): FactCase {
  const { facts = [] } = decided.get(one.source)?.score ?? {};
  return { ...one, state: facts.find(({ id }) => id === one.fact.id)?.state ?? one.state };
}
