import { anyWords } from '../../lib/text.ts';

/** As Japanese writes that something is not done; elsewhere it is the name of a program. */
const NO_GO =
  '(?<=[\\u3040-\\u9fff：:] ?)ng(?![\\w-])|(?<![\\w-])ng(?= ?(?:[:：、。）)]|です|[はなのと]))';

/** Given up, and not lowered or put anywhere. */
const DROPPED = 'dropped(?! (?:to|by|in|into|from|at))';

/** Negates the text after it. */
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

/** Negates the text right after it only. */
export const NEGATION_CLOSE = cue(['without', 'no(?![,:.])', 'ohne']);

/** Negates the text before it. */
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

/** Words beside a value that has replaced another one. */
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

const BAD = `(?:forbidden|prohibited|disallowed|rejected|off[- ]limits|ruled out|discarded|dismissed|banned|excluded|abandoned|${DROPPED}|vetoed|deprecated|turned down(?! (?:to|by))|wrong|invalid)`;
const USED =
  '(?:used|chosen|picked|taken|adopted|applied|selected|set|wanted|allowed|permitted|accepted|acceptable|valid|right|correct|true|in use|in force|an (?:option|alternative)|the (?:right|correct|one|value|choice))(?! (?:yet|so far|until))';
const NOT = "(?: not|n['’]?t)";

/** Marks the text before it as not used. */
export const DENIAL_AFTER = cue(
  [
    `(?:is|are|was|were|(?:has|have|had) been|gets?|got|stays?|remains?) (?:\\w+ ){0,2}${BAD}`,
    `(?:is|are|was|were|(?:has|have|had) been)${NOT} (?:to be |any ?more |\\w+ly )?${USED}`,
    `(?:(?:must|should|shall|may|can|could|will|would|do|does|did)${NOT}|cannot|(?:can|won)['’]t|(?:must|should|may|can|will) never) (?:ever |any ?more )?(?:be )?${USED}`,
    `(?:is|are|was|were|will|shall|may|must|can) no longer (?:be )?${USED}`,
    `(?:do|does|did)${NOT} (?:hold|apply|count)`,
    'no longer (?:holds?|applies|apply|counts?)',
    '(?:is|are|was|were) to be avoided',
    '(?:ist|sind|war|wurden?|bleib(?:t|en)) (?:\\p{L}+ ){0,2}(?:verboten|tabu|untersagt|abgelehnt|verworfen|ausgeschlossen)',
    '(?:ist|sind|wird|werden|wurden?|darf|dürfen|soll(?:te)?n?) (?:\\p{L}+ ){0,2}nicht (?:mehr )?(?:verwendet|benutzt|genutzt|eingesetzt|gewählt|erlaubt|gültig|zu verwenden)',
  ],
  [
    '(?<!\\p{L})(?:больше )?не (?:(?:должн\\p{L}*|мо[гж]\\p{L}*|буд\\p{L}*) )?(?:использ|применя|действ)\\p{L}*(?:ся|сь)|(?<!\\p{L})не выбра\\p{L}*',
    '(?:已?被|已经?)(?:否决|否決|拒绝|拒絕|放弃|放棄|排除|弃用|淘汰|禁[止用])|不(?:正确|对(?!称)|成立|适用)',
    '(?:(?:使用|採用|適用|選択|設定)(?:し|でき|され|せ)|使(?:わ|え|われ)|用い|選ば|採ら)(?:な(?:い|かった|く)|ず|ません|てはいけ|てはなら)|(?:では|じゃ)(?:な[いく]|ありません)|(?:使用|採用|利用)(?:禁止|不可)|(?:却下|見送|棄却)(?:し|さ|り|ら)',
  ],
);

