import { anyWords } from '../../lib/text.ts';

/** A rule that the user will not have bent. */
export const STRICT_RULE = cue(
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

/** A wish or a limit that the user put more mildly. */
export const MILD_RULE = cue(
  [
    'only',
    'please (?:\\w+ )?use',
    'prefer(?:ably|red)?',
    'avoid',
    'without',
    'make sure',
    'ensure',
    'remember to',
    "should(?: not|n['’]t)?",
    'at (?:most|least)',
    'no more than',
    'instead of',
    'from now on',
    'bitte',
    'nur',
    'lieber',
    'ab jetzt',
  ],
  [
    '(?<!\\p{L})(?:пожалуйста|только|лучше|избега)',
    '请|請|只能|只用|只要|只改|仅|僅|优先|優先|尽量|盡量|避免|应该|應該|最好|保持',
    'てください|て下さい|お願いし|だけ|のみ|べき|優先|避けて|なるべく|できるだけ',
  ],
);

/** A choice, or what something turned out to be. */
export const DECISION = cue(
  [
    'decided',
    'decision',
    'root cause',
    'turns? out',
    'turned out',
    'chose',
    'opted',
    'going with',
    'will go with',
    'switched to',
    'the (?:real |actual |underlying )?(?:problem|issue|bug|culprit|cause|reason) (?:is|was)',
    'entschieden',
    'fest steht',
    'die ursache',
  ],
  [
    '(?<!\\p{L})(?:решено|решили|причина (?:в|была)|оказалось)',
    '决定|決定|决策|改用|根因|根本原因|原来是|问题(?:是|在于|出在)|原因(?:是|在于)',
    '決め(?:た|ま)|採用し|原因は|判明|と分か|とわか',
  ],
);

/** A reason, or something that was found out along the way. */
export const REASON = cue(
  [
    'because',
    'instead of',
    'rather than',
    'found (?:that|out)',
    'discovered',
    'confirmed',
    'due to',
    'the reason',
    'so that',
    'weil',
    'der grund',
    'deshalb',
  ],
  [
    '(?<!\\p{L})(?:потому|почему|поэтому|из-за)',
    '因为|因為|所以|由于|由於|而不是|发现|發現|代わりに|ため、|ので、|なぜなら|ではなく',
  ],
);

/** Work that is still to be done. */
export const OPEN_WORK = cue(
  [
    'next(?=,|:| steps?\\b| up\\b| i\\b)',
    'remaining',
    'remains?',
    'todo',
    'still (?:need|needs|have|has|missing|open|fails?|failing)',
    'not yet',
    'yet to',
    'left to',
    'als nächstes',
    'danach',
    'noch offen',
  ],
  [
    '(?<!\\p{L})(?:дальше|осталось|потом)',
    '接下来|接下來|剩下|剩余|剩餘|待办|待辦|下一步|还需要|還需要|尚未|次に|残り|残って|まだ|これから',
  ],
);

/** A line of output that reports a failure. */
export const TROUBLE =
  /error|fail(?:ed|ure|ures|ing|s)?\b|exception|traceback|\bpanic|\bfatal|denied|not found|no such file|cannot |unable to|undefined reference|timed? ?out|exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]|✗|✖|错误|錯誤|失败|失敗|异常|異常|エラー/iu;

/** A line that names trouble only to say that there is none. */
export const NO_TROUBLE =
  /\b(?:0|no|zero|without) (?:\w+ )?(?:errors?|fail(?:ed|ures?|ing)?|exceptions?)\b|\b(?:errors?|fail(?:ed|ures?)):? 0\b|没有错误|エラーなし/iu;

/** Where a sentence starts, also one of a list; none is looked through further than rules are long. */
const START = '(?<=^|[.!?:;\\n] |[-*•] |[.!?:;\\n] please |^please )';
/** Words for third parties. */
const TOLD_OF = '(?:it|that|this|there|he|she|they|we|i|something|someone|somebody)';
/** A past that ends in -ed; some words that tell what to do end so, too. */
const PAST =
  '(?:(?!\\w*(?:eed|embed|shed|wed)(?!\\w))\\w+ed|been|had|was|were|did|done|said|saw|seen|got|gotten|ran|came|went|made|knew|known|wrote|written|told|took|taken|found|heard|sent|built|gave|given|broke|broken|thought|worked|used to|happened)';
/** A verb in the third person: neither a plural nor an imperative. */
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

/** The test that tells the rules of a user from other text. */
export const USER_RULE = { test: givesRule };

/** A pattern of words that tell what a sentence or a line is about. Words in Latin letters are matched whole. */
export function cue(english: readonly string[], others: readonly string[] = []): RegExp {
  return new RegExp(anyWords(english, others), 'iu');
}

function givesRule(text: string): boolean {
  const rest = text.replaceAll(TOLD, ' ');
  return STRICT_RULE.test(rest) || ORDERS.test(rest);
}
