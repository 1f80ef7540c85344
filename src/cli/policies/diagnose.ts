import type { Policy } from '../../engine/index.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import { findModel } from '../../simulator/provider/find-model.ts';
import type { Diagnosis } from '../../simulator/report/doctor.ts';
import { type CheckupOptions, examine } from '../../simulator/scenario/doctor/checkup.ts';
import { runLints } from '../../simulator/scenario/doctor/lints.ts';
import { applySettings } from '../../simulator/scenario/settings.ts';
import { withSummaries } from '../../simulator/scenario/with-summaries.ts';
import { originOf } from '../run/origin.ts';
import type { GivenSettings } from '../run/settings.ts';

/** Which policy to examine, and on what. */
export interface DiagnoseOptions {
  readonly settings: GivenSettings;
  readonly policy: Policy;
  readonly model: string;
  readonly catalog?: string | undefined;
  readonly floorTokens: number;
}

/** Examines a policy on a model of the catalog with some settings. */
export function diagnose(options: DiagnoseOptions): Diagnosis {
  const { values: given, config } = options.settings;
  const catalog = readCatalog(options.catalog);
  const { id, limits } = findModel(catalog, options.model);
  const base = {
    policy: withSummaries(options.policy, { summaryModel: config?.summaryModel }),
    limits,
  };
  const target = applySettings(base, given);
  const { floorTokens } = options;
  const summarizer = summarizerOf(target.policy, catalog);
  const checkup = examine({ base, target, given, floorTokens, summarizer });
  const origin = originOf(catalog, [], given);
  return { origin, model: id, checkup, findings: runLints(checkup) };
}

/** Absent where no model is named, or the catalog knows none of that name. */
function summarizerOf({ summary }: Policy, { models }: Catalog): CheckupOptions['summarizer'] {
  const found = summary.model === undefined ? undefined : models.get(summary.model);
  return found && { model: found.id, limits: found.limits };
}
