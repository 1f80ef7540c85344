/** Words that say that something held before. */

import { cue } from './cue.ts';

/** What was done to a value that has become another one. */
const CHANGED =
  'chang(?:ed|es|ing)|updat(?:ed|es|ing)|(?:rais|increas|decreas|reduc|revis|mov|renam|migrat)(?:ed|ing)|(?:lower|bump|switch|correct)(?:ed|ing)';

const GIVEN_UP = '(?:dropped|dropping|abandoned|scrapped|ditched)';
/** Words of one sentence. */
const UP_TO_8 = '(?: [^ .;]{1,40}){0,8}?';

/** What stands behind it is what held before. */
export const PAST_BEFORE = cue(
  [
    '(?:was|were)(?= (?:\\w+ )?\\S*[\\d_/-])',
    'used to be',
    '(?:changed|up|down) from',
    'from(?= .{0,40} to )',
    '(?<=[(（])from',
    `from(?<=(?<!\\w)(?:${CHANGED})${UP_TO_8} to(?: \\S{1,80}){1,6}? from)`,
    'supersed(?:es|ing)',
    'replac(?:es|ing)',
    '(?:overrid|overrul|supplant|obsolet|deprecat|retir)(?:es|ing)|supplants',
    '(?:takes|taking|took) (?:the place of|over from)',
    '(?:instead|in place|in lieu) of',
    '(?:before|prior to) (?:that|this|it)|even earlier',
    'davor',
    'not',
    'von(?= .{0,40} auf )',
  ],
  [
    // Struck out in Markdown.
    '(?<![^\\s|(>:：])~~(?=[^\\s~][^~\\n]{0,80}~~)',
    '(?<!\\p{L})был[аои]? (?=\\S*[\\d_/-])',
    '(?<=(?<!\\p{L})(?:измен|смен|обновл|перевед|перен[её]с|повыш|сниж)\\p{L}*(?: [^ .;]{1,40}){0,4}? )с(?= .{0,40} на )',
    '[从由](?=[^，。；,;]{0,40}(?:改[为成]|变[为成]|更新为))',
    '覆盖(?!率)|顶替|(?:再|更)(?:之前|早)|それ以前|その前|上書き(?!され)|(?<!\\p{L})(?:до этого|заменяет|отменяет)(?!\\p{L})',
  ],
);

/** What stands before it is what held before. */
export const PAST_AFTER = cue(
  [
    '(?:superseded|replaced|overridden|overruled|supplanted|succeeded|followed) (?:by|with)',
    '(?:made|gave|given|giving) way (?:to|for)',
    'in favou?r of',
    `${GIVEN_UP} for`,
    'until then',
    '(?:ersetzt|wurde) durch',
    'durch(?= .{0,40} ersetzt)',
  ],
  [
    '->|→|⇒|=>',
    '(?<!\\p{L})замен[её]н\\p{L}*(?!\\p{L})',
    '[がは](?=[^。、]{0,40}に(?:置き換え|変更|更新|上書き)[らさ]れ)',
    '已被|被(?=[^，。；,;]{0,40}(?:取代|替换))|替换(?:为|成)',
    '(?:を|から)(?=[^。、]{0,40}[にへ](?:置き換え|変更|更新))',
  ],
);

/** What stands beside it is what held before. */
export const PAST_BESIDE = cue(
  [
    'previous(?:ly)?',
    'former(?:ly)?',
    'earlier',
    'old(?:er)?',
    'prior',
    '(?<!(?:as|than|like|never) )before(?= ?(?:[),.;:|]|$))',
    'originally',
    `${GIVEN_UP}(?! (?:for|in favou?r))`,
    'initially',
    'at first',
    '(?:superseded|replaced)(?! (?:by|with))',
    '(?:outdated|out[- ]of[- ]date|obsolete|deprecated|retired|discontinued|abolished|withdrawn|expired|invalid|legacy|stale)',
    "(?:no longer|not|n['’]t)(?: (?!yet|only)[a-z]+){0,3} any ?more",
    'no longer',
    'vorher',
    '(?:veraltet|überholt|abgeschafft|ungültig)',
    'ersetzt(?! durch)(?<!durch .{0,40} ersetzt)',
    'nicht mehr',
  ],
  [
    'früher|(?<!\\p{L})(?:раньше|ранее|прежде|устарел\\p{L}*|отмен[её]н\\p{L}*|больше не)(?!\\p{L})',
    '之前|原为|原為|原来|原來|原先|原本|旧|舊|曾|以前|先前|过去|過去|从前|作废|作廢|过时|過時|失效|停用|不再|(?:取代|替换)(?!为|成)(?<!被[^，。；,;]{0,40}..)',
    '以前|元は|元の|変更前|古い|かつて|廃止|非推奨|無効|もともと|当初|(?<![にへ])置き換え',
  ],
);

/** Between two values it says that the first held before the other. */
export const PAST_BETWEEN = cue(
  [
    '(?:and )?(?:then|later(?: on)?|afterwards|subsequently|eventually|finally|after (?:that|this|which))',
    '(?:became|becomes|(?:has|have|had) become|turned into|renamed(?! (?:from|to)))',
    `to(?<=(?<!\\w)(?:${CHANGED})${UP_TO_8} to)`,
    '(?:dann|danach|später|schließlich)',
  ],
  [
    '(?<!\\p{L})(?:затем|потом|позже|после этого)(?!\\p{L})',
    '后来|後來|然后|然後|之后|之後|随后|接着|その後|のちに|後に|次に',
  ],
);

/** What keeps a cue from any value. */
export const SENTENCE_BREAK = /[;；。！？]|[.!?]\s/u;

/** What keeps a cue from a value behind it. */
export const BREAK_AHEAD =
  /[,;、，；。！？)）]|[.!?]\s|(?<![\w-])(?:and|but|then|now|und|aber)(?![\w-])/u;

/** What keeps a cue from a value before it. */
export const BREAK_BACK =
  /[,;、，；。！？]|[.!?]\s|(?<![\w-])(?:and|but|then|now|und|aber)(?![\w-])/u;

/** The name of a column in which stands what held before. */
export const PAST_COLUMN =
  /^\W*(?:old|before|was|previous(?:ly)?|former(?:ly)?|prior|earlier|superseded|replaced|from|alt|vorher|früher|было|раньше|旧|舊|之前|原来|以前|変更前|旧値)(?: (?:values?|ones?|settings?|states?|wert))?[值値]?\W*$/u;

/** A heading below which stands nothing but what held before; what is only earlier may hold on. */
export const PAST_HEADING =
  /(?:^|[#:：] ?)(?:(?:superseded|obsolete|outdated|out[- ]of[- ]date|deprecated|replaced|stale|no longer (?:valid|current|true|used|in use))(?: \w+){0,2}|old|veraltet|überholt|ersetzt|устарело|заменено|已(?:废弃|作废|取代|替换)|过时|廃止|置き換え済み)\W*$|(?<!\w)(?:old|former|previous) (?:values?|settings?)\W*$/u;
