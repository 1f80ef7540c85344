import type { LawName, PolicyName } from '../../../engine/index.ts';
import type { RunState, TokenScale } from '../../events.ts';
import type { Session } from '../../session/session.ts';
import type { Fault } from '../fault.ts';
import type { ProviderOverrides } from '../provider-overrides.ts';
import type { SettingValues } from '../settings.ts';
import type {
  EventExpectation,
  MetricExpectation,
  Place,
  Placed,
  TextMatch,
} from './expectation.ts';

/** One scenario file: a session, what goes wrong in it, and what is expected of one or more runs. */
export interface Scenario {
  /** The path as given. */
  readonly file: string;
  /** The file's name without its folder and ending. */
  readonly name: string;
  /** What goes wrong for whom, in a sentence. */
  readonly why: string;
  /** Where it was reported: `owner/repo#number`, besides documents and addresses. */
  readonly sources: readonly string[];
  /** The run that the file's own keys describe, then those under `also`. Names differ. */
  readonly runs: readonly ScenarioRun[];
}

/** One run of a scenario with everything that it needs, but for names that other rooms know. */
export interface ScenarioRun {
  /** `main` unless the file says otherwise. */
  readonly name: string;
  /** Where it stands in the file: under `also`, or the policy of the first. */
  readonly at: Place;
  readonly session: ScenarioSession;
  readonly model: Placed<ScenarioModel>;
  /** The model that writes summaries, where it is another one. */
  readonly summaryModel?: Placed<ScenarioModel>;
  readonly policy: { readonly preset: PolicyName; readonly set: SettingValues };
  /** As the summarizers are called. */
  readonly summarizer: Placed<string>;
  readonly seed: number;
  /** Those of the script, then those of the file. */
  readonly faults: readonly Fault[];
  readonly expect: Expectation;
}

/** What is replayed: a session built from the file, or a recorded one. */
export type ScenarioSession =
  | {
      readonly type: 'built';
      /** Without recorded contexts; one token of filler has four characters, unless its file says otherwise. */
      readonly session: Session;
      /** System prompt and tool definitions. */
      readonly overheadTokens: number;
      /** What counted tokens come to; absent where they are taken as they are. */
      readonly scale?: TokenScale;
    }
  | {
      readonly type: 'file';
      /** The path, from where the scenario's own path starts. */
      readonly path: Placed<string>;
      /** Absent means what the recording tells. */
      readonly overheadTokens?: number;
      readonly scale?: undefined;
    };

/** A model of the catalog with what the scenario changes about it. */
export interface ScenarioModel extends ModelOverrides {
  /** `provider/model`; one that the catalog does not have needs `contextTokens`. */
  readonly id: string;
}

/** What a scenario says of a model in the place of its profile. */
export interface ModelOverrides extends ProviderOverrides {
  /** Limits as the policy knows them; 0 is none. */
  readonly contextTokens?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly prices?: ScenarioPrices;
}

/** Prices in dollars per million tokens, as catalogs have them. */
export interface ScenarioPrices {
  readonly input: number;
  readonly output: number;
  /** Absent when unknown. */
  readonly cacheRead?: number;
  /** Absent when unknown. */
  readonly cacheWrite?: number;
}

/** What must be true of a run when it has ended. */
export interface Expectation {
  /** Any of these; `completed` where the file says nothing. */
  readonly state: Placed<readonly RunState[]>;
  readonly reason?: Placed<TextMatch>;
  /** The thread whose failure the run shows, one of the scenario's sources. */
  readonly reproduces?: Placed<string>;
  readonly metrics: readonly MetricExpectation[];
  readonly events: readonly EventExpectation[];
  /** Events that come in this order, others between them or not. */
  readonly eventsInOrder: readonly EventExpectation[];
  /** Laws that nothing breaks, known to the policy or not. */
  readonly invariants: readonly Placed<LawName>[];
  /** Laws that are broken at least once. */
  readonly violates: readonly Placed<LawName>[];
  /** Texts that the model sees at the end of the run. */
  readonly sees: readonly Placed<string>[];
  /** Texts that it does not see then. */
  readonly misses: readonly Placed<string>[];
  /** Texts that every summary request holds, of which there is one at least. */
  readonly summarizerSees: readonly Placed<string>[];
  /** Texts that no summary request holds. */
  readonly summarizerMisses: readonly Placed<string>[];
}
