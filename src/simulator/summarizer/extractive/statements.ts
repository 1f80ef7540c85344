import { isSent, isSummary, type Message, type ToolPart } from '../../../engine/index.ts';
import { perKey, countEach } from '../../lib/collections.ts';
import { remembered } from '../../lib/text.ts';
import { visibleOutput } from '../../session/tool-calls.ts';
import { cue, DECISION, MILD_RULE, REASON, STRICT_RULE } from './cues.ts';
import { proseLines, splitSentences, toShortLine } from './head.ts';
import { findNames } from './mentions.ts';
import {
  BEFORE_HEAD,
  bySection,
  type BySection,
  type Item,
  type SectionName,
  WEIGHTS,
} from './template.ts';

/** A line with the names that it is about. */
interface Named {
  readonly line: Line;
  readonly names: readonly string[];
}

/** Statements of a head and of an earlier summary, weighed against each other. */
export interface Statements {
  /** Lines of the head that tie a name or a number to something, by the section in which they belong. */
  readonly found: BySection<readonly Item[]>;
  /** A line that the earlier summary carried, weighed as one of the head. */
  readonly weighCarried: (text: string) => Item;
  /** The penalty of a line for others that begin alike. */
  readonly penaltyOf: (text: string) => number;
}

/** The statement of a line, whoever wrote it. */
interface Said {
  readonly section: SectionName;
  readonly text: string;
  readonly topicWeight: number;
  readonly isHearsay: boolean;
  readonly key?: string;
}

/** The subject of a line. */
interface Topic {
  readonly pattern: RegExp;
  readonly section: SectionName;
  /** Added to the weight of a line on it. */
  readonly weight: number;
  /** A newer line that differs only in its names and numbers takes its place. */
  readonly isReplaced?: boolean;
}

/** A line or a sentence of a head. */
interface Line {
  readonly text: string;
  readonly source: 'user' | 'assistant' | 'tool';
  /** Index of the message. */
  readonly at: number;
}

const STATEMENT_CHARS = 300;
/** A name in at least this many lines does not distinguish one of them. */
const COMMON = 8;
/** More lines than that which begin alike are rows of a list, or a habit of speech. */
const ALIKE = 4;
/** The penalty for each doubling of lines that begin alike, and at most. */
const ALIKE_WEIGHT = 0.5;
const MOST_ALIKE_WEIGHT = 2;
const OPENING_CHARS = 80;
const OPENING_WORDS = 2;
/** Characters of an opening without blanks between its words. */
const SHORT_OPENING_CHARS = 5;
const NAME_LIKE = /[\w./-]*(?:[A-Z\d_./][\w./-]*){2,}/g;
/** Code, and rows of logs and listings. */
const NOT_PROSE =
  /[{}[(;,\\]$|^[}\])<>|@"'`]|=>|^(?:const|let|var|return|import|export|if|for|while|throw|await|type|def|class|fn)\s|^\d[\d:.,/T-]*\s|^-[rwx-]+\s|\w\(\w|^\w+\.\w+\(/;
/** Words between which names stand in prose. */
const PROSE =
  /(?<![\w./-])(?:the|an?|of|for|with|is|was|are|to|in|on|each|that|has|will|be|as|by|from|we|i|it|not|never|der|die|das|ist|und|wird|bei|mit|auf|zu|wir)(?![\w/-])|[\u0400-\u04ff]{2}|[\u3040-\u9fff]{2}/iu;
const SOURCE_WEIGHTS = { user: 0.5, assistant: 0.3, tool: 0 } as const;
const HEARSAY_WEIGHT = 1.5;
/** The weight of a statement of an earlier summary: it was chosen once before. */
const CARRIED_WEIGHT = 0.6;

const isNamingProse = remembered((text) => PROSE.test(text) && findNames(text).length > 0);

/** Prefixes of compiler and linter messages, which forbid nothing. */
const DIAGNOSTIC = /^\s*(?:warning|info|note|debug|warn|hint)\b/iu;

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

