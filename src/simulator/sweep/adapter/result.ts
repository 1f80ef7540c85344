/** Results of runs, as tests ask for them. */

import type { LawName, ModelMessage } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { type QualityScore, scoreText } from '../../metrics/quality/score-text.ts';
import { named } from '../../names.ts';
import type { ListLawName } from '../../replay/foreign/laws.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import type { PlantedFact } from '../../session/facts.ts';

/** A law of the engine's policies, or of lists of messages. */
export type AnyLawName = LawName | ListLawName;

/** The laws that runs of a kind are held against, by name. */
export type CheckedLaws = {
  readonly [Name in AnyLawName]?: { readonly says: string };
};

/** One session that was replayed against a compactor or a policy. */
export interface CompactionRun {
  /** Name of the session. */
  readonly name: string;
  readonly events: readonly RunEvent[];
  readonly record: RunRecord;
  /** What the model would be sent next. */
  readonly messages: readonly ModelMessage[];
  /** What the session has planted; empty where it was not generated. */
  readonly facts: readonly PlantedFact[];
  /** What the run was made with. */
  readonly made: ScenarioRunResult['made'];
  /** What the run was held against: laws of lists for a compactor, the engine's for a policy. */
  readonly laws: CheckedLaws;
  /** Whether nothing broke a law; `all` is each of them. Throws at a law that the run was not held against. */
  holds(law: AnyLawName | 'all'): boolean;
  /** How much of the session's facts the last conversation still holds; absent where it has none. */
  score(): QualityScore | undefined;
}

/** What a run came to, before anybody asks. */
export type RunFacts = Omit<CompactionRun, 'holds' | 'score'>;

/** A run that can be asked. */
export function toCompactionRun(facts: RunFacts): CompactionRun {
  return {
    ...facts,
    holds: (law) => violationsOf(facts, law).length === 0,
    score: () =>
      facts.facts.length === 0
        ? undefined
        : scoreText({ text: listText(facts.messages), facts: facts.facts }),
  };
}

/** Where a law was broken, in the words of the events; throws at a law that nobody looked at. */
export function violationsOf(
  { events, laws }: Pick<RunFacts, 'events' | 'laws'>,
  law: AnyLawName | 'all',
): readonly (RunEvent & { readonly type: 'law-violated' })[] {
  named('law', { all: {}, ...laws }, String(law as unknown));
  return events
    .filter((event) => event.type === 'law-violated')
    .filter((event) => law === 'all' || event.law === law);
}

/** The step that was to come after some events, from 1. */
export function nextStep(events: readonly RunEvent[]): number {
  return events.filter(({ type }) => type === 'step-end').length + 1;
}

/** All that a list of messages says, one text a line. */
function listText(messages: readonly ModelMessage[]): string {
  return messages
    .flatMap(({ content }) =>
      content.flatMap((one) => {
        if (one.type === 'tool-call') return [JSON.stringify(one.input)];
        if (one.type === 'tool-result') return [one.output];
        return 'text' in one ? [one.text] : [];
      }),
    )
    .join('\n');
}
