/** Words by which a text says that something is not used, and those that say nothing of that. */

import { cue } from './cue.ts';
import { DROPPED } from './cues.ts';

const BAD = `(?:forbidden|prohibited|disallowed|rejected|off[- ]limits|ruled out|discarded|dismissed|banned|excluded|abandoned|${DROPPED}|vetoed|deprecated|turned down(?! (?:to|by))|wrong|invalid)`;
const USED =
  '(?:used|chosen|picked|taken|adopted|applied|selected|set|wanted|allowed|permitted|accepted|acceptable|valid|right|correct|true|in use|in force|an (?:option|alternative)|the (?:right|correct|one|value|choice))(?! (?:yet|so far|until))';
const NOT = "(?: not|n['’]?t)";

/** Says of what stands before it that it is not used. */
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

/** Says so of what stands before it where it ends the clause; elsewhere it may speak of what is behind it. */
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

/** Says so of what stands before it where nothing follows but the thing whose value it would be. */
export const DENIAL_OF_SUBJECT = cue([`(?:is|are|was|were)(?:${NOT}| no longer)`]);

/** What may stand behind such a word at the end of a clause. */
export const CLAUSE_END =
  /^\s*(?:$|[)）\]】.,;，。、；|!！]|(?:by|because|since|as|for|due|in|at|after|when|too|again|already|wegen|weil)(?!\w)|です|だ|了|の?ため|ので|потому)/u;

/** What is denied with a value: that it is used, set or chosen. */
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

/** What keeps a clause from the next. */
export const CLAUSE_BREAK =
  /[,;、，；:：。()（）—–→]|->|=>|[.!?]\s|(?<![\w-])(?:but|then|instead|and|because|since|while|whereas|although|so that|in favou?r of|und|aber|sondern|weil|da|denn)(?![\w-])|(?<!\p{L})(?:и|но|а|потому|так как)(?!\p{L})|而是|改用|因为|因為|由于|所以|但|ので|ため|から/u;

/** What keeps a value from what is said of it behind it. */
export const BREAK_BEHIND = /[,;、，；。]|[.!?]\s/u;
