import { HarnessError } from '../lib/errors.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { billedPrices } from './billed-prices.ts';
import { feed } from './feed.ts';
import { type Running, usableTokensOf } from './running.ts';
import { createService, type Service } from './service.ts';
import type { Trace } from './trace.ts';

/** What a switch of models needs to know. */
export interface SwitchOptions {
  readonly model: ModelProfile;
  readonly summaryModel?: ModelProfile | undefined;
  readonly findModel?: (id: string) => ModelProfile;
}

/** Gives what to do before each step: another model may answer from there on. Each model keeps its own cache. */
export function createSwitchboard(
  running: Running,
  trace: Trace,
  { model, summaryModel, findModel }: SwitchOptions,
): (step: number) => void {
  let services: Map<string, Service> | undefined;

  return function switchModel(step) {
    const id = running.faults.modelFrom(step);
    if (id === undefined) return;
    services ??= new Map([[model.id, running.service]]);
    const service =
      services.get(id) ??
      createService(profileOf(id, findModel), running.state.policy, { trace, of: 'steps' });
    services.set(id, service);
    running.service = service;
    if (summaryModel === undefined) running.summaryService = service;
    const { limits } = service.profile;
    feed(running, { type: 'model-changed', limits });
    const usableTokens = usableTokensOf(running.state);
    running.told.push({
      type: 'model-changed',
      step,
      model: id,
      limits,
      ...(usableTokens !== undefined && { usableTokens }),
      prices: billedPrices(service.profile),
    });
  };
}

function profileOf(id: string, findModel: SwitchOptions['findModel']): ModelProfile {
  if (findModel !== undefined) return findModel(id);
  throw new HarnessError(
    'UNKNOWN_NAME',
    `Expected the catalog at a switch to model '${id}', got none.`,
  );
}
