import { resolve, sep } from 'node:path';
import { policies } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import { groupBy, known } from '../../simulator/lib/collections.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import {
  type Catalog,
  findModelWithWindow,
  readCatalog,
  withoutRelease,
} from '../../simulator/provider/catalog.ts';
import type { ModelProfile } from '../../simulator/provider/model-profile.ts';
import { agentTitleOf } from '../../simulator/report/agent-keys.ts';
import { countOf, formatCount } from '../../simulator/report/numbers.ts';
import { describeSetups } from '../../simulator/report/setup.ts';
import { readAgentConfigs } from '../../simulator/scenario/agent-config.ts';
import { newestRecordingArm, recordingArm } from '../../simulator/scenario/arms.ts';
import { readOpencodeConfig } from '../../simulator/scenario/opencode-config.ts';
import { mainStretch, type Setup, type SetupOf, setupOf } from '../../simulator/setup/setup.ts';
import { type Evidence, evidenceOf } from '../../simulator/session/evidence.ts';
import { sessionPlaces } from '../../simulator/session/files/local-sessions.ts';
import { loadSessions } from '../../simulator/session/load.ts';
import { parseSessionName, type Session } from '../../simulator/session/session.ts';
import { DEFAULT_POLICY } from './options.ts';
import { chooseModel, hasModel, readSettings, settingIn } from './settings.ts';

export interface Defaults {
  readonly policy: string;
  /** The model of most sessions, in its window; absent where a model was named. */
  readonly usual?: ModelProfile | undefined;
  readonly setupOf?: SetupOf | undefined;
  readonly setup?: Setup | undefined;
  readonly notes: readonly string[];
}

export const NO_DEFAULTS: Defaults = { policy: DEFAULT_POLICY, notes: [] };

interface Named {
  readonly policy?: string | readonly string[] | undefined;
  readonly model?: string | readonly string[] | undefined;
  readonly vary?: readonly string[];
  readonly set: readonly string[];
  readonly config?: string | undefined;
  readonly catalog?: string | undefined;
}

interface Recorded {
  readonly evidence: Evidence;
  readonly file: string;
}

interface Share {
  readonly name: string;
  readonly sessions: number;
  readonly of: number;
}

/** Takes from recordings what nobody named; sub-agents have a say only where there is nothing else. */
export function readDefaults(
  named: Named,
  sessions: Iterable<Recorded>,
  environment: Environment,
): Defaults {
  const decide = createSetupOf(named, environment);
  const all = [...sessions];
  const own = all.filter(({ evidence }) => !evidence.isSide);
  const recorded = own.length > 0 ? own : all;
  const policy = isNamed('policy', named) ? undefined : findPolicy(recorded);
  const setups = recorded.map(({ evidence, file }) => decide(evidence, file));
  const isOther =
    isNamed('model', named) ||
    hasModel(readSettings(named, environment), readCatalog(named.catalog));
  const most = isOther ? [] : (findMost(setups, anyReleaseIn) ?? []);
  const [usual] = most;
  const model = usual && { name: modelIn(usual), sessions: most.length, of: setups.length };
  const isRecorded = usual !== undefined && mainStretch(usual).modelSource === 'recorded';
  return {
    policy: policy?.name ?? DEFAULT_POLICY,
    usual: usual && mainStretch(usual).model,
    setup: usual,
    setupOf: decide,
    notes: [
      ...describeTaken(policy, isRecorded ? model : undefined),
      ...describeSetups(setups, policy && policies[policy.name as keyof typeof policies]),
    ],
  };
}

/** Decides setups; only an agent's own recordings have its settings. */
export function createSetupOf(
  { catalog: path, ...named }: Pick<Named, 'catalog' | 'set' | 'config'>,
  environment: Environment,
): SetupOf {
  const catalog = readCatalog(path);
  const settings = readSettings(named, environment);
  const name = chooseModel(undefined, { settings, catalog });
  const { contextTokens } = settings.values;
  const window = typeof contextTokens === 'number' ? contextTokens : undefined;
  const fallback = () => findModelWithWindow(catalog, name, window);
  const { configs } = readAgentConfigs(environment);
  const { limits } = readOpencodeConfig(named.config, environment);
  const windowOn = (model: string) => limits[model];
  const places = sessionPlaces(environment).flatMap(({ paths }) =>
    paths.map((one) => resolve(one)),
  );
  const isLocal = (file: string) => {
    const whole = resolve(file);
    return places.some((place) => whole === place || whole.startsWith(`${place}${sep}`));
  };
  return (evidence, file) =>
    setupOf(evidence, {
      catalog,
      fallback,
      givenTokens: window,
      windowOn,
      ...(isLocal(file) && { configs }),
    });
}

