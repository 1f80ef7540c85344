/** Words that say that something held before. */

import { cue } from './cue.ts';

/** What stands behind it is what held before. */
export const PAST_BEFORE = cue(
  [
    '(?:was|were)(?= (?:\\w+ )?\\S*[\\d_/-])',
    'used to be',
    '(?:changed|up|down) from',
    'from(?= .{0,40} to )',
    'supersed(?:es|ing)',
    'replac(?:es|ing)',
    'instead of',
    'not',
    'von(?= .{0,40} auf )',
  ],
  [
    // Struck out in Markdown.
    '(?<![^\\s|(>:：])~~(?=[^\\s~][^~\\n]{0,80}~~)',
    '(?<!\\p{L})был[аои]? (?=\\S*[\\d_/-])',
    '从(?=[^，。；,;]{0,40}(?:改[为成]|变[为成]|更新为))',
  ],
);

/** What stands before it is what held before. */
export const PAST_AFTER = cue(
  [
    '(?:superseded|replaced) (?:by|with)',
    'until then',
    '(?:ersetzt|wurde) durch',
    'durch(?= .{0,40} ersetzt)',
  ],
  [
    '->|→|⇒|=>',
    '(?<!\\p{L})замен[её]н\\p{L}*(?!\\p{L})',
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
    'originally',
    'initially',
    'at first',
    '(?:superseded|replaced)(?! (?:by|with))',
    'outdated',
    'obsolete',
    'no longer',
    'stale',
    'vorher',
    'veraltet',
    'ersetzt(?! durch)(?<!durch .{0,40} ersetzt)',
    'nicht mehr',
  ],
  [
    'früher|(?<!\\p{L})(?:раньше|прежде|устарел\\p{L}*|больше не)(?!\\p{L})',
    '之前|原来|原來|原先|原本|旧|舊|曾|以前|先前|过去|過去|从前|作废|作廢|不再|(?:取代|替换)(?!为|成)(?<!被[^，。；,;]{0,40}..)',
    '以前|元は|元の|変更前|古い|かつて|廃止|もともと|当初|(?<![にへ])置き換え',
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
