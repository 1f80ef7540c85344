/** Words that tell what a statement is about. */

import { cue, DECISION, MILD_RULE, REASON, STRICT_RULE } from './cues.ts';
import type { SectionName } from './template.ts';

/** What a line says something about. */
export interface Topic {
  readonly pattern: RegExp;
  readonly section: SectionName;
  /** Added to the weight of a line on it. */
  readonly weight: number;
  /** A newer line that differs only in its names and numbers takes its place. */
  readonly isReplaced?: boolean;
}

/** The state of a piece of work. */
export const TASK_STATE = cue(
  [
    'open',
    'in progress',
    'done',
    'cancell?ed',
    'to-?do',
    'pending',
    'finished',
    'task',
    'offen',
    'erledigt',
    'in arbeit',
    'abgebrochen',
    'aufgabe',
  ],
  [
    '(?<!\\p{L})(?:открыт|выполнен|отменен|отменён|в работе|задач)|待办|待辦|进行中|進行中|已?完成|已取消|任务|任務|未着手|対応中|完了|取り消し|作業',
  ],
);

const GOAL = cue(['goals?', 'objective', 'aim', 'ziel'], ['(?<!\\p{L})(?:цел[ьи])|目标|目標|目的']);
const LIKING = cue(
  ['like', 'prefer(?:red|s)?', 'favou?rite', 'style', 'convention', 'prefix', 'mag ich', 'präfix'],
  ['(?<!\\p{L})(?:нравится|префикс)|喜欢|喜歡|偏好|习惯|習慣|好み|好き|好む'],
);
const STATE = cue(
  [
    'so far',
    'reached',
    'currently',
    'as of',
    'status',
    'state',
    'checkpoint',
    'migration',
    'bisher',
  ],
  ['(?<!\\p{L})(?:на сегодня|миграци)|目前|现在|現在|当前|當前|进度|迁移|現時点|今のところ|まで進'],
);
const AGAINST = cue(
  [
    'against',
    'rejected',
    'ruled out',
    'discarded',
    'will not use',
    'dropped',
    '(?:uns|mich) gegen',
  ],
  ['(?<!\\p{L})(?:отказал|против)|不采用|不採用|放弃|否决|排除|採用しない|却下|見送'],
);
const SETTLED = cue(
  ['settled', 'agreed', 'will be', 'final', 'fest steht'],
  ['(?<!\\p{L})(?:решено)|定了|敲定|决定|決定|にします'],
);
const FAULT = cue(
  ['error', 'failed', 'exception', 'code', 'errno', 'fatal', 'fehler'],
  ['(?<!\\p{L})(?:ошибк|код )|错误|錯誤|出错|异常|代码|エラー|コード|失敗'],
);
const FIGURE = cue(
  [
    'quota',
    'limit',
    'set',
    'timeout',
    'port',
    'budget',
    'threshold',
    'max(?:imum)?',
    'bytes',
    'quote',
    'setze',
  ],
  ['(?<!\\p{L})(?:квот|байт)|配额|上限|设为|設為|限制|端口|字节|割当量|上限|バイト|設定'],
);
const COMMAND = cue(
  ['run', 'make', 'npm', 'pnpm', 'yarn', 'cargo', 'go', 'pytest', 'command', 'führe'],
  ['(?<!\\p{L})(?:запуска|проверк)|运行|執行|执行|命令|実行|コマンド'],
);
const PLACE = cue(
  [
    'home of',
    'function',
    'method',
    'class',
    'lives in',
    'located',
    'read',
    'edited',
    'created',
    'funktion',
    'gelesen',
    'bearbeitet',
    'angelegt',
  ],
  [
    '(?<!\\p{L})(?:функци|прочитан|измен[её]н|создан|лежит)|函数|方法|代码|在这里|查看|修改|新建|删除|関数|場所|編集|作成|削除|読んだ|リネーム',
  ],
);
const REFERENCE = cue(
  ['ticket', 'issue', 'id', 'ref', 'renamed', 'deleted', 'key', 'version', 'umbenannt', 'gelöscht'],
  ['(?<!\\p{L})(?:тикет|удал[её]н|переименован)|工单|编号|版本|重命名|チケット|番号'],
);

/** What a compiler or a checker says of the code; it forbids nothing. */
const DIAGNOSTIC = /^\s*(?:warning|info|note|debug|warn|hint)\b/iu;

/** Topics, the most telling first. */
export const TOPICS: readonly Topic[] = [
  { pattern: DIAGNOSTIC, section: 'discoveries', weight: 0 },
  { pattern: AGAINST, section: 'discoveries', weight: 1.5 },
  { pattern: SETTLED, section: 'discoveries', weight: 1.5, isReplaced: true },
  { pattern: STRICT_RULE, section: 'instructions', weight: 1.5 },
  { pattern: GOAL, section: 'goal', weight: 1.5 },
  { pattern: LIKING, section: 'instructions', weight: 1.2, isReplaced: true },
  { pattern: STATE, section: 'accomplished', weight: 1.2, isReplaced: true },
  { pattern: TASK_STATE, section: 'accomplished', weight: 1.2 },
  { pattern: DECISION, section: 'discoveries', weight: 1.2 },
  { pattern: FIGURE, section: 'discoveries', weight: 1, isReplaced: true },
  { pattern: REASON, section: 'discoveries', weight: 1 },
  { pattern: FAULT, section: 'discoveries', weight: 1 },
  { pattern: COMMAND, section: 'discoveries', weight: 1 },
  { pattern: REFERENCE, section: 'discoveries', weight: 1 },
  { pattern: PLACE, section: 'discoveries', weight: 1 },
  { pattern: MILD_RULE, section: 'instructions', weight: 0.8 },
];

/** Says that a newer line mends an older one. */
export const CORRECTION =
  /^(?:correction|corrected|update[d]?|once more|korrektur|noch einmal|исправление|ещё раз|更正|再说一遍|訂正|修正)\s*[:：,，]\s*/iu;
/** Speaks to whoever writes the summary: a line of an output has no business doing so. */
export const TO_SUMMARIZER = /summar(?:y|ies|i[sz]e)|zusammenfass|сводк|总结|總結|要約/iu;
/** Told by hearsay, or of something else. */
export const HEARSAY =
  /\b(?:forum|blog|rumou?r|sister project|another project|everybody knows)\b|schwesterprojekt|wie jeder weiß|соседнего проекта|с форума|всем известно|论坛|姊妹|众所周知|掲示板|姉妹|周知/iu;