/** Marks the text before it as not used, at the end of a clause only. */
export const DENIAL_LAST = cue(
  [
    BAD,
    `(?:not|no longer) ${USED}`,
    '(?:verboten|tabu|untersagt|abgelehnt|verworfen)',
    'nicht (?:mehr )?(?:verwende[tn]|benutz(?:t|en)|genutzt|nutzen|eingesetzt|einsetzen|erlaubt)',
  ],
  [
    '(?<!\\p{L})(?:запрещ|отклон|отверг)\\p{L}*|(?<!\\p{L})(?:не|нельзя) (?:использ|применя)\\p{L}*',
    '(?:不(?:再|能|得|应|應|该|該|可以|会|會|允许|准|许|要|予)?|未|禁止|严禁)(?:再|被)?(?:使用|采用|採用|选用|選用|用|考虑)(?![户戶于於])(?!过)',
    '禁[止用]|严禁|否决|否決|弃用|放弃|拒绝|不可|厳禁|却下|不採用|見送り|除外|だめ|ダメ',
  ],
);

/** Marks the text before it as not used, where only the thing itself follows. */
export const DENIAL_OF_SUBJECT = cue([`(?:is|are|was|were)(?:${NOT}| no longer)`]);

/** Text that may follow such a word at the end of a clause. */
export const CLAUSE_END =
  /^\s*(?:$|[)）\]】.,;，。、；|!！]|(?:by|because|since|as|for|due|in|at|after|when|too|again|already|wegen|weil)(?!\w)|です|だ|了|の?ため|ので|потому)/u;

/** Verbs of use, setting or choice that are denied together with a value. */
export const USE = cue(
  [
    'us(?:e|ed|es|ing|age)',
    'set(?:ting)?',
    'choos(?:e|es|ing)|chosen?',
    '(?:pick|adopt|select|connect|accept|allow)(?:s|ed|ing)?',
    'tak(?:e|es|en|ing)',
    'appl(?:y|ies|ied|ying)',
    '(?:go|going|gone|went) (?:with|for)',
    '(?:switch|move|mov|change|chang)(?:ed|ing)? (?:[^ ]{1,40} ){0,4}?to',
    'call(?:ed)? it',
    'rel(?:y|ied|ying) on',
    '(?:employ|keep|want|consider)(?:ed|ing)?',
    'configur(?:e|ed|ing)',
    'prefer(?:red|ring)?',
    'settled? (?:on|for)',
    'stick(?:ing)? (?:to|with)',
    "(?:(?:do|must|should|shall|may)(?: not|n['’]t)|never) (?:ever )?(?:run|call|execute|invoke|start)",
    '(?:verwende|benutze|setze|wähle)[nt]?|benutzt|nutzen?|nimm|nehmen?',
  ],
  ['(?:использ|применя|устан[ао]в|выб[ие]р)', '[用选選]|设[为成置]|設[為为成定]|使[うわい]'],
);

/** Separators of clauses. */
export const CLAUSE_BREAK =
  /[,;、，；:：。()（）—–→]|->|=>|[.!?]\s|(?<![\w-])(?:but|then|instead|and|because|since|while|whereas|although|so that|in favou?r of|und|aber|sondern|weil|da|denn)(?![\w-])|(?<!\p{L})(?:и|но|а|потому|так как)(?!\p{L})|而是|改用|因为|因為|由于|所以|但|ので|ため|から/u;

/** Separators of a value from words after it. */
export const BREAK_BEHIND = /[,;、，；。]|[.!?]\s/u;

/** Verbs of what is done to a value. */
const DEEDS =
  '(?:changes?|edits?|modifications?|writes?|touching|us(?:e|ing|age)|access|calls?|commits?|push(?:es|ing)?|merg(?:es?|ing)|renam(?:es?|ing)|refactor(?:s|ings?)?|delet(?:es?|ing|ions?)|deploy(?:s|ing|ments?)?)';
/** To do it. */
const DO =
  '(?:touch|use|edit|change|modify|alter|write|overwrite|delete|remove|drop|rename|move|refactor|call|run|import|add|enable|upgrade|commit|push|merge|deploy|revert|rely on)';
/** Nothing follows that a word could speak of. */
const ALONE = '(?=\\s*(?:$|[.,;()!|\\n]| (?:because|during|while|until|since|due|for|as)(?!\\w)))';
const MARK = '[❌🚫⛔✗✘]';

