import {
  anything,
  expectForm,
  fields,
  finite,
  optional,
  text,
  tokens,
} from '../../../engine/internal.ts';
import { badOption, HarnessError } from '../../errors.ts';
import { readCatalog } from '../../provider/catalog.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { overrideChecks } from '../../provider/override-profile.ts';
import type { CompileOptions } from '../../replay/compile.ts';
import { describeValue } from '../../scenario/file/describe-issue.ts';
import { readScenario } from '../../scenario/file/read-scenario.ts';
import type { ScenarioModel, ScenarioPrices } from '../../scenario/file/scenario.ts';
import { generateSession } from '../../scenario/workload/generate-session.ts';
import { findWorkload } from '../../scenario/workload/workloads.ts';
import { loadSessions } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';
import { resolveModel } from '../check/resolve-model.ts';
import { resolveRun, unaskedSummarizer } from '../check/resolve-run.ts';

/** A session to be replayed, with a model of its own where a scenario names one. */
export interface SessionInput extends Pick<CompileOptions, 'overheadTokens' | 'scale'> {
  readonly session: Session;
  readonly model?: ModelProfile;
}

/** Where sessions come from; several may be named. */
export interface SessionInputs {
  /** A session, or the path of a file with one or more. */
  readonly session?: Session | string;
  readonly sessions?: readonly (Session | string)[];
  /** The path of a scenario file: the session of its first run, with its model. */
  readonly scenario?: string;
}

/** A model of the catalog by its name, with limits and more of its own, or a profile. */
export type ModelInput = string | ScenarioModel | ModelProfile;

/** A limit under another name would be the catalog's. */
const modelForm = fields<ScenarioModel>({
  id: text,
  contextTokens: optional(tokens),
  inputTokens: optional(tokens),
  outputTokens: optional(tokens),
  prices: optional(
    fields<ScenarioPrices>({
      input: finite,
      output: finite,
      cacheRead: optional(finite),
      cacheWrite: optional(finite),
    }),
  ),
  ...overrideChecks,
});

/** How sessions are made up. */
export interface GenerateSessionsOptions {
  /** One of those that `list workloads` names. */
  readonly workload: string;
  readonly count: number;
  readonly seed?: number;
}

/** A seed under another name would be the one by default; what numbers have to be is said where they are read. */
const generateForm = fields<GenerateSessionsOptions>({
  workload: text,
  count: anything,
  seed: anything,
});

/**
 * Sessions with planted facts, like those of an agent; the same for the same seed. Throws `HarnessError` at a workload
 * that there is not, and at a count or a seed that is none; a `TypeError` at an option that there is not.
 */
export function generateSessions(options: GenerateSessionsOptions): readonly Session[] {
  const { workload: name, count, seed = 1 } = expectForm('options', options, generateForm);
  const workload = findWorkload(name);
  if (!(Number.isSafeInteger(count) && count > 0))
    throw badOption(`Expected 'count' to be a whole number above 0, got ${describeValue(count)}.`);
  if (!Number.isSafeInteger(seed))
    throw badOption(`Expected 'seed' to be a whole number, got ${describeValue(seed)}.`);
  return Array.from({ length: count }, (_, index) => generateSession(workload, { seed, index }));
}

/** The sessions that inputs stand for. Throws `HarnessError` where there is none. */
export function readInputs({
  session,
  sessions = [],
  scenario,
}: SessionInputs): readonly SessionInput[] {
  const given = session === undefined ? sessions : [session, ...sessions];
  const all = given
    .flatMap((one) => (typeof one === 'string' ? loadAll(one) : [one]))
    .map((one): SessionInput => ({ session: one }));
  const found = scenario === undefined ? all : [...all, readScenarioSession(scenario)];
  if (found.length > 0) return found;
  throw new HarnessError('NO_INPUT', 'Expected a session, sessions or a scenario, got none.');
}

/** The profile of a model. Throws `HarnessError` at a name that nothing has, and a `TypeError` at what is said of it otherwise. */
export function readModel(model: ModelInput): ModelProfile {
  if (typeof model === 'object' && 'behaviour' in model) return model;
  const named = typeof model === 'string' ? { id: model } : model;
  if (typeof named?.id !== 'string')
    throw badOption(`Expected 'model' to have an id, got ${describeValue(model)}.`);
  return resolveModel(expectForm('options.model', named, modelForm), readCatalog());
}

function loadAll(path: string): readonly Session[] {
  return [...loadSessions([path])].map((loaded) => {
    if (loaded.state === 'read') return loaded.session;
    throw new HarnessError('NO_INPUT', loaded.reason);
  });
}

function readScenarioSession(path: string): SessionInput {
  const { file, runs } = readScenario(path);
  const [first] = runs;
  if (first === undefined) throw new TypeError('Expected a scenario to have a run.');
  const { session, options } = resolveRun(first, file, {
    catalog: readCatalog(),
    findSummarizer: unaskedSummarizer,
  });
  const { overheadTokens, scale } = first.session;
  return { session, model: options.model, overheadTokens, scale };
}
