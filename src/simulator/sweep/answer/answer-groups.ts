import { policies } from '../../../engine/index.ts';
import { groupBy } from '../../lib/collections.ts';
import { type Catalog, withoutRelease } from '../../provider/catalog.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { type Arm, newestRecordingArm, parseArm } from '../../scenario/arms.ts';
import { newestReleaseOf } from '../../scenario/recording-agents.ts';
import type { SettingValues } from '../../scenario/settings.ts';
import { GENERATED } from '../../session/session.ts';
import { mainStretch, type SetupStretch } from '../../setup/setup.ts';
import { type Cell, recordedCell, resolveCell, type SimulatedCell } from '../grid.ts';
import type { PlannedSession } from '../plan.ts';
import { meetSetup } from '../run/meet-setup.ts';
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

/** Sessions of one agent, one model and one window, with the cells that they are run in. */
export interface AnswerGroup {
  readonly agent: string;
  readonly sessions: readonly AgentSession[];
  readonly recorded: Cell;
  /** The agent's preset as it is set today; absent of agents without one. */
  readonly base?: SimulatedCell;
  /** The preset as it is configured, in the window in force. */
  readonly inUse?: Pick<SimulatedCell, 'policy' | 'model'> & {
    /** The newest release among the agent's sessions; absent where none is recorded. */
    readonly release: readonly number[] | undefined;
  };
  readonly changes: readonly TriedChange[];
}

/** Sessions by agent, model and window, and those that name no model. */
export interface AnswerGroups {
  readonly groups: readonly AnswerGroup[];
  readonly withoutModel: number;
}

/** Returns the row of a session in a cell; `undefined` where there is none. */
export type RowOf = (session: AgentSession, cell: { readonly id: string }) => ResultRow | undefined;

type Preset = Arm | undefined;

interface GroupSources {
  readonly catalog: Catalog;
  readonly summarizer: string;
  /** The policy of generated sessions. */
  readonly policy: string;
}

/** Groups sessions that are run; copies of others are not among them. */
export function groupSessions(
  sessions: readonly AgentSession[],
  sources: GroupSources,
): AnswerGroups {
  const named = sessions.filter(({ session }) => stretchOf(session)?.modelSource === 'recorded');
  const groups = [...groupBy(named, ({ agent }) => agent)].flatMap(([agent, own]) => {
    const recorded = newestRecordingArm(own.map(({ session }) => session.recordedBy));
    // No agent recorded what was generated: the policy of all other commands stands for one.
    const preset = recorded ?? (agent === GENERATED ? parseArm(sources.policy) : undefined);
    return [...groupBy(own, windowKeyOf).values()].map((some) =>
      toGroup(
        {
          agent,
          sessions: some,
          preset,
          release: newestReleaseOf(own.map(({ session }) => session.recordedBy)),
        },
        sources,
      ),
    );
  });
  return { groups, withoutModel: sessions.length - named.length };
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

/** The model in its window that most steps of a session ran under. */
function stretchOf({ ref }: PlannedSession): SetupStretch | undefined {
  return ref.setup && mainStretch(ref.setup);
}

/** Releases of a model are one. */
function windowKeyOf({ session }: AgentSession): string {
  const { model, window } = stretchOf(session) ?? {};
  return JSON.stringify([withoutRelease(model?.id ?? ''), window?.value]);
}

function toGroup(
  {
    agent,
    sessions,
    preset,
    release,
  }: Pick<AnswerGroup, 'agent' | 'sessions'> & {
    readonly preset: Preset;
    readonly release: readonly number[] | undefined;
  },
  { catalog, summarizer }: GroupSources,
): AnswerGroup {
  const [{ session }] = sessions as readonly [AgentSession];
  const usual = stretchOf(session)?.model as ModelProfile;
  const arm = preset ?? parseArm(policies.none.name);
  const cellWith = (settings: SettingValues) =>
    resolveCell(
      { arm: withSettings(arm, settings), model: usual.id, summarizer, settings },
      { catalog, usual },
    );
  const released = cellWith({});
  const recorded = recordedCell(released);
  if (preset === undefined) return { agent, sessions, recorded, changes: [] };
  const { policy, model } = meetSetup(released, session.ref.setup);
  const changes = changesFor({ policy, limits: model.limits }).map((change) => ({
    change,
    cell: cellWith(settingsOf(change)),
  }));
  const inUse = { policy, model, release };
  return { agent, sessions, recorded, base: released, inUse, changes };
}

/** An arm with settings that win over those of its release. */
function withSettings(arm: Arm, settings: SettingValues): Arm {
  return { ...arm, settings: { ...arm.settings, ...settings } };
}
