import { policies } from '../../../engine/index.ts';
import { groupBy } from '../../lib/collections.ts';
import { type Catalog, withoutRelease } from '../../provider/catalog.ts';
import { readsSetting } from '../../report/agent-keys.ts';
import { newestRecordingArm, parseArm } from '../../scenario/arms.ts';
import { examine, knowsReserve, settingWithoutEffect } from '../../scenario/checkup.ts';
import { newestReleaseOf } from '../../scenario/recording-agents.ts';
import { applySettings, type SettingName, type SettingValues } from '../../scenario/settings.ts';
import { GENERATED } from '../../session/session.ts';
import { mainStretch } from '../../setup/setup.ts';
import { type Cell, recordedCell, resolveCell, type SimulatedCell } from '../grid.ts';
import type { PlannedSession } from '../plan.ts';
import { meetSetup } from '../run/meet-setup.ts';
import type { ResultRow } from '../store/read-rows.ts';
import { type InUse, lateEdgeTokens, todaysValue, valuesToTry } from '../tune/screen-axes.ts';

export interface AgentSession {
  readonly agent: string;
  readonly session: PlannedSession;
  readonly index: number;
}

/** Sessions of one agent, one model and one window, with the cells that they are run in. */
export interface AnswerGroup {
  readonly agent: string;
  readonly sessions: readonly AgentSession[];
  readonly recorded: Cell;
  readonly base?: SimulatedCell;
  readonly inUse?: Pick<SimulatedCell, 'policy' | 'model'> & {
    readonly release: readonly number[] | undefined;
  };
  readonly changes: readonly { readonly change: Change; readonly cell: SimulatedCell }[];
}

export type RowOf = (session: AgentSession, cell: { readonly id: string }) => ResultRow | undefined;

interface GroupSources {
  readonly catalog: Catalog;
  readonly summarizer: string;
  readonly policy: string;
}

export interface Change {
  readonly setting: SettingName;
  readonly from?: number | boolean;
  readonly to: number | boolean;
  readonly isRead: boolean;
}

const TRIED = ['triggerFraction', 'triggerTokens', 'reserved', 'prune'] as const;

export function groupSessions(sessions: readonly AgentSession[], sources: GroupSources) {
  const named = sessions.flatMap((own) => {
    const stretch = stretchOf(own);
    // Releases of a model are one.
    const window = [withoutRelease(stretch?.model.id ?? ''), stretch?.window.value];
    return stretch?.modelSource === 'recorded' ? [{ own, window: JSON.stringify(window) }] : [];
  });
  const groups = [...groupBy(named, ({ own }) => own.agent).values()].flatMap((all) =>
    [...groupBy(all, ({ window }) => window).values()].map((some) =>
      toGroup(
        some.map(({ own }) => own),
        all.map(({ own }) => own.session.recordedBy),
        sources,
      ),
    ),
  );
  return { groups, withoutModel: sessions.length - named.length };
}

export function changesFor(inUse: InUse) {
  return TRIED.filter((setting) => isAnswered(setting, inUse)).flatMap((setting) => {
    const from = todaysValue(setting, inUse);
    return valuesToTry(setting, inUse).flatMap((to): readonly Change[] => {
      if (typeof to === 'string') return [];
      const given = { [setting]: to };
      const target = applySettings(inUse, given);
      const checkup = examine({ base: inUse, target, given, floorTokens: 0 });
      const isRead = settingWithoutEffect.find(checkup).length === 0;
      const today = typeof from === 'string' || from === undefined ? {} : { from };
      return [{ setting, ...today, to, isRead }];
    });
  });
}

export function isAnswered(setting: SettingName, inUse: InUse) {
  const { policy } = inUse;
  const isLate = lateEdgeTokens(inUse) !== undefined;
  // Of a large window, shares are coarse: amounts are tried.
  if (setting === 'triggerFraction') return !isLate;
  if (setting === 'triggerTokens') return isLate;
  if (setting !== 'reserved') return TRIED.some((one) => one === setting);
  const readsTrigger = readsSetting(policy.name, 'triggerFraction');
  return knowsReserve(policy) && (readsSetting(policy.name, 'reserved') || !readsTrigger);
}

function stretchOf({ session: { ref } }: AgentSession) {
  return ref.setup && mainStretch(ref.setup);
}

function toGroup(
  sessions: readonly AgentSession[],
  recorders: readonly PlannedSession['recordedBy'][],
  { catalog, summarizer, policy: generated }: GroupSources,
) {
  const [first] = sessions;
  const usual = first && stretchOf(first)?.model;
  if (first === undefined || usual === undefined)
    throw new RangeError('Expected sessions with a model, got none.');
  const { agent, session } = first;
  // No agent recorded what was generated: the policy of all other commands stands for one.
  const preset =
    newestRecordingArm(recorders) ?? (agent === GENERATED ? parseArm(generated) : undefined);
  const arm = preset ?? parseArm(policies.none.name);
  const cellWith = (settings: SettingValues) => {
    const changed = { ...arm, settings: { ...arm.settings, ...settings } };
    return resolveCell({ arm: changed, model: usual.id, summarizer, settings }, { catalog, usual });
  };
  const base = cellWith({});
  const recorded = recordedCell(base);
  if (preset === undefined) return { agent, sessions, recorded, changes: [] };
  const { policy, model } = meetSetup(base, session.ref.setup);
  const changes = changesFor({ policy, limits: model.limits }).map((change) => ({
    change,
    cell: cellWith({ [change.setting]: change.to }),
  }));
  const inUse = { policy, model, release: newestReleaseOf(recorders) };
  return { agent, sessions, recorded, base, inUse, changes };
}
