import { type Catalog, isSameModel } from '../../simulator/provider/catalog.ts';
import { recordingArm } from '../../simulator/scenario/arms.ts';
import { loadSessions } from '../../simulator/session/load.ts';

/** What recordings say of agent and model, where they agree. */
export interface RecordedDefaults {
  /** The policy of the agent that recorded all of them. */
  readonly policy?: string | undefined;
  /** The catalog's model that all of them were recorded with. */
  readonly model?: string | undefined;
}

/** Reads sessions until they disagree. Those of sub-agents, and what can be read only once, have no say. */
export function readRecordedDefaults(files: readonly string[], catalog: Catalog): RecordedDefaults {
  const models = new Set<string | undefined>();
  const releases = new Set<string | undefined>();
  const agents = new Set<string | undefined>();
  for (const loaded of loadSessions(files, { pipes: 'leave' })) {
    if (loaded.state === 'unread' || loaded.session.isSide) continue;
    const { format, release, model } = loaded.session;
    agents.add(recordingArm({ format })?.policy.name);
    releases.add(recordingArm({ format, ...(release && { release }) })?.policy.name);
    if (model !== undefined && !hasSame(models, model)) models.add(nameInCatalog(model, catalog));
    if (agents.size > 1 && models.size > 1) break;
  }
  return { policy: onlyOf(releases) ?? onlyOf(agents), model: onlyOf(models) };
}

/** The name of a recorded model, whose release or provider the catalog may not have. */
function nameInCatalog(model: string, { models }: Catalog): string | undefined {
  return models.get(model)?.id ?? [...models.keys()].find((known) => isSameModel(known, model));
}

/** A release of a model that was seen is no other model. */
function hasSame(models: ReadonlySet<string | undefined>, model: string): boolean {
  return [...models].some((known) => known !== undefined && isSameModel(known, model));
}

function onlyOf<Value>(values: ReadonlySet<Value>): Value | undefined {
  const [only] = values;
  return values.size === 1 ? only : undefined;
}
