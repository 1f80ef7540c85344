import { firstAtLeast } from '../../lib/collections.ts';
import { indexText } from './text-index.ts';
import { normaliseText } from './words.ts';
import { findPlaces, type Probe } from './probe.ts';

/** The claims of an answer. */
export interface Claims {
  /** The answer without its clauses that only say that something is not known. */
  readonly text: string;
  /** It says that it knows nothing, and offers nothing all the same. */
  readonly isAbstention: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A word that looks like a value. */
const CODED = /[\d_]|\p{L}{2}\.\p{L}{1,4}$|\/.*\//u;
const TOKEN = /[\p{L}\p{N}_]+(?:[./@-][\p{L}\p{N}_]+)*/gu;
const CAMEL = /\p{Ll}\p{Lu}/u;
const NAMING = /[\p{L}\p{N}]/u;

const NOT = "(?:not|never|nowhere|\\p{L}{1,7}n't)";
const TALKED = '(?:the|this|that|my|our) (?:conversation|context|history|text|transcript)';
/** The end of an abstention; words that may also describe other things count only there. */
const END = `(?=(?: (?:anywhere|here|yet|either|at all|so far|in ${TALKED}))? ?(?:$|[.,;:!?()]))`;
const TOLD = `(?:mentioned|given|said|stated|specified|provided|told|named|recorded|documented|discussed|disclosed|(?:known|found|available|shown|listed|included|defined|covered|established|present|indicated|shared|clear|sure|certain)${END})`;
const TELLS = `(?:tell|say|mention|specify|state|indicate|disclose|(?:give|include|contain|provide|record|reveal|show|list|name|discuss|cover|define|answer|appear|come up)(?:${END}|(?= (?:it|that|this|any|anything|such|the (?:answer|value|information))(?![\\p{L}\\p{N}_]))))`;
const KNOWS =
  '(?:know|recall|remember|tell|say|see|find|locate|determine|identify|answer|provide|confirm|verify|infer|establish|be (?:sure|certain))';
const NEWS =
  '(?:mentions?|information|info|records?|references?|indications?|evidence|trace|data|details?|answer|idea|clue|memory|recollection|knowledge|context)';
const DETERMINED =
  '(?:determined|found|known|established|inferred|answered|identified|derived|ascertained|verified|confirmed|located|said|told|recalled|deduced|given|provided)';
const WEISS = 'wei(?:ß|ss)';
const BEKANNT =
  '(?:erwähnt|angegeben|genannt|bekannt|festgelegt|gesagt|sicher|ersichtlich|vorhanden|verfügbar|enthalten|auffindbar|dokumentiert|mitgeteilt|bestimmbar|feststellbar|klar|hervor|bestimmt|erinnern|(?:zu )?(?:sagen|bestimmen|ermitteln|beantworten|finden|erkennen|entnehmen|feststellen))';

/** Each is matched as whole words of a text in one case. */
const SPACED_ABSTENTIONS: readonly string[] = [
  'un(?:known|available|specified|stated|mentioned|disclosed|determined|clear|certain|sure|answerable|documented)',
  String.raw`n\/a`,
  String.raw`n\.a\.`,
  'not applicable',
  'idk',
  'dunno',
  `(?:do|does|did)(?: not|n't|nt) (?:\\w+ ){0,2}(?:know|recall|remember)`,
  "(?:i|we) (?:\\w+ )?(?:do|did)(?: not|n't|nt) (?:\\w+ )?(?:have|see|find|possess)",
  `(?:cannot|can(?: not|'t)|could(?: not|n't)|(?:un|not )able to) (?:\\w+ )?${KNOWS}`,
  `(?:cannot|can(?: not|'t)|could(?: not|n't)) be (?:\\w+ )?${DETERMINED}`,
  `(?:impossible|not possible|hard|difficult|no way) to (?:say|tell|know|determine|answer)`,
  `(?:does|did|do)(?: not|n't|nt) (?:\\w+ )?${TELLS}`,
  `${NOT} (?:(?:been|ever|yet|explicitly|actually|anywhere|being|be|really|\\w+ly) ){0,2}${TOLD}`,
  `${NOT} (?:\\w+ly )?(?:sure|certain|clear|specific|in ${TALKED})`,
  `(?:none|nothing|no(?: \\w+){1,3}) (?:is|was|were|has been) (?:ever )?${TOLD}`,
  '(?:none|nothing) (?:given|found|mentioned|available|stated|specified|recorded|provided|known)',
  `(?:no|${NOT} any) (?:\\w+ ){0,2}${NEWS}`,
  `(?:conversation|context|history|text|transcript|messages?) (?:\\w+ )?(?:gives?|has|have|contains?|mentions?|states?|provides?|shows?|names?|says?) (?:no|nothing|none)`,
  `there(?:'s| is| was| are| were) (?:no|nothing|none) (?:\\w+ ){0,5}in ${TALKED}`,
  'nothing (?:\\w+ )?(?:about|regarding)',
  '(?:nobody|no one|no-one) (?:\\w+ )?(?:said|says|mentioned|told|specified|gave|stated)',
  'silent (?:on|about)',
  `(?:not|n't) (?:a )?part of ${TALKED}`,
  "(?:i'd|i would|i) need more",
  'i never (?:saw|heard|knew|learned|read)',
  `(?:(?:not|n't) enough|insufficient|without (?:any|more)|lack(?:s|ing)?(?: any| the)?) (?:\\w+ )?${NEWS}`,
  '(?:i|we) (?:see|find|found|have|know(?: of)?|recall) (?:no|none|nothing)',
  "i(?:'ve| have)? (?:forget|forgot|forgotten)",
  `(?:absent|missing) from ${TALKED}`,
  'unbekannt',
  'unklar',
  'ungewiss',
  `(?:nicht|nichts|keine[nmrs]?) (?:\\p{L}+ ){0,2}${BEKANNT}`,
  'steht (?:\\p{L}+ )?nicht',
  '(?:information(?:en)?|angaben?) (?:\\p{L}+ )?nicht',
  `${WEISS} (?:ich )?(?:(?:es|das|leider) ){0,2}nicht`,
  `(?:habe|gibt es|gibt|liegen?|finde|fand) (?:\\p{L}+ )?(?:dazu |darüber |hierzu )?(?:keine[nr]?|nichts)`,
  'keine (?:\\p{L}+ )?(?:angaben?|information(?:en)?|erwähnung|ahnung|daten|aufzeichnung(?:en)?|auskunft|hinweise?|kenntnis)',
  'keine[nr]? (?:eintrag|beleg)',
  String.raw`k\. ?a\.`,
  'erinnere mich (?:\\p{L}+ )?nicht',
  '(?:этого|такого|об этом) (?:\\p{L}+ )?нет',
  '(?:информация|данные|сведения|запись|упоминание|ответ) (?:\\p{L}+ )?отсутству\\p{L}*',
  'не (?:\\p{L}+ )?(?:указа[нл]|упом[яи]н|знаю|помню|извест|сказан|уверен|ясно|определ|найден|наш[её]л|нашл|сообщ|говори|приводи|приведен|содерж|задан|назван|удалось|(?:могу|можем) (?:\\p{L}+ )?(?:сказать|определить|ответить|вспомнить|найти))\\p{L}*',
  'неизвестн\\p{L}*',
  'неясн\\p{L}*',
  'невозможно (?:определить|установить|сказать|узнать|ответить)',
  'нет (?:\\p{L}+ )?(?:информаци|данных|сведени|упоминани|запис|ответ|указани)\\p{L}*',
  'затрудняюсь (?:\\p{L}+)',
  'без понятия',
  'понятия не имею',
  String.raw`н\/д`,
];

/** Matched anywhere: these scripts have no spaces between words. */
const UNSPACED_ABSTENTIONS: readonly string[] = [
  '不(?:太|大|很|是很)?(?:知道|清楚|确定|確定|明确|明確|详|詳|明|记得|記得|得而知|了解|曾?提及)',
  '未(?:知|被?(?:提及|提到|说明|說明|指定|给出|給出|提供|记录|記錄|明确|明確|涉及|找到|告知|注明|披露|定义|列出))',
  '[没沒](?:有)?(?:被|明确|明確|具体|任何|相关|相關|关于|關於|这方面的?|该|此|这个|这条|对应的?){0,2}(?:提到|提及|给出|給出|说明|說明|说|說|指定|记录|記錄|提供|找到|告诉|告訴|告知|信息|資訊|资料|資料|线索|答案|印象|记载|記載|交代|写|写明|讲|讲到)',
  '[无無](?:法|从|從)(?:确定|確定|得知|判断|判斷|回答|获知|獲知|知道|知晓|找到|确认|確認|推断|给出)',
  '[无無](?:相关|相關|任何|此)?(?:记录|記錄|信息|資訊|资料|資料|数据|數據|记载)',
  '(?:记|記)不(?:得|清|起)',
  '(?:查|找)不到',
  '(?:分か|わか|判)り(?:かね)?ません|(?:分か|わか)らない|知りません|知らない',
  '(?:覚えて|記憶して)い(?:ません|ない)|思い出せ(?:ません|ない)',
  '(?:記載|記録|情報|言及|記述|指定|説明|記憶|回答)(?:が|は|も)?(?:一切|特に|全く)?(?:ありません|ございません|ない|なし|無し|無い|されてい(?:ません|ない)|見つかりません)',
  '(?:述べ|触れ|示さ|書か|言わ|挙げ|与え|伝え|明記さ|明示さ|記され?)(?:られ|れ)?てい(?:ません|ない)',
  '(?:見つかり|見当たり)ません|見つからない|見当たらない',
  '(?:特定|確認|判断|断定|回答|判定)(?:は)?でき(?:ません|ない)|答えられ(?:ません|ない)',
  '(?:出て(?:き|い)|持ってい?)(?:ません|ない)',
  '不確か|該当なし',
];

/** Whole answers that name nothing. */
const NAUGHT = /^\W*(?:none|nothing|null|nil|keine|无|無|なし)\W*$/u;

const SPACED_GUESSES: readonly string[] = [
  'probably',
  'perhaps',
  'maybe',
  'likely',
  'possibly',
  'presumably',
  'apparently',
  'supposedly',
  "(?:i|we)(?:'d| would| can only| could only| do)? (?:think|believe|guess|assume|suspect|suppose|say|bet|estimate|imagine|go with)",
  '(?:my|best|educated) guess',
  '(?:may|might|could|must|should|would) (?:well )?be',
  '(?:seems?|appears) to be',
  'if i had to',
  'wahrscheinlich',
  'vermutlich',
  'vielleicht',
  'möglicherweise',
  'eventuell',
  'wohl',
  'ich (?:denke|glaube|vermute|schätze|tippe|rate|nehme an)',
  '(?:könnte|dürfte|müsste)',
  'вероятно',
  'наверное?',
  'возможно',
  'может быть',
  'скорее всего',
  'видимо',
  'предположительно',
  'предполагаю',
  'думаю',
  'полагаю',
  'похоже',
];
const UNSPACED_GUESSES: readonly string[] = [
  '(?<!不)可能|大概|也[许許]|或[许許]|[应應][该該]是|估[计計]|猜|恐怕|好像|我(?:认为|認為|觉得|覺得|想)',
  'たぶん|多分|おそらく|恐らく|推測',
];

/** Refers to the conversation or the asker, not to the question. */
const SPACED_TALK: readonly string[] = [
  'you',
  'your',
  'please',
  'conversation',
  'context',
  'discuss(?:ed|ion)?',
  'mentioned',
  'provided?',
  'shared?',
  'earlier',
  'sie',
  'ihnen',
  'bitte',
  'gespräch',
  'вы',
  'вам',
  'пожалуйста',
  'разговор\\p{L}*',
];
const UNSPACED_TALK: readonly string[] = ['请|請|您|你|对话|對話|上下文', '会話|ください|文脈'];

/** Says that the answer is not known. */
const ABSTENTION = cuesOf(SPACED_ABSTENTIONS, UNSPACED_ABSTENTIONS);

/** Offers an answer that is not certain. */
const GUESS = cuesOf(SPACED_GUESSES, UNSPACED_GUESSES);

/** Speaks of the conversation itself. */
const TALK = cuesOf(SPACED_TALK, UNSPACED_TALK);

/** Where what an answer says ends and something else may begin; a guess begins with its own word. */
const CLAUSE_END = new RegExp(
  [
    String.raw`[\n;:!?()[\]|。、；！？]`,
    String.raw`\.(?=\s|$)|(?<!\d),|,(?!\d)`,
    String.raw`\s[-–]+\s|—`,
    '但是?|不[过過]|然而|けれども?|けど',
    String.raw`(?<![\p{L}\p{N}])(?:but|though|although|however|yet|still|aber|jedoch|doch|но|однако)(?![\p{L}\p{N}])`,
    `(?=${GUESS.source})`,
  ].join('|'),
  'gu',
);

/** Splits an answer into its claims and its abstentions; a guess after an abstention is a claim. */
export function findClaims(answer: string, probe: Probe): Claims {
  const lines = normaliseText(answer);
  const abstaining = abstainingSpans(lines, answer, probe);
  const text = abstaining.length === 0 ? answer : without(lines, abstaining);
  const isAbstention =
    isNaught(lines) || (abstaining.length > 0 && !offers(text, answer, probe.question));
  return { text, isAbstention };
}

/** The clauses that say that something is not known; words of a value say nothing of the kind. */
function abstainingSpans(lines: string, answer: string, probe: Probe): readonly Span[] {
  const { accepted, refused } = findPlaces(indexText(answer), probe);
  const values = [...accepted, ...refused];
  const cues = spansOf(lines.replaceAll('\n', ' '), ABSTENTION).filter(
    (cue) => !values.some(({ place }) => place.start < cue.end && cue.start < place.end),
  );
  if (cues.length === 0) return [];
  const ends = spansOf(lines, CLAUSE_END);
  const starts = ends.map(({ start }) => start);
  return cues.map((cue) => ({
    start: Math.min(cue.start, ends[firstAtLeast(starts, cue.start + 1) - 1]?.end ?? 0),
    end: starts[firstAtLeast(starts, cue.end)] ?? lines.length,
  }));
}

function spansOf(text: string, pattern: RegExp): readonly Span[] {
  return Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
}

function without(text: string, spans: readonly Span[]): string {
  let at = 0;
  let left = '';
  for (const { start, end } of spans) {
    left += text.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  return left + text.slice(at);
}

/** Tests if an answer is empty of content. */
function isNaught(text: string): boolean {
  return NAUGHT.test(text) || !/[\p{L}\p{N}]/u.test(text);
}

/** Tests if the rest of an answer names a value that the question does not, or a guessed one. */
function offers(text: string, answer: string, question: string): boolean {
  const asked = new Set(tokensOf(normaliseText(question)));
  const camels = new Set(tokensOf(answer).filter(isCamel).map(toLower));
  const isValue = (token: string) => CODED.test(token) || camels.has(token);
  if (tokensOf(text).some((token) => isValue(token) && !asked.has(token))) return true;
  return text.split(CLAUSE_END).some(isGuess);
}

function tokensOf(text: string): readonly string[] {
  return text.match(TOKEN) ?? [];
}

function isCamel(token: string): boolean {
  return CAMEL.test(token);
}

function toLower(token: string): string {
  return token.toLowerCase();
}

/** Tests if a clause has more than the word for a guess, and is not about the conversation itself. */
function isGuess(clause: string): boolean {
  if (clause.search(TALK) >= 0) return false;
  return spansOf(clause, GUESS).some(({ end }) => NAMING.test(clause.slice(end)));
}

function cuesOf(spaced: readonly string[], unspaced: readonly string[]): RegExp {
  const whole = `(?<![\\p{L}\\p{N}_])(?:${spaced.join('|')})(?![\\p{L}\\p{N}_])`;
  return new RegExp([whole, ...unspaced].join('|'), 'gu');
}
