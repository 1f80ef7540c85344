import type { RunEvent } from '../../simulator/events.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { compileSession } from '../../simulator/replay/compile.ts';
import { surroundingsOf } from '../../simulator/replay/run-trace.ts';
import { type ExplainedRun, explainFormats } from '../../simulator/report/explain.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import { toSetupSummary } from '../../simulator/report/setup.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import { ADAPTER_POLICY } from '../../simulator/sweep/gate/run-scenario.ts';
import type { WrittenSession } from '../../simulator/sweep/run-files.ts';
import { compileOptionsFor, findBaseline, traceFor } from '../../simulator/sweep/run/prepare.ts';
import { noteDropped, localFiles } from '../inputs.ts';
import { checkInPlaceOfPolicy, toAdapterArm } from '../plan/live.ts';
import { meetPlan, onlyPolicy, planRun, type RunPlan } from '../plan/plan.ts';
import { readDefaults, recordedOf } from '../plan/defaults.ts';
import { openScenario, withScenario } from '../plan/scenario.ts';
import { type CliIo, EXIT, printNotes } from '../process/io.ts';
import { defineCommand, detailsOption, formatOption, option } from '../command.ts';
import {
  planOptions,
  parseWholeIfGiven,
  POLICY_BY_DEFAULT,
  adapterOptions,
} from '../plan/options.ts';
import {
  explainEvents,
  explainRun,
  type RunStory,
  type StepStory,
} from '../../simulator/metrics/explain.ts';
import type { Setup } from '../../simulator/setup/setup.ts';
import { nameBlamed } from '../../simulator/metrics/blame.ts';
import { recordRun } from '../../simulator/metrics/record.ts';
import { hasUsage, replayRecorded } from '../../simulator/replay/recorded.ts';
import type { Trace } from '../../simulator/replay/trace.ts';
import { diagnosisOf } from '../../simulator/report/diagnosis.ts';
import { usableOf } from '../../simulator/sweep/run/meet-setup.ts';
import { collectAdapter, NO_KEY } from '../../simulator/sweep/run/row.ts';
import { createCounters } from '../../simulator/tokens/tokenizer.ts';
import { originOf } from '../package.ts';
import { existsSync } from 'node:fs';
import type { Environment } from '../../simulator/env.ts';
import { homeIn } from '../../simulator/session/files/local-sessions.ts';
import { findByShortId, isShortId } from '../../simulator/session/files/short-ids.ts';
import { parseSessionName } from '../../simulator/session/session.ts';

type Renderer = (typeof explainFormats)['text'];

const EXAMPLES = `
Examples:
  $ compaction-bench explain session.json
  $ compaction-bench explain session.json --policy opencode-1.2.16 --step 37
  $ compaction-bench explain session.json --adapter 'python3 compact.py' --step 46
  $ compaction-bench explain scenarios/lost-rule.yaml
  $ compaction-bench explain chats.jsonl#1 --policy document-003 --step 4 --set contextTokens=60000`;

export const explainCommand = defineCommand({
  name: 'explain',
  describe: 'Explain in numbers why a policy did what it did at a step of a session.',
  arguments: {
    '<file>':
      'a session, path#index where a file holds several; the start of an id on this machine; or a scenario, path#name for a further run of it',
  },
  options: {
    policy: option('--policy <name>', `preset to replay it under (default: ${POLICY_BY_DEFAULT})`),
    ...adapterOptions,
    step: option(
      '--step <number>',
      'step to explain (default: list the steps at which something happened)',
    ),
    ...planOptions(),
    ...detailsOption,
    ...formatOption(explainFormats),
  },
  examples: EXAMPLES,
  run: async ({ file }, { policy, step, ...options }, { io, given, openReport }) => {
    checkInPlaceOfPolicy(given);
    const { format, terminal, finish } = openReport<Renderer>(explainFormats, 'explain format');
    const stepNumber = parseWholeIfGiven('--step', step);
    const scenario = openScenario(file, options);
    const written = scenario?.written ?? { session: loadNamed(toSessionName(file, io.env)) };
    // An adapter stands in the place of the policy.
    const named = { ...options, policy: policy ?? options.adapter };
    const defaults = scenario
      ? undefined
      : readDefaults(named, [recordedOf(written.session)], io.env);
    const asGiven = { ...options, policy };
    const complete = scenario ? withScenario(asGiven, { ...scenario, alike: [] }, given) : asGiven;
    const { plan, setup } = meetPlan(planRun(complete, io.env, { defaults }), written.session);
    const told = await replay({ ...written, setup }, plan, io);
    if (told === undefined) return undefined;
    const story = { ...told, setup: setup && toSetupSummary(setup) };
    printNotes(io, plan.notes);
    const shown =
      stepNumber === undefined
        ? format.overview(story, terminal)
        : format.step(story, findStep(story, stepNumber), terminal);
    return finish(shown, EXIT.done);
  },
});

