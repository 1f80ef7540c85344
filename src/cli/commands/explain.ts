import { badOption, type HarnessError } from '../../simulator/lib/errors.ts';
import { compileSession } from '../../simulator/replay/compile.ts';
import { surroundingsOf } from '../../simulator/replay/run-trace.ts';
import {
  type ExplainedRun,
  renderOverview,
  renderOverviewJson,
  renderStep,
  renderStepJson,
} from '../../simulator/report/explain.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import type { WrittenSession } from '../../simulator/sweep/run-files.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare.ts';
import { noteDropped, withCounters } from '../inputs.ts';
import { onlyPolicy, planRun, type RunPlan } from '../plan/plan.ts';
import { openScenario, withScenario } from '../plan/scenario.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { printNotes } from '../process/output.ts';
import { defineCommand, option, formatOption } from '../command.ts';
import { planOptions, parseWholeIfGiven, DEFAULT_POLICY } from '../plan/options.ts';
import { explainRun, type RunStory, type StepStory } from '../../simulator/metrics/explain.ts';
import { originOf } from '../origin.ts';

interface Renderer {
  readonly overview: (story: ExplainedRun, terminal: Terminal) => string;
  readonly step: (story: ExplainedRun, step: StepStory, terminal: Terminal) => string;
}

const EXAMPLES = `
Examples:
  $ compaction-bench explain session.json
  $ compaction-bench explain session.json --policy opencode-1.2.16 --step 37
  $ compaction-bench explain scenarios/lost-rule.yaml
  $ compaction-bench explain chats.jsonl#1 --policy document-003 --step 4 --set contextTokens=60000`;

/** How a run can be explained, by name. */
const renderers = {
  text: { overview: renderOverview, step: renderStep },
  json: { overview: renderOverviewJson, step: renderStepJson },
} satisfies Record<string, Renderer>;

/** Tells which numbers fired which rule at a step. */
export const explainCommand = defineCommand({
  name: 'explain',
  describe: 'Explain in numbers why a policy did what it did at a step of a session.',
  arguments: {
    '<file>':
      'a session, path#index where a file holds several; or a scenario, path#name for a further run of it',
  },
  options: {
    policy: option('--policy <name>', 'preset to replay it under', DEFAULT_POLICY),
    step: option(
      '--step <number>',
      'step to explain (default: list the steps at which something happened)',
    ),
    ...planOptions(),
    ...formatOption(renderers),
  },
  examples: EXAMPLES,
  run: async ({ file }, { policy, step, ...options }, { io, given, openReport }) => {
    const { format, terminal, finish } = openReport<Renderer>(renderers, 'explain format');
    const stepNumber = parseWholeIfGiven('--step', step);
    const asGiven = { ...options, policy: [policy] };
    const scenario = openScenario(file, options);
    const complete = scenario ? withScenario(asGiven, { ...scenario, alike: [] }, given) : asGiven;
    const plan = planRun(complete, io.env);
    const story = await replay(scenario?.written ?? { session: loadNamed(file) }, plan, io);
    printNotes(io, plan.notes);
    const shown =
      stepNumber === undefined
        ? format.overview(story, terminal)
        : format.step(story, findStep(story, stepNumber), terminal);
    return finish(shown, EXIT.done);
  },
});

async function replay(
  { session, ...sizes }: WrittenSession,
  plan: RunPlan,
  io: CliIo,
): Promise<ExplainedRun> {
  const policy = onlyPolicy(plan);
  noteDropped(io, [session.report.dropped]);
  const story = await withCounters(io, async (counters) => {
    const { id } = plan.model;
    const options = compileOptionsFor(id, await counters.of(id));
    const trace = compileSession(session, { ...options, ...sizes });
    return explainRun(trace, { policy, ...surroundingsOf(plan) });
  });
  const origin = originOf(plan.catalog, [plan.model.id], plan.settings.values);
  return {
    ...story,
    origin: { ...origin, recorded: countRecordedModels([{ recordedModel: session.model }]) },
  };
}

function findStep({ steps, end }: RunStory, wanted: number): StepStory {
  const found = steps.find(({ step }) => step === wanted);
  if (found !== undefined) return found;
  const last = steps.at(-1)?.step ?? 0;
  const state = end === undefined || end.state === 'completed' ? '' : `, where the run ended`;
  throw badStep(
    last === 0 ? 'left out, for there is no step' : `1 to ${last}${state}`,
    `${wanted}`,
  );
}

function badStep(expected: string, got: string): HarnessError {
  return badOption(`Expected '--step' to be ${expected}, got ${got}.`);
}
