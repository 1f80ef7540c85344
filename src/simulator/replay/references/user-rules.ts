import { splitSentences } from '../../lib/lines.ts';
import { anyWords } from '../../lib/text.ts';

const STRICT_RULE = cue(
  [
    'must',
    'never',
    'always',
    'do not',
    "(?<!\\b(?:i|we|they) )don['’]t",
    "must ?n['’]t",
    'shall',
    'required?',
    'forbidden',
    'under no circumstances',
    'at all costs',
    'niemals',
    'auf keinen fall',
    '(?:darf|dürfen|soll|sollen) nicht',
    'muss',
    'müssen',
    'verboten',
  ],
  [
    '(?<!\\p{L})(?:никогда|нельзя|запрещ|обязательно|ни в коем случае)',
    '必须|必須|务必|務必|不要|不能|不得|不可|不许|不准|禁止|切勿|绝不|決不|一定要|永远|永遠|始终|总是|請勿|请勿',
    '(?:^|[\\s，。；、,;])别(?!的|人)',
    '必ず|絶対|常に|厳禁|べからず|ては(?:いけ|なら|だめ)|なければ(?:なら|いけ)|ないで(?:くだ|下さ|ほし|。|$)',
  ],
);

/** Where a sentence starts, also one of a list. */
const START = '(?<=^|[.!?:;\\n] |[-*•] |[.!?:;\\n] please |^please )';
const TOLD_OF = '(?:it|that|this|there|he|she|they|we|i|something|someone|somebody)';
/** A past that ends in -ed; some words that tell what to do end so, too. */
const PAST =
  '(?:(?!\\w*(?:eed|embed|shed|wed)(?!\\w))\\w+ed|been|had|was|were|did|done|said|saw|seen|got|gotten|ran|came|went|made|knew|known|wrote|written|told|took|taken|found|heard|sent|built|gave|given|broke|broken|thought|worked|used to|happened)';
const DOES = '(?!\\w*[su]s(?!\\w))\\w+s';

/** Sentences with words of rules that give none: reports, guesses and questions. */
const TOLD = new RegExp(
  cue(
    [
      `(?:never|always) (?:ever |really |actually |quite |once )?(?:${PAST}|${DOES}|mind)`,
      '(?:i|they) (?:have |had |am |are |was |were )?(?:never|always)',
      `${TOLD_OF} must(?: not)? (?:be (?:an?|the|some\\w*|because|due|in|coming|from|caused|related|just|another)|have ${PAST})`,
      'must (?:(?:not )?have been|be (?:joking|kidding|mistaken|confused|dreaming))',
      "(?:i|we|they|these|those|(?!(?:always|yes|is|us|this|thus)(?!\\w))\\w+s) (?:do not|don['’]t)(?! want)",
      '(?:will|would|may|might|could|does|did) (?:not )?require',
    ],
    [
      `${START}(?:why|what|when|who|how|where|which|is|are|am|do(?! not)|does|did|must|can|could|should|shall|will|would|has|have|don['’]t (?:we|you|they))(?![\\w-])[^.!?\\n]{0,300}\\?`,
    ],
  ).source,
  'giu',
);

const ORDERS = cue([
  `${START}no (?:new|further|more|additional|extra|external|breaking|other|network|third-party|direct|manual|global)(?! [^.;\\n]{0,300}(?<![\\w-])(?:is|are|was|were|has|have|had|found|needed|necessary|seen)(?![\\w-]))`,
  `${START}only (?:edit|change|touch|modify|use|commit|push|run|write|add|install|read|look|work|deploy|call|import|fix)`,
  `${START}(?:keep|leave) [^.!?\\n]{1,300} (?:unchanged|intact|untouched|alone|stable|compatible|as is|as (?:it|they) (?:is|are))`,
  `${START}use [^.!?\\n]{1,300}(?:, (?:and )?not|,? instead of|,? rather than)`,
  `${START}(?:avoid|make sure|ensure)`,
  'not (?:allowed|permitted)',
  'off[- ]limits',
  'prohibited',
  "(?:i|we) (?:do not|don['’]t) want",
]);

/** Lines with a cue that are looked at: far more than a summary holds, few enough to be quick. */
const FIRST_LINES = 500;
const LAST_LINES = 1_500;

const FENCE = /^\s*(?:```|~~~)/;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
const LIST_OPENING = /[:：]\s*$/;
/** Longest opening that is repeated with each entry of its list. */
const LONGEST_OPENING = 200;

interface Passage {
  readonly text: string;
  readonly at: number;
}

/** The test that tells the rules of a user from other text. */
export const USER_RULE = { test: givesRule };

/** The sentences of passages in which a cue occurs, in order. */
export function findSentences(
  passages: readonly Passage[],
  cue: Pick<RegExp, 'test'>,
): readonly Passage[] {
  const lines = passages.flatMap((passage) =>
    proseLines(passage.text)
      .filter((line) => cue.test(line))
      .map((text) => ({ ...passage, text })),
  );
  return withoutMiddle(lines).flatMap((line) =>
    splitSentences(line.text)
      .filter((sentence) => cue.test(sentence))
      .map((text) => ({ ...line, text })),
  );
}

/** Words in Latin letters are matched whole. */
function cue(english: readonly string[], others: readonly string[] = []): RegExp {
  return new RegExp(anyWords(english, others), 'iu');
}

function givesRule(text: string): boolean {
  const rest = text.replaceAll(TOLD, ' ');
  return STRICT_RULE.test(rest) || ORDERS.test(rest);
}

/** Without fenced code; each entry of a list follows its introduction: `Do not touch: src/old.ts`. */
function proseLines(text: string): readonly string[] {
  let opening = '';
  return withoutCode(text.split(/[\r\n]+/)).flatMap((line) => {
    const isEntry = LIST_MARK.test(line);
    if (isEntry) return [opening + line.replace(LIST_MARK, '')];
    if (line.trim() === '') return [];
    const isOpening = LIST_OPENING.test(line);
    opening = isOpening && line.length <= LONGEST_OPENING ? `${line.trim()} ` : '';
    return isOpening ? [] : [line];
  });
}

function withoutMiddle(lines: readonly Passage[]): readonly Passage[] {
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines;
  return [...lines.slice(0, FIRST_LINES), ...lines.slice(-LAST_LINES)];
}

function withoutCode(lines: readonly string[]): readonly string[] {
  const fences = lines.filter((line) => FENCE.test(line)).length;
  const closedFences = fences - (fences % 2);
  let seenFences = 0;
  return lines.filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) seenFences += 1;
    return !isFence && (seenFences >= closedFences || seenFences % 2 === 0);
  });
}
