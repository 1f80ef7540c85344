/** Words against a denial, with those that they take back. */

import { cue } from './cue.ts';

const BANNED =
  '(?:forbidden|prohibited|banned|disallowed|off[- ]limits|ruled out|rejected|excluded|discouraged|frozen|read-only|untouchable)';
const NOT = "(?:not|\\w{2,8}n['’]t)";
const AVOID = '(?:avoid(?:ed|ing)?|forbid|prohibit|ban|reject|refuse|exclude|refrain from)';
/** Up to its end nothing says that it goes on for a while. */
const ENDED = '(?:(?! (?:until|till|unless|before|while) )[^.;]){0,60}?';
/** Words of one clause. */
const SOME_WORDS = '(?: [^\\s,.;:()]{1,40}){0,4}';
const WORKS = '(?:work|run|start|build|compile|function|deploy|pass|boot|load|go|do)';

/** Denials that are themselves denied: bans that are over, and things without which nothing works. */
export const LIFTED = cue(
  [
    `(?:no longer|${NOT}|never) (?:(?:to|be|been|being|a|an|strictly|really|actually|explicitly|anymore) ){0,3}${BANNED}`,
    `(?:no longer|${NOT}|never|no (?:need|reason) to|need not) (?:(?:to|have|need) ){0,3}${AVOID}`,
    `(?:no|any|${NOT} a) reason (?:why )?(?:\\w+ )?(?:not|against)(?: to| using)?`,
    '(?:no|any) objections? (?:to|against)(?: using)?',
    `(?:${NOT}|never) (?:hesitate|fail|neglect|omit) to`,
    '(?:nothing|nobody|no one) (?:forbids|prohibits|prevents|stops|objects|minds)',
    'no (?:harm|problem|risk|trouble) (?:in|with)',
    `(?:ban|prohibition|restriction|veto)s?(?: (?:on|of|against|for) ${ENDED})? (?:(?:is|are|was|were|(?:has|have) been) )?(?:\\w+ )?(?:lifted|removed|withdrawn|revoked|over)`,
    'nothing (?:\\w+ )?(?:against|wrong with)(?: using)?',
    `(?:used to be|formerly) ${BANNED}`,
    `${BANNED}${ENDED} (?:(?:now|again) (?:allowed|permitted|fine|ok)|(?:allowed|permitted|usable) (?:again|now)|lifted)`,
    `without(?<=(?:cannot|can['’]t|${NOT}|never|nothing|nobody|no one|unable to|impossible to)${SOME_WORDS} without)`,
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

/** Between a denial and what stands behind it, this turns it round: it is needed. */
export const WITHOUT = /(?<![\p{L}\w-])(?:without|ohne|без)(?![\p{L}\w-])/u;
