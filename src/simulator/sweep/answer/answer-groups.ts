import { policies } from '../../../engine/index.ts';
import { groupBy, keepIn } from '../../lib/collections.ts';
import { type Catalog, findRecordedModel } from '../../provider/catalog.ts';
import type { AgentConfigs } from '../../scenario/agent-config.ts';
import { type Arm, newestRecordingArm, parseArm } from '../../scenario/arms.ts';
import type { SettingValues } from '../../scenario/settings.ts';
import {
  type Cell,
  type CellChoice,
  recordedCell,
  resolveCell,
  type SimulatedCell,
} from '../grid.ts';
import type { PlannedSession } from '../plan.ts';
import type { ResultRow } from '../store/row.ts';
import { type Change, changesFor, settingsOf } from './changes.ts';

/** A session with the agent that recorded it. */
export interface AgentSession {
  readonly agent: string;
  readonly session: PlannedSession;
  /** Its position in the plan. */
  readonly index: number;
}

/** A change with the cell that tries it. */
export interface TriedChange {
  readonly change: Change;
  readonly cell: SimulatedCell;
}

/** Sessions of one agent and one model, with the cells that they are run in. */
export interface AnswerGroup {
  readonly agent: string;
  readonly sessions: readonly AgentSession[];
  readonly recorded: Cell;
  /** The agent's preset as it is set today; absent of agents without one. */
  readonly base?: SimulatedCell;
  /** The preset without settings of the agent's own. */
  readonly released?: SimulatedCell;
  readonly changes: readonly TriedChange[];
}

/** Sessions by agent and model, and those whose model nobody knows. */
export interface AnswerGroups {
  readonly groups: readonly AnswerGroup[];
  readonly unknownModels: Readonly<Record<string, number>>;
  readonly withoutModel: number;
}

/** Returns the row of a session in a cell; `undefined` where there is none. */
export type RowOf = (session: AgentSession, cell: { readonly id: string }) => ResultRow | undefined;

type Preset = Arm | undefined;

interface GroupSources extends Pick<AgentConfigs, 'configs'> {
  readonly catalog: Catalog;
  readonly summarizer: string;
}

/** Groups sessions that are run; copies of others are not among them. */
export function groupSessions(
  sessions: readonly AgentSession[],
  sources: GroupSources,
): AnswerGroups {
  const known = new Map<string, string | undefined>();
  const modelOf = ({ session: { recordedModel } }: AgentSession) =>
    recordedModel === undefined
      ? undefined
      : keepIn(known, recordedModel, () => findRecordedModel(sources.catalog, recordedModel));
  const byAgent = groupBy(sessions, ({ agent }) => agent);
  const groups = [...byAgent].flatMap(([agent, own]) => {
    const preset = newestRecordingArm(own.map(({ session }) => session.recordedBy));
    return [...groupBy(own, modelOf)].flatMap(([model, some]) =>
      model === undefined ? [] : [toGroup({ agent, sessions: some, model, preset }, sources)],
    );
  });
  const lacking = sessions.filter((one) => modelOf(one) === undefined);
  return { groups, ...countLacking(lacking) };
}

/** All cells of groups, each once. */
export function cellsOf(groups: readonly AnswerGroup[]): readonly Cell[] {
  const all = groups.flatMap(cellsOfGroup);
  return [...new Map(all.map((cell) => [cell.id, cell])).values()];
}

/** The cells that the sessions of a group are run in. */
export function cellsOfGroup({ recorded, base, changes }: AnswerGroup): readonly Cell[] {
  return [recorded, ...(base ? [base] : []), ...changes.map(({ cell }) => cell)];
}

function countLacking(
  sessions: readonly AgentSession[],
): Pick<AnswerGroups, 'unknownModels' | 'withoutModel'> {
  const unknownModels: Record<string, number> = {};
  let withoutModel = 0;
  for (const { session } of sessions) {
    const { recordedModel: name } = session;
    if (name === undefined) withoutModel += 1;
    else unknownModels[name] = (unknownModels[name] ?? 0) + 1;
  }
  return { unknownModels, withoutModel };
}

function toGroup(
  {
    agent,
    sessions,
    model,
    preset,
  }: Pick<AnswerGroup, 'agent' | 'sessions'> & { readonly model: string; readonly preset: Preset },
  { catalog, summarizer, configs }: GroupSources,
): AnswerGroup {
  const arm = preset ?? parseArm(policies.none.name);
  const choice = { arm, model, summarizer, settings: {} };
  const recorded = recordedCell(resolveCell(choice, { catalog }));
  if (preset === undefined) return { agent, sessions, recorded, changes: [] };
  const cellWith = (settings: SettingValues) =>
    resolveCell({ ...choice, ...withSettings(arm, settings) }, { catalog });
  const config = configs.get(agent);
  const window = config?.windowOn(model) ?? {};
  const released = cellWith(window);
  const { policy, model: profile } = released;
  const own = { ...window, ...config?.settingsOn({ policy, limits: profile.limits, model }) };
  const base = cellWith(own);
  const inUse = { policy: base.policy, limits: base.model.limits };
  const changes = changesFor(inUse).map((change) => ({
    change,
    cell: cellWith({ ...own, ...settingsOf(change) }),
  }));
  return { agent, sessions, recorded, base, released, changes };
}

/** An arm with settings that win over those of its release. */
function withSettings(arm: Arm, settings: SettingValues): Pick<CellChoice, 'arm' | 'settings'> {
  return { arm: { ...arm, settings: { ...arm.settings, ...settings } }, settings };
}