/** The files of the agent that recorded most, where no policy was named, and a note about the others. */
export function ofOneAgent(named: Named, files: readonly string[], recorded: readonly Recorded[]) {
  const main = recorded.filter(({ evidence }) => !evidence.isSide);
  const most = findMost(main, agentKeyOf);
  const [first] = most ?? [];
  const agent = first && agentKeyOf(first);
  if (isNamed('policy', named) || agent === undefined) return { files, notes: [] };
  const left = recorded.filter((one) => agentKeyOf(one) !== agent);
  if (left.length === 0) return { files, notes: [] };
  const absent = new Set(left.map(({ file }) => file));
  const names = [...new Set(left.map((one) => agentKeyOf(one) ?? one.evidence.format))];
  const shown = listed(
    names.map((name) => agentTitleOf(name) ?? name),
    'and',
  );
  return {
    files: files.filter((file) => !absent.has(file)),
    notes: [
      `Sessions of ${shown} are left out (${countOf(left.length, 'session')}): one agent is tuned at a time, that of most sessions; '--policy' takes all.`,
    ],
  };
}

export function* recordedIn(files: readonly string[]): Generator<Recorded, void, undefined> {
  for (const loaded of loadSessions(files, { pipes: 'leave' })) {
    if (loaded.state === 'read') yield recordedOf(loaded.session);
  }
}

export function recordedOf(session: Session): Recorded {
  return { evidence: evidenceOf(session), file: parseSessionName(session.name).path };
}

export function usualModelIn(path: string, catalog: Catalog) {
  const decide = createSetupOf({ set: [] }, {});
  const setups = [...recordedIn([path])].map(({ evidence, file }) => decide(evidence, file));
  const known = setups.filter((setup) => catalog.models.has(modelIn(setup)));
  const [usual] = findMost(known, anyReleaseIn) ?? [];
  return usual && modelIn(usual);
}

function agentKeyOf({ evidence: { format } }: Recorded) {
  return recordingArm({ format })?.preset;
}

function modelIn(setup: Setup) {
  return mainStretch(setup).model.id;
}

function anyReleaseIn(setup: Setup) {
  return withoutRelease(modelIn(setup));
}

function isNamed(key: 'policy' | 'model', named: Named) {
  const { length } = named[key] ?? [];
  return length > 0 || (named.vary ?? []).some((pair) => settingIn(pair) === key);
}

function findPolicy(sessions: readonly Recorded[]) {
  const most = findMost(sessions, agentKeyOf);
  const arm = most && newestRecordingArm(most.map(({ evidence }) => evidence));
  return arm && { name: arm.policy.name, sessions: most.length, of: sessions.length };
}

function findMost<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined) {
  const groups = [...groupBy(items, keyOf).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0];
}

function describeTaken(policy: Share | undefined, model: Share | undefined) {
  const taken = Object.entries(known({ policy, model }));
  if (taken.length === 0) return [];
  const shown = taken.map(([kind, { name, sessions, of }]) => {
    const some = sessions === of ? '' : ` (${formatCount(sessions)} of ${countOf(of, 'session')})`;
    return `${kind} ${quoted(name)}${some}`;
  });
  const options = taken.map(([kind]) => `'--${kind}'`);
  const verb = options.length === 1 ? 'names another' : 'name others';
  const isPartial = (one: Share | undefined) => one !== undefined && one.sessions < one.of;
  return [
    `As recorded: ${listed(shown, 'and')}; ${listed(options, 'and')} ${verb}.`,
    ...(isPartial(policy) ? ['The other sessions are run with that policy, too.'] : []),
    ...(isPartial(model) ? ['Each session keeps its own model.'] : []),
  ];
}
