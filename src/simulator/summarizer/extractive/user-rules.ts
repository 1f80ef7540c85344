import { cue, STRICT_RULE } from './cues.ts';

/** Where a sentence starts, also one of a list; none is looked through further than rules are long. */
const START = '(?<=^|[.!?:;\\n] |[-*•] |[.!?:;\\n] please |^please )';
/** Whoever is spoken of, not to. */
const TOLD_OF = '(?:it|that|this|there|he|she|they|we|i|something|someone|somebody)';
/** A past that ends in -ed; some words that tell what to do end so, too. */
const PAST =
  '(?:(?!\\w*(?:eed|embed|shed|wed)(?!\\w))\\w+ed|been|had|was|were|did|done|said|saw|seen|got|gotten|ran|came|went|made|knew|known|wrote|written|told|took|taken|found|heard|sent|built|gave|given|broke|broken|thought|worked|used to|happened)';
/** What somebody does: neither a plural nor what one is told to. */
const DOES = '(?!\\w*[su]s(?!\\w))\\w+s';

/** Sentences, and parts of them, that have words of rules and give none: what happened, what is guessed, what is asked. */
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

/** Orders that need no word of the strict ones. */
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

/** What tells the rules of a user from what else they say. */
export const USER_RULE = { test: givesRule };

function givesRule(text: string): boolean {
  const rest = text.replaceAll(TOLD, ' ');
  return STRICT_RULE.test(rest) || ORDERS.test(rest);
}