/** `undefined` if the user interrupted an adapter. */
async function replay(
  { session, setup, ...sizes }: WrittenSession & { readonly setup: Setup | undefined },
  plan: RunPlan,
  io: CliIo,
): Promise<ExplainedRun | undefined> {
  const policy = onlyPolicy(plan);
  const adapter = toAdapterArm(plan.adapter, io);
  noteDropped(io, [session.report.dropped]);
  const counters = createCounters();
  const { id } = plan.model;
  const options = compileOptionsFor(id, await counters.of(id));
  const trace = compileSession(session, { ...options, ...sizes });
  const origin = {
    ...originOf(plan.catalog, [plan.model.id], plan.settings.values),
    recorded: countRecordedModels([{ recordedModel: session.model }], plan.onSetup),
  };
  if (adapter === undefined) {
    const run = traceFor(plan.summarizer.name, trace);
    const surroundings = surroundingsOf(plan);
    const told = explainRun(run, { policy, ...surroundings }, trace);
    return { ...told, ...diagnose(told, trace, { ...surroundings, session, setup }), origin };
  }
  const { model, modelChanges, seed } = plan;
  const events: RunEvent[] = [];
  try {
    await collectAdapter(events, trace, { model, modelChanges, seed, arm: adapter });
  } catch (error) {
    if (io.signal.aborted) return undefined;
    throw error;
  }
  const told = explainEvents(trace, events, ADAPTER_POLICY);
  return { ...told, ...diagnose(told, trace, { ...surroundingsOf(plan), session, setup }), origin };
}

/** Of the run, and of the recorded one where its usage is known. */
function diagnose(
  { events, policy }: RunStory,
  trace: Trace,
  {
    session,
    setup,
    ...options
  }: Parameters<typeof findBaseline>[1] &
    Pick<WrittenSession, 'session'> & { readonly setup: Setup | undefined },
): Pick<ExplainedRun, 'diagnosis' | 'blamed'> {
  const own = { events, policy: policy.name, baseline: findBaseline(trace, options) };
  const recorded = { events: [...replayRecorded(trace, options)], policy: 'As recorded' };
  const usableTokens = setup && usableOf(setup);
  const runs = [own, ...(hasUsage(trace) ? [{ ...recorded, usableTokens, setup }] : [])].map(
    ({ events: told, policy: name, ...against }) =>
      recordRun({ ...NO_KEY, session: trace.session, policy: name }, told, { ...against, trace }),
  );
  const blamed = nameBlamed(
    session,
    runs.flatMap(({ findings = [] }) => findings),
  );
  return { diagnosis: diagnosisOf(runs), blamed };
}

function findStep({ steps, end }: RunStory, wanted: number): StepStory {
  const found = steps.find(({ step }) => step === wanted);
  if (found !== undefined) return found;
  const last = steps.at(-1)?.step ?? 0;
  const state = end === undefined || end.state === 'completed' ? '' : `, where the run ended`;
  const expected = last === 0 ? 'left out, for there is no step' : `1 to ${last}${state}`;
  throw badOption(`Expected '--step' to be ${expected}, got ${wanted}.`);
}

function toSessionName(given: string, env: Environment): string {
  const { path } = parseSessionName(given);
  if (!isShortId(given) || existsSync(given) || existsSync(path)) return given;
  return findByShortId(given, localFiles(env), homeIn(env));
}
