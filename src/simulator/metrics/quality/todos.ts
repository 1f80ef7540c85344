import { sum } from '../../lib/collections.ts';
import { TODO_STATES, type TodoState } from '../../session/facts.ts';
import { shareOf } from '../metric.ts';
import { cue } from './cues.ts';
import type { FactMatch } from './match-fact.ts';
import type { Occurrence, TextIndex } from './text-index.ts';

/** The state of a task in a text; `absent` where it reports none. */
export type ToldTodo = TodoState | 'absent';

/** Counts of tasks by true and by stated state. */
type TodoConfusion = Readonly<Record<TodoState, Readonly<Record<ToldTodo, number>>>>;

/** A score of the tasks that a text reports. */
export interface TodoScore {
  readonly confusion: TodoConfusion;
  /** Mean over the states that are true or stated; null where there are no tasks. */
  readonly macroF1: number | null;
  /** Share of the done tasks that are stated as pending and would be repeated. */
  readonly doneAsPending: number | null;
}

/** A name for what a text says, and the words that say it. */
export type NamedCue<Name extends string> = readonly [name: Name, pattern: RegExp];

/** A piece of a text, in characters. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text around a value: in its unit, right after it, and above. */
interface TextsAround {
  readonly before: string;
  readonly after: string;
  readonly tail: string;
  readonly above: string;
}

const NOT = "(?:not|\\w{2,8}n['’]t|never)";
const WENT = '(?:done|started|begun|complete|completed|finished|implemented|resolved|addressed)';
const GONE = '(?:needed|required|necessary|planned|wanted|relevant)';
const OPEN = '(?:pending|open|outstanding|unfinished|incomplete|to ?-?do|a todo)';

/** Words that tell how far a task has come; a longer one counts before those that it has in it. */
export const STATE_CUES: readonly NamedCue<TodoState>[] = [
  [
    'done',
    cue(
      [
        'done|completed?|finished|accomplished|implemented|resolved',
        `no longer (?:\\w+ )?${OPEN}|${NOT} (?:\\w+ )?${OPEN} any ?(?:more|longer)`,
        'erledigt|fertig(?:gestellt)?|abgeschlossen|nicht mehr (?:offen|ausstehend)',
      ],
      [
        '\\[x\\]|✅|✓|✔|☑',
        '(?<!не )(?:выполнен|сделан|завершен|завершён)|(?<!\\p{L})готово',
        '已完成|完成|做完|完了|済み?|終わ',
      ],
    ),
  ],
  [
    'cancelled',
    cue(
      [
        'cancell?ed|dropped|abandoned|skipped|scrapped|descoped|called off|g[ai]ven? up|wontfix|out of scope',
        `no longer ${GONE}`,
        `${NOT} (?:be )?${GONE}`,
        'no (?:longer a |more )?need(?: to(?: do)?| for)?',
        "(?:(?:will|would|shall) not|won['’]t|wouldn['’]t|shan['’]t) (?:ever )?(?:do|be done|be doing|happen|implement|be implemented)",
        "(?:(?:am|are|is) not|(?:are|is)n['’]t) (?:doing|going to(?: do)?|to be done)",
        `decided (?:against|${NOT} to(?: do)?)`,
        'abgebrochen|verworfen|gestrichen|entfällt|nicht mehr (?:nötig|notwendig|erforderlich|gebraucht)|(?:wird|werden) nicht (?:gemacht|umgesetzt)',
      ],
      [
        '\\[-\\]|❌|🚫',
        'отмен[её]н|(?<!\\p{L})(?:больше не (?:нуж|треб)|не буд(?:ем|ет|ут) (?:дела|выполн)|отказал)\\p{L}*',
        '取消|不再需要|不需要了?|不做了|不再做|不会做|不打算做|放弃|中止|取り消し|キャンセル|やらない|行わない|不要|やめ',
      ],
    ),
  ],
  [
    'in_progress',
    cue(
      [
        'in[- _]progress|ongoing|wip|work(?:ing|ed) on|under way|underway|started|begun|halfway',
        '(?:almost|nearly|partly|partially|half) (?:done|finished|complete|completed|implemented)',
        'in arbeit|begonnen|angefangen',
      ],
      [
        '\\[[~/]\\]|🔄|🚧',
        '(?<!\\p{L})в (?:работе|процессе)|(?<!не )(?<!\\p{L})начат',
        '进行中|進行中|正在|部分完成|作業中|対応中',
      ],
    ),
  ],
  [
    'pending',
    cue(
      [
        'pending|open|(?<!as )planned|upcoming|to ?-?do|todo|incomplete|unfinished|remaining|remains?|outstanding|next(?: steps?)?|still (?:(?:have|has|need|needs) )?to',
        `${NOT} (?:\\w+ ){0,2}?${WENT}`,
        `(?:to be|yet to(?: be)?) ${WENT}|(?:has|have) yet to`,
        'blocked|on hold|postponed|deferred|waiting',
        'offen|nicht (?:fertig|erledigt|begonnen|angefangen|abgeschlossen)|noch nicht|steht noch aus|ausstehend',
      ],
      [
        '\\[ ?\\]|☐|⏳|⌛|⏸|⬜|🔲',
        'открыт|(?<!\\p{L})(?:ещё |еще )?не (?:выполн|сдела|начат|заверш|готов)\\p{L}*|осталось',
        '(?:还|還|尚)?(?:没有?|沒有?|未)(?:能)?(?:完成|做完|做|开始|開始|处理|動|动)|未(?:完了|着手|済)|待办|待辦|待处理|待完成|尚未|还没有?|残り|残って|これから|接下来',
        '(?:まだ)?(?:終わ(?:って|ら)|完了(?:して)?|済んで|着手(?:して)?|始め(?:て|られて)?)(?:は)?い?な(?:い|かった)|まだ|未対応',
      ],
    ),
  ],
];

