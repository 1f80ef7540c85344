import type { FactKind, PlantedFact } from '../../../session/facts.ts';
import { type Occurrence, type TextIndex, wordsOf } from '../text/text-index.ts';
import { type CueIndex, cuesNear, type NearCue } from './cue-index.ts';
import { BREAK_BEHIND, CLAUSE_BREAK, CLAUSE_END, USE } from './denial-cues.ts';
import { isGlue } from './glue.ts';
import { WITHOUT } from './lifted-cues.ts';
import { CLOSE_REACH, type NegationCues, REACH } from './negated.ts';
import { subjectWords } from './subjects.ts';

/** Where a text has words that deny what it tells. */
export interface DenialCues extends NegationCues {
  /** Those that have to end their clause. */
  readonly last: CueIndex;
  /** Those that have to end it with the name of what the value is of. */
  readonly ofSubject: CueIndex;
}

/**
 * What takes back a value of a kind. `use`: that it is not used. `name`: only that it is another one, for what
 * happened or is called so is no matter of choice. `nothing`: a task that is given up is still told.
 */
const TAKEN_BACK_BY: Readonly<Record<FactKind, 'use' | 'name' | 'nothing'>> = {
  goal: 'use',
  constraint: 'use',
  preference: 'use',
  path: 'use',
  symbol: 'use',
  decision: 'use',
  rationale: 'use',
  rejected: 'use',
  error: 'name',
  id: 'name',
  number: 'use',
  command: 'use',
  todo: 'nothing',
  state: 'use',
};

/** Words that say of a name that it is another one. */
const ANOTHER = /(?:not|n['’]?t|instead of|rather than|nicht|keine?[nmrs]?|не|不是|并非|而非)$/u;

/** Words that set what stands behind them against another thing: what is done with that is said of the other. */
const COMPARED = /^(?:instead of|rather than)$/u;
const ACTOR = /(?<!\w)(?:we|i|they|you|it)(?!\w)/u;
/** Up to the end of a clause. */
const CLAUSE = /^[^.,;:()、，；：。!?\n|]*/u;

/** Whether a text says of a value that is to be used that it is not, or that another one holds. */
export function isDenied(
  index: TextIndex,
  place: Occurrence,
  { fact, cues }: { readonly fact: PlantedFact; readonly cues: DenialCues },
): boolean {
  const by = TAKEN_BACK_BY[fact.kind];
  if (by === 'nothing') return false;
  const names = subjectWords(fact.subject);
  const near = (some: CueIndex, side: NearCue['side'], words = REACH) =>
    cuesNear(index, place, { cues: some, words, isAcrossLines: false }).filter(
      (one) => one.side === side,
    );
  const isBefore = ({ cue, between }: NearCue) =>
    !CLAUSE_BREAK.test(between) &&
    !WITHOUT.test(between) &&
    !(COMPARED.test(cue) && ACTOR.test(between)) &&
    (isGlue(between, names) || (by === 'use' && `${cue}${between}`.search(USE) >= 0));
  const isBehind = ({ between }: NearCue) => !BREAK_BEHIND.test(between) && isGlue(between, names);
  const before = near(cues.before, 'before').filter(isBefore);
  if (by === 'name') return before.some(({ cue }) => ANOTHER.test(cue));
  return (
    before.length > 0 ||
    near(cues.close, 'before', CLOSE_REACH).some(isBefore) ||
    near(cues.after, 'after').some(isBehind) ||
    near(cues.last, 'after').some((one) => isBehind(one) && CLAUSE_END.test(one.behind)) ||
    near(cues.ofSubject, 'after').some((one) => isBehind(one) && isNamed(one.behind, names))
  );
}

/** Whether the rest of a clause is the name of a subject. */
function isNamed(behind: string, names: readonly string[]): boolean {
  const [clause = ''] = CLAUSE.exec(behind) ?? [];
  return wordsOf(clause).some((word) => names.includes(word)) && isGlue(clause, names);
}
