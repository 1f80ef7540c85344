import { policies } from '../../engine/index.ts';
import type { Environment } from '../../simulator/environment.ts';
import { badValue } from '../../simulator/bad-value.ts';
import { badOption, HarnessError } from '../../simulator/errors.ts';
import type { CountText } from '../../simulator/replay/count.ts';
import { type CompileOptions, compileSession } from '../../simulator/replay/compile.ts';
import { commandCompactor } from '../../simulator/sweep/adapter/command-compactor.ts';
import type { SearchOptions } from '../../simulator/sweep/minimize/search.ts';
import { splitSettings } from '../../simulator/sweep/minimize/split-settings.ts';
import {
  adapterSubject,
  policySubject,
  type Subject,
} from '../../simulator/sweep/minimize/subject.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare-runs.ts';
import { quoted } from '../../simulator/names.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import { loadNamed } from '../../simulator/session/named-session.ts';
import type { Session } from '../../simulator/session/session.ts';
import { isScenarioFile } from '../check/inputs.ts';
import { checkAdapter } from '../options/adapter.ts';
import { onlyPolicy, planRun } from './plan.ts';

/** What a search is made of, as the command line has it. */
export interface SearchPlanOptions {
  /** A preset; this or an adapter. */
  readonly policy?: string | undefined;
  /** A command that stands in the place of a policy. */
  readonly adapter?: string | undefined;
  readonly model: string;
  readonly summarizer: string;
  readonly seed: string;
  readonly set?: readonly string[] | undefined;
  readonly catalog?: string | undefined;
}

/** What a search takes from around it. */
interface Surroundings {
  readonly countOf: (model: string) => Promise<CountText>;
  readonly env: Environment;
}

/** What a search is made of, but for what it looks for. */
export interface SearchPlan extends Pick<SearchOptions, 'trace' | 'run' | 'frame'> {
  /** What somebody may not expect of it, one sentence each. */
  readonly notes: readonly string[];
}

/** What a session is shrunk for; throws unless that is one of the two. */
export function subjectOf({ policy, adapter }: SearchPlanOptions, signal: AbortSignal): Subject {
  if (policy !== undefined && adapter === undefined) return policySubject;
  if (adapter === undefined || policy !== undefined)
    throw badOption("Expected either '--policy NAME' or '--adapter COMMAND'.");
  checkAdapter(adapter);
  return adapterSubject((stop) => commandCompactor(adapter, { signal: stop }), signal);
}

/** Checks everything that a search is made of; throws at the first thing that is wrong. */
export async function planSearch(
  file: string,
  options: SearchPlanOptions,
  { countOf, env }: Surroundings,
): Promise<SearchPlan> {
  const { set = [], summarizer, adapter } = options;
  // A session of an adapter is one that is left as it is, to a preset.
  const named = adapter === undefined ? options.policy : policies.none.name;
  const plan = planRun({ ...options, policy: named === undefined ? [] : [named], set }, env);
  const { model, seed } = plan;
  const policy = onlyPolicy(plan);
  const count = await countOf(model.id);
  const { session, ...known } = loadSubject(file);
  const trace = compileSession(session, { ...compileOptionsFor(model.id, count), ...known });
  const settings = splitSettings(plan.settings.values);
  if (adapter !== undefined) checkNoneOfPolicy(settings.policy);
  const { overheadTokens } = trace.basis;
  return {
    notes: plan.notes,
    trace,
    run: { policy, model, summarizer: plan.summarizer, seed },
    frame: {
      why: '',
      overheadTokens,
      model: model.id,
      modelSet: settings.model,
      policy: policy.name,
      policySet: settings.policy,
      summarizer,
      seed,
    },
  };
}

/** What is to be shrunk; of a scenario the session of its first run, so that a search that was stopped can go on. */
function loadSubject(file: string): {
  readonly session: Session;
} & Pick<CompileOptions, 'overheadTokens' | 'scale'> {
  if (!isScenarioFile(file)) return { session: loadNamed(file) };
  const [run] = readScenario(file).runs;
  if (run?.session.type === 'built') {
    const { session, overheadTokens, scale } = run.session;
    return { session, overheadTokens, scale };
  }
  const message = `Expected ${quoted(file)} to hold its session, got the path of another file.`;
  throw new HarnessError('NO_INPUT', message);
}

/** What an adapter does nobody can set. */
function checkNoneOfPolicy(settings: object): void {
  const [first] = Object.keys(settings);
  if (first === undefined) return;
  throw badValue('--set', 'about the model where an adapter stands for the policy', first);
}