/** Markdown strike-through, before and after a piece of text. */
const OPENS = /(?:^|[\s(>|])~~(?!\s)[^~]*$/u;
const CLOSES = /^[^~]*(?<!\s)~~/u;
/** Reach in characters of a struck-out piece on either side of a value. */
const FAR = 200;

/** Words after a value that may decide its state before those in front of it. */
const TAIL =
  /^\s*(?:[-:=(（[|–—→]|(?:[)\]],?|,)?\s*(?:is|are|was|were|has|have|had|will|won['’]t|must|should|shall|needs?|remains?|stays?|still|ist|sind|wird|wurde)\b|を|は|が|已|被|还|尚|まだ)/u;
const TAIL_LENGTH = 40;
/** A sentence of a few words behind the one that a value ends. */
const VERDICT = /^[)\]]?[.!。]\s*(?<verdict>[^\s.!。:：][^.!。:：]{0,30})[.!。]/u;
/** Characters over which no cue speaks of a value. */
const FAR_OF_NEAREST_CUE = 4_000;

/** Scores the task states of a text against the true ones. */
export function scoreTodos(index: TextIndex, matches: readonly FactMatch[]): TodoScore {
  const pairs = matches.flatMap((match) => {
    const { todoState } = match.fact;
    return todoState === undefined ? [] : [[todoState, toldState(index, match)] as const];
  });
  const count = (state: TodoState, told: ToldTodo) =>
    pairs.filter(([own, other]) => own === state && other === told).length;
  const rowOf = (state: TodoState) =>
    Object.fromEntries(
      [...TODO_STATES, 'absent' as const].map((told) => [told, count(state, told)]),
    );
  const done = pairs.filter(([state]) => state === 'done').length;
  return {
    confusion: Object.fromEntries(
      TODO_STATES.map((state) => [state, rowOf(state)]),
    ) as TodoConfusion,
    macroF1: macroF1(pairs),
    doneAsPending: shareOf(count('done', 'pending'), done),
  };
}

/**
 * The cue nearest to a value: a following sentence of nothing else, else right after it, nearest before or after it in its unit, or
 * in the heading above.
 */
export function nearestCue<Name extends string>(
  index: TextIndex,
  place: Occurrence,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  const { tail, before, after, above } = textsAround(index, place);
  return (
    verdictOf(index, place, cues) ??
    firstOf(tail, cues) ??
    lastOf(before, cues) ??
    firstOf(after, cues) ??
    lastOf(above, cues)
  );
}

/** The nearest cue, without those that merely follow the value somewhere. */
export function leadingCue<Name extends string>(
  index: TextIndex,
  place: Occurrence,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  const { tail, before, above } = textsAround(index, place);
  return firstOf(tail, cues) ?? lastOf(before, cues) ?? lastOf(above, cues);
}

/** The state that the text reports last. */
function toldState(index: TextIndex, { occurrences }: FactMatch): ToldTodo {
  const inOrder = occurrences.toSorted((a, b) => b.start - a.start);
  for (const place of inOrder) {
    const state = stateAt(index, place);
    if (state !== undefined) return state;
  }
  return 'absent';
}

/** The state at a place. A struck-out task is no longer open, unless the text says otherwise. */
function stateAt(index: TextIndex, place: Occurrence): TodoState | undefined {
  const state = nearestCue(index, place, STATE_CUES);
  const isOpen = state === undefined || state === 'pending';
  return isOpen && isStruckOut(index, place) ? 'cancelled' : state;
}

/** Tests if a value stands in a struck-out piece of its unit. */
function isStruckOut(
  { text, units, unitOf }: TextIndex,
  { start, end, first }: Occurrence,
): boolean {
  const unit = units[unitOf[first] ?? 0];
  const before = text.slice(Math.max(unit?.start ?? 0, start - FAR), start);
  const after = text.slice(end, Math.min(end + FAR, unit?.end ?? end));
  return OPENS.test(before) && CLOSES.test(after);
}

function macroF1(pairs: readonly (readonly [TodoState, ToldTodo])[]): number | null {
  const scores = TODO_STATES.flatMap((state) => {
    const own = pairs.filter(([is]) => is === state).length;
    const told = pairs.filter(([, as]) => as === state).length;
    const both = pairs.filter(([is, as]) => is === state && as === state).length;
    return own + told === 0 ? [] : [(2 * both) / (own + told)];
  });
  return scores.length === 0 ? null : shareOf(sum(scores), scores.length);
}

function textsAround(
  { text, units, unitOf }: TextIndex,
  { start, end, first }: Occurrence,
): TextsAround {
  const unit = units[unitOf[first] ?? 0];
  const before = text.slice(Math.max(unit?.start ?? 0, start - FAR_OF_NEAREST_CUE), start);
  const after = text.slice(
    end,
    Math.min(end + FAR_OF_NEAREST_CUE, Math.max(end, unit?.end ?? end)),
  );
  const tail = TAIL.test(after) ? after.slice(0, TAIL_LENGTH) : '';
  return { before, after, tail, above: unit?.above ?? '' };
}

function verdictOf<Name extends string>(
  { text }: TextIndex,
  { end }: Occurrence,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  const { verdict = '' } = VERDICT.exec(text.slice(end, end + TAIL_LENGTH))?.groups ?? {};
  return placed(verdict, cues).find((cue) => cue.start === 0 && cue.end === verdict.length)?.name;
}

/** Every cue in a text; one inside of another, as "done" in "not done", does not count. */
function placed<Name extends string>(text: string, cues: readonly NamedCue<Name>[]) {
  if (text === '') return [];
  const all = cues.flatMap(([name, pattern]) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      name,
      start: index,
      end: index + found.length,
    })),
  );
  return all.toSorted((a, b) => a.start - b.start || b.end - a.end).filter(createOutermost());
}

/** Creates a test if a piece of text, in order, lies in no longer one. */
function createOutermost(): (piece: Span) => boolean {
  let outer: Span = { start: -1, end: -1 };
  return (piece) => {
    const isIn = piece.end <= outer.end && piece.end - piece.start < outer.end - outer.start;
    if (piece.end > outer.end) outer = piece;
    return !isIn;
  };
}

function firstOf<Name extends string>(
  text: string,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  return placed(text, cues).toSorted((a, b) => a.start - b.start || b.end - a.end)[0]?.name;
}

function lastOf<Name extends string>(
  text: string,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  return placed(text, cues).toSorted((a, b) => b.end - a.end || a.start - b.start)[0]?.name;
}
