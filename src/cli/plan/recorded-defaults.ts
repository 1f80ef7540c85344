import type { Environment } from '../../simulator/env.ts';
import { groupBy } from '../../simulator/lib/collections.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import {
  type Catalog,
  findRecordedModel,
  lookUpModel,
  readCatalog,
  withoutRelease,
} from '../../simulator/provider/catalog.ts';
import { countOf, formatCount } from '../../simulator/report/numbers.ts';
import { newestRecordingArm, recordingArm } from '../../simulator/scenario/arms.ts';
import { loadSessions } from '../../simulator/session/load.ts';
import type { Session } from '../../simulator/session/session.ts';
import { DEFAULT_POLICY } from './options.ts';
import type { OpenRegistry } from './plan.ts';
import { readSettings, settingIn } from './settings.ts';

/** Agent and model of a command in which somebody has not named both. */
export interface Defaults {
  readonly policy: string;
  /** The recorded model; absent where no recording tells of one that the catalog knows. */
  readonly otherwise?: string | undefined;
  /** A sentence that says what was taken from recordings. */
  readonly notes: readonly string[];
}

/** The parts that a plan begins with, where they are there. */
export interface PlanStart {
  readonly defaults?: Defaults;
  /** The registry whose models were asked. */
  readonly opened?: OpenRegistry;
}

/** Those of a command without recordings. */
export const NO_DEFAULTS: Defaults = { policy: DEFAULT_POLICY, notes: [] };

/** The options that somebody has given. */
interface Named {
  readonly policy?: string | readonly string[] | undefined;
  readonly model?: string | readonly string[] | undefined;
  readonly vary?: readonly string[];
  readonly set: readonly string[];
  readonly config?: string | undefined;
  readonly catalog?: string | undefined;
}

type Recorded = Pick<Session, 'format' | 'release' | 'model' | 'isSide'>;

/** The value that most recordings have, of so many of them. */
interface Share {
  readonly name: string;
  readonly sessions: number;
  readonly of: number;
}

/**
 * The preset of the newest release of the agent that recorded most sessions, and the model that most were recorded with. Sessions of
 * sub-agents have no say. Nothing is read where both are named.
 */
export function readDefaults(
  named: Named,
  sessions: Iterable<Recorded>,
  environment: Environment,
): Defaults {
  const catalog = readCatalog(named.catalog);
  const needsPolicy = !isNamed('policy', named);
  const needsModel = !isNamed('model', named) && !hasConfiguredModel(named, environment, catalog);
  if (!needsPolicy && !needsModel) return NO_DEFAULTS;
  const recorded = [...sessions].filter(({ isSide }) => !isSide);
  const policy = needsPolicy ? findPolicy(recorded) : undefined;
  const model = needsModel ? findMostUsedModel(recorded, catalog) : undefined;
  return {
    policy: policy?.name ?? DEFAULT_POLICY,
    otherwise: model?.name,
    notes: describeTaken(policy, model),
  };
}

/** The model that most sessions were recorded with, as far as the catalog knows it; its releases are one model. */
export function findMostUsedModel(
  recorded: Iterable<Recorded>,
  catalog: Catalog,
): Share | undefined {
  const sessions = [...recorded].filter(({ isSide }) => !isSide);
  const names = new Map<string, string | undefined>();
  for (const { model } of sessions) {
    if (model !== undefined && !names.has(model)) {
      names.set(model, findRecordedModel(catalog, model));
    }
  }
  const nameOf = ({ model }: Recorded) => (model === undefined ? undefined : names.get(model));
  const keyOf = (session: Recorded) => {
    const name = nameOf(session);
    return name === undefined ? undefined : withoutRelease(name);
  };
  const most = findMost(sessions, keyOf);
  const [first] = most ?? [];
  const name = first && nameOf(first);
  return most && name !== undefined
    ? { name, sessions: most.length, of: sessions.length }
    : undefined;
}

/** Each session of files that can be read more than once; its messages are not kept. */
export function* recordedIn(files: readonly string[]): Generator<Recorded, void, undefined> {
  for (const loaded of loadSessions(files, { pipes: 'leave' })) {
    if (loaded.state === 'unread') continue;
    const { format, release, model, isSide } = loaded.session;
    yield { format, isSide, ...(release && { release }), ...(model !== undefined && { model }) };
  }
}

function isNamed(key: 'policy' | 'model', named: Named): boolean {
  const { length } = named[key] ?? [];
  return length > 0 || (named.vary ?? []).some((pair) => settingIn(pair) === key);
}

function hasConfiguredModel(named: Named, environment: Environment, catalog: Catalog): boolean {
  const { model, hasOwnWindow } = readSettings(named, environment);
  return model !== undefined && (hasOwnWindow || lookUpModel(catalog, model) !== undefined);
}

function findPolicy(sessions: readonly Recorded[]): Share | undefined {
  const agentOf = ({ format }: Recorded) => recordingArm({ format })?.preset;
  const most = findMost(sessions, agentOf);
  const arm = most && newestRecordingArm(most);
  return arm && { name: arm.policy.name, sessions: most.length, of: sessions.length };
}

/** The sessions of the largest group, the first one among equals; those without a key are in none. */
function findMost(
  sessions: readonly Recorded[],
  keyOf: (session: Recorded) => string | undefined,
): readonly Recorded[] | undefined {
  const groups = [...groupBy(sessions, keyOf).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0];
}

function describeTaken(policy: Share | undefined, model: Share | undefined): readonly string[] {
  const taken = [
    ...(policy ? [{ kind: 'policy', ...policy }] : []),
    ...(model ? [{ kind: 'model', ...model }] : []),
  ];
  if (taken.length === 0) return [];
  const shown = taken.map(
    ({ kind, name, sessions, of }) =>
      `${kind} ${quoted(name)}${sessions === of ? '' : ` (${formatCount(sessions)} of ${countOf(of, 'session')})`}`,
  );
  const options = taken.map(({ kind }) => `'--${kind}'`);
  const verb = options.length === 1 ? 'names another' : 'name others';
  const rest = taken.some(({ sessions, of }) => sessions < of)
    ? ' The other sessions are run with it, too.'
    : '';
  return [`As recorded: ${listed(shown, 'and')}; ${listed(options, 'and')} ${verb}.${rest}`];
}