/** Forbids the text after it. */
export const BAN_BEFORE = either(
  cue(
    [
      `no (?:(?:more|further|direct|manual|new) )?${DEEDS}(?! (?:needed|necessary|required|yet|so far))`,
      '(?:under|in) no (?:circumstances|case)',
      'on no account',
      'at no (?:time|point)',
      'nobody',
      'no one',
      'neither',
      'nor',
      'forbade',
      'decision against',
      'passed on',
      "don['’]?ts",
      'no-gos?',
      '(?:stays?|keep|kept|remains?|be) (?:free|clear) (?:of|from)',
    ],
    [MARK],
  ),
  NEGATION_BEFORE,
);

/** Forbids the text before it. */
export const BAN_AFTER = either(
  cue(
    [
      `(?:do(?: not|n['’]?t)|never) ${DO}(?: (?:it|this|that|them|these|those))?${ALONE}`,
      `never${ALONE}`,
      '(?:must|should|shall) (?:\\w+ )?be (?:avoided|excluded)',
      '(?:is|are|be|stays?|remains?|leave|keep|kept) (?:\\w+ )?(?:unchanged|intact|frozen|read-only|as (?:it|they) (?:is|are))',
      'untouched',
      'untouchable',
      'no-go',
      'ruled out',
      'unsuitable',
      `(?:is|was|were|been) ${DROPPED}`,
      'allowed[:|\\s]+no',
      `nie(?:mals)? \\p{L}+en${ALONE}`,
    ],
    [MARK, '勿|保持不[变變]|只[读讀]|凍結|そのまま'],
  ),
  NEGATION_AFTER,
);

const BANNED =
  '(?:forbidden|prohibited|banned|disallowed|off[- ]limits|ruled out|rejected|excluded|discouraged|frozen|read-only|untouchable)';
const NOT_OF_LIFTED_CUES = "(?:not|\\w{2,8}n['’]t)";
const AVOID = '(?:avoid(?:ed|ing)?|forbid|prohibit|ban|reject|refuse|exclude|refrain from)';
/** Up to its end nothing says that it goes on for a while. */
const ENDED = '(?:(?! (?:until|till|unless|before|while) )[^.;]){0,60}?';
/** Words of one clause. */
const SOME_WORDS = '(?: [^\\s,.;:()]{1,40}){0,4}';
const WORKS = '(?:work|run|start|build|compile|function|deploy|pass|boot|load|go|do)';

