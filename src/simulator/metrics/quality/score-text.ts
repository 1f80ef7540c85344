import type { PlantedFact } from '../../session/facts.ts';
import { distinctEntities, type Entity } from './entities/entity.ts';
import { type InventionScore, scoreInventions } from './entities/inventions.ts';
import { verbatimShare } from './entities/sequences.ts';
import type { Source } from './entities/source.ts';
import { asReplaced, type FactMatch, matchFact } from './match/match-fact.ts';
import { startMatching } from './match/matching.ts';
import {
  type Artifact,
  artifactsOf,
  type ArtifactScore,
  scoreArtifacts,
} from './measures/artifacts.ts';
import { type DecoyScore, scoreDecoys } from './measures/decoys.ts';
import { factsAt } from './measures/live-facts.ts';
import {
  type FactScore,
  groupRetention,
  retain,
  type Retained,
  type RetentionGroups,
  toFactScore,
} from './measures/retention.ts';
import { scoreSections, type SectionScore } from './measures/sections.ts';
import {
  type ChainScore,
  isStatedAsValid,
  isToldAsOld,
  scoreChains,
} from './measures/staleness.ts';
import { scoreTodos, type TodoScore } from './measures/todos.ts';
import { indexText, type TextIndex } from './text/text-index.ts';

/** What a text is scored against. */
export interface ScoreOptions {
  /** A summary, or all that a model still sees. */
  readonly text: string;
  readonly facts: readonly PlantedFact[];
  /** Facts that later steps say do not count; absent: all count. */
  readonly atStep?: number;
  /** What the text was made from; without it nothing is said of what it makes up or copies. */
  readonly source?: Source;
  /** What was done to files besides what the facts tell of it, in order. */
  readonly artifacts?: readonly Artifact[];
  /** Lines of the headings that were asked for. */
  readonly headings?: readonly string[];
  readonly tokens?: TokenCounts;
}

/** Sizes around a text. */
export interface TokenCounts {
  readonly text: number;
  /** What the text stands for; absent where it stands for nothing. */
  readonly before?: number;
  /** What the text was allowed to have. */
  readonly budget?: number;
}

/** How good a text is as a memory of a session. */
export interface QualityScore {
  readonly version: number;
  /** Facts that hold, each with what is left of it. */
  readonly facts: readonly FactScore[];
  readonly retained: Retained;
  readonly groups: RetentionGroups;
  /** Facts that one may know without the session. */
  readonly guessable: Retained;
  readonly chains: readonly ChainScore[];
  /** Facts that rest on something that was replaced: how many there are, and how many are told as if they held. */
  readonly invalid: { readonly facts: number; readonly stated: number };
  readonly todos: TodoScore;
  readonly artifacts: ArtifactScore;
  readonly decoys: DecoyScore;
  /** Absent without a source. */
  readonly inventions?: InventionScore;
  /** Share of the words that are copied in long runs; absent without a source. */
  readonly verbatim?: number | null;
  /** Absent where no headings were asked for. */
  readonly sections?: SectionScore;
  readonly tokens?: TokenCounts;
}

/** Which rules scores follow; those of different rules are not compared. */
export const SCORER_VERSION = 7;

/** Scores a text. Pure, and linear in its length for a given number of facts. */
export function scoreText(options: ScoreOptions): QualityScore {
  const { text, facts, atStep } = options;
  const { said, live, invalid, chains } = factsAt(facts, atStep);
  const index = indexText(text);
  const entities = [...distinctEntities(text).values()];
  const matching = startMatching(index, said);
  const matches = new Map(said.map((fact) => [fact.id, matchFact(matching, fact)]));
  const matchOf = (fact: PlantedFact): FactMatch =>
    matches.get(fact.id) ?? matchFact(matching, fact);
  const chainScores = scoreChains(matching, chains, matchOf);
  const scored = live.map((fact) =>
    toFactScore(isToldAsOld(chainScores, fact) ? asReplaced(matchOf(fact)) : matchOf(fact), atStep),
  );
  const guessable = said.filter(({ role }) => role === 'guessable');
  return {
    version: SCORER_VERSION,
    facts: scored,
    retained: retain(scored),
    groups: groupRetention(scored),
    guessable: retain(guessable.map((fact) => toFactScore(matchOf(fact), atStep))),
    chains: chainScores,
    invalid: {
      facts: invalid.length,
      stated: invalid.filter((fact) => isStatedAsValid(matching, matchOf(fact))).length,
    },
    todos: scoreTodos(index, live.map(matchOf)),
    artifacts: scoreArtifacts(index, {
      entities,
      artifacts: [...artifactsOf(live), ...(options.artifacts ?? [])],
    }),
    decoys: scoreDecoys({ matching, said, live, matchOf }),
    ...scoreForm(options, index, entities),
  };
}

/** What does not depend on facts. */
function scoreForm(
  { text, source, headings, tokens }: ScoreOptions,
  index: TextIndex,
  entities: readonly Entity[],
): Pick<QualityScore, 'inventions' | 'verbatim' | 'sections' | 'tokens'> {
  return {
    ...(source && {
      inventions: scoreInventions(entities, source),
      verbatim: verbatimShare(index, source.sequences()),
    }),
    ...(headings && { sections: scoreSections(text, headings) }),
    ...(tokens && { tokens }),
  };
}
