/** Words that say how a value that stands near them is meant. */

import { cue } from './cue.ts';

/** As Japanese writes that something is not done; elsewhere it is the name of a program. */
const NO_GO =
  '(?<=[\\u3040-\\u9fff：:] ?)ng(?![\\w-])|(?<![\\w-])ng(?= ?(?:[:：、。）)]|です|[はなのと]))';

/** Given up, and not lowered or put anywhere. */
export const DROPPED = 'dropped(?! (?:to|by|in|into|from|at))';

/** Negates what stands behind it. */
export const NEGATION_BEFORE = cue(
  [
    "(?:do|does|did|must|should|shall|can|could|may|will|would|is|are|was|were)(?: not|n['’]?t)(?! (?:only|forget))",
    'cannot',
    "(?:can|won)['’]t",
    'not(?! (?:only|forget))',
    'never(?! forget)',
    'nothing with',
    'avoid(?:ing)?',
    'forbid(?:s|den)?',
    'prohibit(?:s|ed)?',
    'disallow(?:s|ed|ing)?',
    'refrain(?:s|ed|ing)? from',
    'reject(?:s|ed|ing)?',
    'refus(?:e|ed|ing)',
    'discard(?:ed|ing)?',
    'dismiss(?:ed|ing)',
    'abandon(?:ed|ing)',
    '(?:chose|chosen|picked|preferred|selected) [^.,;]{1,40} over',
    'turn(?:ed|ing) down(?! (?:to|by))',
    'exclud(?:e|ed|ing)',
    '(?:decided|advised|voted) against',
    'against using',
    'ruled out',
    'instead of',
    'rather than',
    'no longer',
    '(?:stay|keep) away from',
    'steer clear of',
    'anything but',
    '(?:false|untrue|not true) that',
    'hands off',
    'ban(?:s|ned|ning)?',
    'veto(?:es|ed|ing)?',
    'leav(?:e|ing)(?= .{0,80}alone)',
    'without using',
    'nie(?:mals)?',
    'nicht(?! nur)',
    'keine?[nmrs]?',
    'nichts mit',
    'finger weg von',
    'vermeide[nt]?',
    'verzicht(?:e[nt]?)? auf',
    '(?:uns|mich) gegen',
  ],
  [
    '(?<!\\p{L})(?:не(?! только)|нельзя|никогда|ничего с|без|избега\\p{L}*|запрещ\\p{L}*|отказал(?:ись|ся|ась)? от|против)(?!\\p{L})',
    '不(?:要(?!忘)|能(?!不)|得(?!不)|可(?!避)|许|許|准|再|是|用|使用|采用|採用|应|應|该|該|宜|允许|考虑|选)',
    '不(?:准|該用)|禁[止用改动動]|停用|切勿|请勿|請勿|勿|严禁|嚴禁|避免|绝不|絕不|决不|從不|从不|并非|而非',
    '(?<!被)(?:拒绝|拒絕|否决|否決|放弃|放棄|排除|弃用)',
    NO_GO,
    '(?<![级类分特区识个差性鉴辨告離离])别(?![的人名说忘])',
  ],
);

/** Negates what stands right behind it, and little else. */
export const NEGATION_CLOSE = cue(['without', 'no(?![,:.])', 'ohne']);

/** Negates what stands before it. */
export const NEGATION_AFTER = cue(
  [
    '(?:is|are|was|were|has been|stays?|remains?) (?:\\w+ )?(?:forbidden|prohibited|disallowed|rejected|off[- ]limits|not|ruled out|discarded|dismissed|banned|turned down(?! (?:to|by)))',
    "(?:must|should|may|can|shall)(?: not|n['’]?t)|cannot|(?:can|won)['’]t",
    'off[- ]limits',
    'forbidden',
    'prohibited',
    'banned',
    'disallowed',
    'rejected',
    'discarded',
    'dismissed',
    'abandoned',
    'dropped (?:it|this|in favou?r)',
    'turned down(?! (?:to|by))',
    'not (?:to be|allowed|permitted|used|chosen)',
    'no longer',
    'to be avoided',
    'left (?:alone|untouched)',
    '(?:verboten|untersagt|tabu|unzulässig|abgelehnt|verworfen|ausgeschlossen)',
    '(?:darf|dürfen|soll(?:te)?(?:n)?|wird|werden|ist|sind) (?:\\p{L}+ ){0,3}nicht(?! nur)',
    'nicht (?:mehr|erlaubt|\\p{L}+en)',
    '(?:zu )?vermeiden|vermieden',
    'verzicht(?:en|et)',
  ],
  [
    '(?<!\\p{L})(?:запрещ\\p{L}*|нельзя|отклон\\p{L}*|не(?! только)|избега\\p{L}*)(?!\\p{L})',
    NO_GO,
    '禁[止用改动動]|停用|严禁|嚴禁|不(?:要|能|得|可|许|准|再|用|使用|采用|应|该|允许|考虑|选)|已?(?:被否决|被拒绝|放弃|弃用|排除)',
    '(?<!かもしれ|しか|問題|少|なければなら|忘れ)な(?:い(?!と(?:いけ|なら|だめ))|かった|く|ければ(?!なら|いけ))|ません(?!か)|まじ|べからず',
    '不可(?!欠)|厳禁|禁じ|却下|見送|避け|使わず|触れず|触らず|ずに|不採用|除外|(?:駄目|だめ|ダメ)(?!では)',
  ],
);

/** What stands near has taken the place of something. */
export const CORRECTION = cue(
  [
    'correction',
    'corrected',
    'now',
    'updated',
    'changed',
    '(?:raised|lowered|increased|decreased|reduced|bumped|switched)',
    'as of',
    'latest',
    'current(?:ly)?',
    'revised',
    'new(?:ly)?',
    'instead',
    'from then on',
    'korrektur',
    'jetzt',
    'aktualisiert',
    'aktuell',
  ],
  [
    'geändert|(?<!\\p{L})(?:исправление|теперь|сейчас|обновлен\\p{L}*|обновлён\\p{L}*|изменено)(?!\\p{L})',
    '更正|改为|改為|改成|更新|最新|当前|當前|目前|现在|現在|修正|变更|變更|訂正|変更|最終的',
  ],
);
