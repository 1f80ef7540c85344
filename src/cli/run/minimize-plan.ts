import type { Environment } from '../../simulator/environment.ts';
import { HarnessError } from '../../simulator/errors.ts';
import type { CountText } from '../../simulator/replay/count.ts';
import { compileSession } from '../../simulator/replay/compile.ts';
import type { SearchOptions } from '../../simulator/sweep/minimize/search.ts';
import { splitSettings } from '../../simulator/sweep/minimize/split-settings.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare-runs.ts';
import { quoted } from '../../simulator/names.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import { loadNamed } from '../../simulator/session/named-session.ts';
import type { Session } from '../../simulator/session/session.ts';
import { isScenarioFile } from '../check/inputs.ts';
import { onlyPolicy, planRun } from './plan.ts';

/** What a search is made of, as the command line has it. */
export interface SearchPlanOptions {
  readonly policy: string;
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

/** What is to be shrunk; of a scenario the session of its first run, so that a search that was stopped can go on. */
function loadSubject(file: string): {
  readonly session: Session;
  readonly overheadTokens?: number;
} {
  if (!isScenarioFile(file)) return { session: loadNamed(file) };
  const [run] = readScenario(file).runs;
  if (run?.session.type === 'built') return run.session;
  const message = `Expected ${quoted(file)} to hold its session, got the path of another file.`;
  throw new HarnessError('NO_INPUT', message);
}

/** What a search is made of, but for what it looks for. */
export interface SearchPlan extends Pick<SearchOptions, 'trace' | 'run' | 'frame'> {
  /** What somebody may not expect of it, one sentence each. */
  readonly notes: readonly string[];
}

/** Checks everything that a search is made of; throws at the first thing that is wrong. */
export async function planSearch(
  file: string,
  options: SearchPlanOptions,
  { countOf, env }: Surroundings,
): Promise<SearchPlan> {
  const { set = [], summarizer } = options;
  const plan = planRun({ ...options, policy: [options.policy], set }, env);
  const { model, seed } = plan;
  const policy = onlyPolicy(plan);
  const count = await countOf(model.id);
  const { session, ...known } = loadSubject(file);
  const trace = compileSession(session, { ...compileOptionsFor(model.id, count), ...known });
  const settings = splitSettings(plan.settings.values);
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
