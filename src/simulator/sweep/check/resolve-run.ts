import { policies, type Policy } from '../../../engine/index.ts';
import { HarnessError } from '../../errors.ts';
import { metrics } from '../../metrics/metrics.ts';
import { named } from '../../names.ts';
import type { Catalog } from '../../provider/catalog.ts';
import { findModel } from '../../provider/find-model.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import type { AsyncRunOptions } from '../../replay/run-trace.ts';
import type { Place, Placed } from '../../scenario/file/expectation.ts';
import { badScenario } from '../../scenario/file/places.ts';
import type { ScenarioRun, ScenarioSession } from '../../scenario/file/scenario.ts';
import { applySettings } from '../../scenario/settings.ts';
import { withSummaries } from '../../scenario/with-summaries.ts';
import { loadNamed } from '../../session/named-session.ts';
import type { Session } from '../../session/session.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import { findSummarizer as findWithoutModel } from '../../summarizer/summarizers.ts';
import { resolveModel } from './resolve-model.ts';

/** A run whose names have become what they stand for. */
export interface ResolvedRun {
  readonly run: ScenarioRun;
  readonly session: Session;
  readonly options: AsyncRunOptions;
}

/** Where names are looked up. */
interface Surroundings {
  readonly catalog: Catalog;
  readonly findSummarizer?: ((name: string) => AnySummarizer) | undefined;
}

/** Does something for a value of a file, and tells where that stands if it is wrong. */
type AtPlace = <Value, Result>(placed: Placed<Value>, use: (value: Value) => Result) => Result;

/** What stands in the place of any summarizer where nobody asks for a summary: it needs no key. */
export function unaskedSummarizer(): AnySummarizer {
  return findWithoutModel('extractive');
}

/** Looks up everything that a run of a file names. Throws `HarnessError` with the place of what is wrong. */
export function resolveRun(
  run: ScenarioRun,
  file: string,
  { catalog, findSummarizer = findWithoutModel }: Surroundings,
): ResolvedRun {
  const at: AtPlace = ({ value, at: place }, use) => located(file, place, () => use(value));
  for (const { metric, at: place } of run.expect.metrics) {
    located(file, place, () => named('metric', metrics, metric));
  }
  const toModel = (value: ScenarioRun['model']) =>
    at(value, (model) => resolveModel(model, catalog));
  const model = toModel(run.model);
  const summaryModel = run.summaryModel && toModel(run.summaryModel);
  const find = (id: string) => (id === summaryModel?.id ? summaryModel : findModel(catalog, id));
  at(run.model, () => checkSwitches(run, model, find));
  return {
    run,
    session: sessionOf(run.session, at),
    options: {
      policy: policyOf(run, { model, summaryModel }),
      model,
      ...(summaryModel && { summaryModel }),
      summarizer: at(run.summarizer, findSummarizer),
      seed: run.seed,
      faults: run.faults,
      findModel: find,
    },
  };
}

function located<Result>(file: string, at: Place, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (error instanceof HarnessError)
      throw badScenario([{ file, at, message: error.message }], error);
    throw error;
  }
}

/** A model that a run switches to is found before the run begins. */
function checkSwitches(
  { faults }: ScenarioRun,
  model: ModelProfile,
  find: (id: string) => ModelProfile,
): void {
  for (const fault of faults) {
    if (fault.on === 'model' && fault.model !== model.id) find(fault.model);
  }
}

function sessionOf(session: ScenarioSession, at: AtPlace): Session {
  return session.type === 'built' ? session.session : at(session.path, loadNamed);
}

function policyOf(
  { policy: { preset, set } }: ScenarioRun,
  {
    model,
    summaryModel,
  }: { readonly model: ModelProfile; readonly summaryModel: ModelProfile | undefined },
): Policy {
  const { policy } = applySettings({ policy: policies[preset], limits: model.limits }, set);
  return withSummaries(policy, { summaryModel: summaryModel?.id });
}
