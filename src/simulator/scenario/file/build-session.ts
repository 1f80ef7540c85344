import type { AssistantMessage, Message } from '../../../engine/index.ts';
import type { Session } from '../../session/session.ts';
import { createTally } from '../../session/reading/tally.ts';
import { finishMessages } from '../../session/reading/transcript.ts';
import type { Fault } from '../fault.ts';
import { addItem, type Building, startBuilding, type StepFacts } from './building.ts';
import type { Path, Places } from './places.ts';
import type { SessionSource } from './schema/session.ts';
import { flattenItem, flattenScript, type PlacedItem } from './script.ts';

/** The source of a session that is not recorded. */
export type ScriptSource = Exclude<SessionSource, { readonly file: string }>;

/** A session with what its script says beside it. */
export interface BuiltSession {
  readonly session: Session;
  readonly steps: number;
  /** Compactions by hand and changes of model. */
  readonly faults: readonly Fault[];
}

/** What a session is built with. */
export interface BuildOptions {
  /** `provider/model` of the first step. */
  readonly model: string;
  /** Where the source stands in its file. */
  readonly path: Path;
  readonly places: Places;
}

const DEFAULT_START = '2026-01-01T00:00:00Z';
const NO_FINISH = 'none';

/** The session that a script or a generator describes. Of usage it has no more than what steps are said to have written. */
export function buildSession(source: ScriptSource, options: BuildOptions): BuiltSession {
  const { model, path, places } = options;
  const timeMs = Date.parse(source.startsAt ?? DEFAULT_START);
  const building = startBuilding({ timeMs, model, path, places });
  for (const placed of itemsOf(source, path)) addItem(building, placed);
  refuseOpenEnd(building, options);
  return {
    session: finishSession(building, options),
    steps: building.facts.size,
    faults: building.faults.map(({ fault }) => fault),
  };
}

/** A generator alone stands for a script with nothing else. */
function itemsOf(source: ScriptSource, path: Path): Iterable<PlacedItem> {
  if ('script' in source) return flattenScript(source.script, [...path, 'script']);
  return flattenItem({ generate: source.generate }, [...path, 'generate']);
}

/** What is to happen before a step needs one. */
function refuseOpenEnd({ facts, faults }: Building, { path, places }: BuildOptions): void {
  if (facts.size === 0) throw places.problem(path, 'a session with a step', 'none');
  const late = faults.find(({ fault }) => fault.step > facts.size);
  if (late === undefined) return;
  throw places.problem(late.path, 'followed by a step', `none after step ${facts.size}`);
}

function finishSession(building: Building, { model, places }: BuildOptions): Session {
  const tally = createTally();
  const messages = finishMessages(building.drafts, tally);
  return {
    name: places.file,
    format: 'scenario',
    isSide: false,
    isPartial: false,
    model,
    messages: messages.map((message, index) => withFacts(message, building.facts.get(index))),
    recordedCompactions: [],
    isOutputFinal: true,
    report: tally.toReport(),
  };
}

function withFacts(message: Message, facts: StepFacts | undefined): Message {
  if (facts === undefined || message.role === 'user') return message;
  const { finish, ...rest } = { ...message, ...facts };
  return finish === NO_FINISH ? rest : withFinish(rest, finish);
}

function withFinish(message: AssistantMessage, finish: string | undefined): AssistantMessage {
  return finish === undefined ? message : { ...message, finish };
}
