import type { PolicyName } from '../../../engine/index.ts';
import type { Path } from './places.ts';
import type { FurtherRun, ScenarioFile } from './schema.ts';
import type { Model, ModelChange } from './schema/model.ts';
import type { SessionChange, SessionSource } from './schema/session.ts';

/** Keys of the file that a run has of its own, or takes from the first. */
type RunKey = Exclude<keyof FurtherRun, 'name'>;

type Policy = ScenarioFile['policy'];
type PolicyMap = Exclude<Policy, string>;
type PolicyChange = NonNullable<FurtherRun['policy']>;

/** One run as its file has it, with what it takes from the first. */
export interface RunSource
  extends Pick<
    ScenarioFile,
    'session' | 'model' | 'summaryModel' | 'summarizer' | 'seed' | 'faults' | 'expect'
  > {
  readonly name: string;
  readonly policy: { readonly preset: PolicyName; readonly set?: PolicyMap['set'] };
  /** Where the run itself stands: under `also`, or the policy of the first. */
  readonly path: Path;
  /** Where the value of a key stands. */
  readonly pathOf: (key: RunKey | 'name') => Path;
}

const FIRST_NAME = 'main';

/** The run that the file's own keys describe. */
export function firstRun(file: ScenarioFile): RunSource {
  const { name = FIRST_NAME, policy, ...rest } = file;
  return {
    ...rest,
    name,
    policy: toPolicyMap(policy),
    path: ['policy'],
    pathOf: (key) => [key],
  };
}

/** A run under `also`: what it names replaces the first run's; an incomplete map is laid over it. */
export function furtherRun(file: ScenarioFile, further: FurtherRun, index: number): RunSource {
  const { session, model, summaryModel, policy, expect = file.expect, ...rest } = further;
  const isOwn = (key: RunKey | 'name') =>
    further[key] !== undefined && (key !== 'session' || isWhole(session));
  const summary = layModel(file.summaryModel ?? file.model, summaryModel);
  return {
    ...firstRun(file),
    ...rest,
    expect,
    session: laySession(file.session, session),
    model: layModel(file.model, model),
    ...((file.summaryModel ?? summaryModel) !== undefined && { summaryModel: summary }),
    policy: layPolicy(file.policy, policy),
    path: ['also', index],
    pathOf: (key) => (isOwn(key) ? ['also', index, key] : [key]),
  };
}

function isWhole(session: SessionChange | undefined): session is SessionSource {
  return (
    session !== undefined && ('script' in session || 'generate' in session || 'file' in session)
  );
}

function laySession(base: SessionSource, change: SessionChange | undefined): SessionSource {
  return isWhole(change) ? change : { ...base, ...change };
}

function layModel(base: Model, change: ModelChange | undefined): Model {
  if (change === undefined || typeof change === 'string') return change ?? base;
  const { id, ...overrides } = change;
  if (id !== undefined) return { ...overrides, id };
  return typeof base === 'string' ? { ...overrides, id: base } : { ...base, ...overrides };
}

function layPolicy(base: Policy, change: PolicyChange | undefined): RunSource['policy'] {
  if (change === undefined) return toPolicyMap(base);
  if (typeof change === 'string') return { preset: change };
  const { preset, set } = change;
  if (preset !== undefined) return { preset, set };
  const { preset: basePreset, set: baseSet } = toPolicyMap(base);
  return { preset: basePreset, set: { ...baseSet, ...set } };
}

function toPolicyMap(policy: Policy): RunSource['policy'] {
  return typeof policy === 'string' ? { preset: policy } : policy;
}