/** Denials that are themselves denied: bans that are over, and things without which nothing works. */
export const LIFTED = cue(
  [
    `(?:no longer|${NOT_OF_LIFTED_CUES}|never) (?:(?:to|be|been|being|a|an|strictly|really|actually|explicitly|anymore) ){0,3}${BANNED}`,
    `(?:no longer|${NOT_OF_LIFTED_CUES}|never|no (?:need|reason) to|need not) (?:(?:to|have|need) ){0,3}${AVOID}`,
    `(?:no|any|${NOT_OF_LIFTED_CUES} a) reason (?:why )?(?:\\w+ )?(?:not|against)(?: to| using)?`,
    '(?:no|any) objections? (?:to|against)(?: using)?',
    `(?:${NOT_OF_LIFTED_CUES}|never) (?:hesitate|fail|neglect|omit) to`,
    '(?:nothing|nobody|no one) (?:forbids|prohibits|prevents|stops|objects|minds)',
    'no (?:harm|problem|risk|trouble) (?:in|with)',
    `(?:ban|prohibition|restriction|veto)s?(?: (?:on|of|against|for) ${ENDED})? (?:(?:is|are|was|were|(?:has|have) been) )?(?:\\w+ )?(?:lifted|removed|withdrawn|revoked|over)`,
    'nothing (?:\\w+ )?(?:against|wrong with)(?: using)?',
    `(?:used to be|formerly) ${BANNED}`,
    `${BANNED}${ENDED} (?:(?:now|again) (?:allowed|permitted|fine|ok)|(?:allowed|permitted|usable) (?:again|now)|lifted)`,
    `without(?<=(?:cannot|can['’]t|${NOT_OF_LIFTED_CUES}|never|nothing|nobody|no one|unable to|impossible to)${SOME_WORDS} without)`,
    `without [^,.;]{1,60},? (?:[^,.;]{1,40} )?(?:cannot|(?:can|could|will|would|do|does|did|wo)(?: not|n['’]t)|can['’]t) ${WORKS}`,
    '(?:nicht|kein[enmrs]{0,2}) (?:(?:mehr|länger|ausdrücklich) )?(?:verboten|untersagt|tabu|gesperrt|unzulässig|ausgeschlossen|zu vermeiden)',
    '(?:verboten|untersagt|tabu)[^.;]{0,60}? wieder erlaubt',
    'kein(?:en)? grund,? [^.;]{0,60}? nicht zu',
    'nichts (?:spricht )?(?:da)?gegen',
    `ohne(?<=(?:nichts?|kein[enmrs]{0,2})${SOME_WORDS} ohne)`,
    'ohne [^,.;]{1,60},? [^,.;]{0,40}?(?:nichts?|kein[enmrs]{0,2})',
  ],
  [
    '(?<!\\p{L})(?:больше )?не (?:был[аои]? )?(?:запрещ|отклон|избега)\\p{L}*',
    '(?<!\\p{L})(?:нет причин|нельзя|не может|не могут) не(?!\\p{L})',
    `без(?<=(?<!\\p{L})(?:не|нельзя|невозможно)${SOME_WORDS} без)(?!\\p{L})`,
    '(?<!\\p{L})без [^,.;]{1,60},? [^,.;]{0,40}?(?:не|нельзя)(?!\\p{L})',
    '不再(?:被)?(?:禁[止用]|严禁|限制|否决|排除|拒绝)|(?:没有?|没|并未|未|不|不必|无需|不用|不需要)(?:被)?(?:禁[止用]|避免|避开|否决|排除|拒绝)',
    '禁[止用令][^，。；]{0,10}[已被](?:解除|取消|撤销|废除|废止)|(?<!直到)(?:解除|取消|撤销)(?:[了对][^，。；]{0,20})?禁[止用令]',
    '禁止[^。；]{0,20}(?:现在|现已|已经?|如今)(?:可以|允许|能)',
    '(?:没有?|没什么)理由不|为什么不|何不|不(?:能|可|得)不|不妨',
    '不(?:能|可)(?:没有|缺少?)|不可或缺|必不可少|(?:没有|缺少?|离开)了?[^，。；]{1,40}[，就便]{0,2}[^，。；]{0,10}(?:不能|无法|不行|不了|不可)',
    '禁止(?:(?:では|じゃ)(?:な|あり)|[^。]{0,10}(?:解除|撤廃|解かれ)(?![^。]{0,5}まで))|(?:避け|使わ)[^。]{0,6}(?:必要|理由)(?:は|が)?(?:な|あり)',
    '(?:なし|無し|抜き)では[^。]{0,20}(?:ない|ません|ず)|がな(?:い|ければ)と?[^。]{0,20}(?:ない|ません)|欠かせな|不可欠',
  ],
);

/** Words between a denial and the text after it that reverse it: the value is needed. */
export const WITHOUT = /(?<![\p{L}\w-])(?:without|ohne|без)(?![\p{L}\w-])/u;

/** Matches words that describe nearby text; words in Latin letters match whole. */
export function cue(english: readonly string[], others: readonly string[] = []): RegExp {
  return new RegExp(anyWords(english, others), 'gu');
}

/** Tests if a text forbids or denies anything. */
export function hasBan(text: string): boolean {
  const rest = text.replaceAll(LIFTED, ' ');
  return rest.search(BAN_BEFORE) >= 0 || rest.search(BAN_AFTER) >= 0;
}

/** Matches what any of some cues match; where several begin at one place, what the first of them does. */
function either(...cues: readonly RegExp[]): RegExp {
  return new RegExp(cues.map(({ source }) => source).join('|'), 'gu');
}