/** The state of a piece of work. */
const TASK_STATE = cue(
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

const FAULT = cue(
  ['error', 'failed', 'exception', 'code', 'errno', 'fatal', 'fehler'],
  ['(?<!\\p{L})(?:ошибк|код )|错误|錯誤|出错|异常|代码|エラー|コード|失敗'],
);

const COMMAND = cue(
  ['run', 'make', 'npm', 'pnpm', 'yarn', 'cargo', 'go', 'pytest', 'command', 'führe'],
  ['(?<!\\p{L})(?:запуска|проверк)|运行|執行|执行|命令|実行|コマンド'],
);

const REFERENCE = cue(
  ['ticket', 'issue', 'id', 'ref', 'renamed', 'deleted', 'key', 'version', 'umbenannt', 'gelöscht'],
  ['(?<!\\p{L})(?:тикет|удал[её]н|переименован)|工单|编号|版本|重命名|チケット|番号'],
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

/** Topics, the most telling first. */
const TOPICS: readonly Topic[] = [
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
const CORRECTION =
  /^(?:correction|corrected|update[d]?|once more|korrektur|noch einmal|исправление|ещё раз|更正|再说一遍|訂正|修正)\s*[:：,，]\s*/iu;

/** Hearsay, or a statement about something else. */
const HEARSAY =
  /\b(?:forum|blog|rumou?r|sister project|another project|everybody knows)\b|schwesterprojekt|wie jeder weiß|соседнего проекта|с форума|всем известно|论坛|姊妹|众所周知|掲示板|姉妹|周知/iu;

/** Remembered, for summaries carry lines on and on. */
const readSaid = remembered((text): Said => {
  const topic = TOPICS.find(({ pattern }) => pattern.test(text));
  const key = keyOf(text, topic);
  return {
    section: topic?.section ?? 'discoveries',
    text: toShortLine(text, STATEMENT_CHARS),
    topicWeight: topic?.weight ?? 0,
    isHearsay: HEARSAY.test(text),
    ...(key !== undefined && { key }),
  };
});

/** Instructions to the summarizer, which an output line must not give. */
const TO_SUMMARIZER = /summar(?:y|ies|i[sz]e)|zusammenfass|сводк|总结|總結|要約/iu;

/** The kind of a line by its words alone. Cached, because a session is summarised repeatedly. */
const kindOf = remembered((text) => ({
  isTold: PROSE.test(text),
  isOutput: NOT_PROSE.test(text) || TO_SUMMARIZER.test(text),
}));

const namesIn = remembered((line): readonly string[] => [
  ...new Set(findNames(line).map(({ text }) => text)),
]);

/** The beginning of a line, with names replaced. */
const openingOf = remembered((text): string => {
  const words = text.slice(0, OPENING_CHARS).replace(NAME_LIKE, '*').split(/\s+/);
  const opening = words.slice(0, OPENING_WORDS).join(' ');
  return /[\u3040-\u9fff]/.test(opening) ? opening.slice(0, SHORT_OPENING_CHARS) : opening;
});

/** Lines of an output that are read: of more, the first and the last. */
const FIRST_LINES = 1_500;
const LAST_LINES = 1_500;
/** A longer line of an output is data, not something that is said. */
const LONGEST_LINE = 400;
/** A number of a line with what sets it off, a mark of a comment or of a difference. */
const MARGIN =
  /^(?:[\w./~-]+\/[\w.-]+:\d+:)?\s*(?:\d+\s*(?:→|\||:)\s?)?(?:[+-](?=\s|\/\/|#))?\s*(?:\/\/+|\/\*+|#+|--|\*)?\s*/;
const LINE_END = /\r\n?|\n/;

const textsIn = perKey((part: Message['parts'][number]): readonly string[] => {
  if (part.type === 'tool') return outputLines(part);
  if (part.type !== 'text' || part.synthetic || part.ignored) return [];
  // Splitting is slow, and a sentence without a name is no statement.
  const named = proseLines(part.text).filter((line) => findNames(line).length > 0);
  return named.flatMap((line) => splitSentences(line)).map((text) => text.trim());
});

/** Finds the statements of a head, and rates the lines of an earlier summary beside them. */
export function findStatements(lines: readonly Line[], previous: readonly string[]): Statements {
  const named = lines.filter(isProse).flatMap(toNamed);
  const counts = countEach(named.flatMap(({ names }) => names));
  const openings = countEach(
    [...previous, ...named.map(({ line }) => line.text)].map((text) => openingOf(text)),
  );
  const penaltyOf = (text: string) => penaltyOfAlike(openings.get(openingOf(text)) ?? 1);
  const found = bySection<Item[]>(() => []);
  for (const { line, names } of named) {
    const rarest = Math.min(...names.map((name) => counts.get(name) ?? 1));
    if (rarest > COMMON) continue;
    const { section, item } = toStatement(line);
    found[section].push({ ...item, weight: item.weight + 1 / (1 + rarest) - penaltyOf(line.text) });
  }
  return { found, penaltyOf, weighCarried: (text) => weighCarried(text, penaltyOf(text)) };
}

/** Everything that was said in a head, by a person, a model or a tool, without what earlier summaries say. */
export function readLines(messages: readonly Message[]): readonly Line[] {
  return messages.flatMap((message, at) =>
    isSummary(message) || !isSent(message) ? [] : linesOf(message, at),
  );
}

function isProse({ text, source }: Line): boolean {
  const { isTold, isOutput } = kindOf(text);
  return isTold && !(source === 'tool' && isOutput);
}

function toNamed(line: Line): readonly Named[] {
  const names = namesIn(line.text);
  return names.length === 0 ? [] : [{ line, names }];
}

function penaltyOfAlike(alike: number): number {
  const doublings = Math.max(0, Math.log2(alike / ALIKE));
  return Math.min(MOST_ALIKE_WEIGHT, ALIKE_WEIGHT * doublings);
}

function toStatement({ text, source, at }: Line): { section: SectionName; item: Item } {
  const { section, topicWeight, isHearsay, ...said } = readSaid(text);
  const weight =
    WEIGHTS.useful + topicWeight + SOURCE_WEIGHTS[source] - (isHearsay ? HEARSAY_WEIGHT : 0);
  return { section, item: { weight, at, ...said } };
}

function weighCarried(text: string, penalty: number): Item {
  if (!isNamingProse(text)) {
    const weight = DECISION.test(text) ? WEIGHTS.important : WEIGHTS.useful;
    return { text, weight, at: BEFORE_HEAD };
  }
  const { item } = toStatement({ text, source: 'tool', at: BEFORE_HEAD });
  return { ...item, text, weight: item.weight + CARRIED_WEIGHT - penalty };
}

function linesOf({ role, parts }: Message, at: number): readonly Line[] {
  return parts.flatMap((part) => {
    const source = part.type === 'tool' ? 'tool' : role;
    return textsIn(part).map((text) => ({ text, source, at }));
  });
}

/** The key that a line shares with the one that replaces it: all but the value, or for a task all but its state. */
function keyOf(text: string, topic: Topic | undefined): string | undefined {
  const plain = text.replace(CORRECTION, '');
  if (topic?.pattern === TASK_STATE) return `task ${codesOf(plain)}`;
  if (topic?.isReplaced !== true) return undefined;
  return plain.replace(/[\w./-]*\d[\w./-]*/g, '*').toLowerCase();
}

function codesOf(text: string): string {
  return (
    findNames(text)
      .map(({ text: name }) => name)
      .join(' ') || text
  );
}

function outputLines(part: ToolPart): readonly string[] {
  return ends(visibleOutput(part).split(LINE_END))
    .filter((raw) => raw.length <= LONGEST_LINE)
    .map((raw) => raw.replace(MARGIN, '').trimEnd())
    .filter((text) => text !== '');
}

function ends(lines: readonly string[]): readonly string[] {
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines;
  return [...lines.slice(0, FIRST_LINES), ...lines.slice(-LAST_LINES)];
}
