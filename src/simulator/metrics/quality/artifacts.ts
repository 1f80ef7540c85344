import { groupBy } from '../../lib/collections.ts';
import type { FileOperation, PlantedFact } from '../../session/facts.ts';
import { shareOf } from '../metric.ts';
import { findValue, type Occurrence, type TextIndex } from './text-index.ts';
import { leadingCue, type NamedCue, nearestCue, STATE_CUES } from './todos.ts';
import { type Entity, normaliseValue } from './words.ts';

/** A file and its operation. */
export interface Artifact {
  readonly path: string;
  readonly operation: FileOperation;
}

/** A score of the file operations that a text reports. */
export interface ArtifactScore {
  /** Share of its statements that are true; null where it makes none, or nothing was done. */
  readonly precision: number | null;
  /** Share of the files whose operation it states; null where nothing was done. */
  readonly recall: number | null;
  /** `null` where nothing was done. */
  readonly f1: number | null;
}

interface ArtifactInput {
  /** Names in the text, each once. */
  readonly entities: readonly Entity[];
  /** In the order in which it was done. */
  readonly artifacts: readonly Artifact[];
}

/** Files to which something was done. */
interface Files {
  /** Normalised. */
  readonly paths: readonly string[];
  /** Each file with the one thing to know of it. */
  readonly toTell: readonly Artifact[];
  /** Tests if the operation was done to the path exactly as it stands. */
  readonly isSo: (told: Artifact) => boolean;
  /** Resolves the file that is meant: a path may lack its root, or have an unknown one. */
  readonly meant: (told: Artifact) => Artifact;
}

/** A planned or completed file operation in a list of tasks or changes. */
type FileTask = `to ${FileOperation}`;

/** The operation that nearby words report for a file: done, or planned; `none` if they say that nothing was done. */
type ToldOperation = FileOperation | FileTask | 'none';

/** Longest path in characters; longer texts are no file names. */
const LONGEST_PATH = 4_096;

/** Most folders of a path that may be shortened to its end; each costs a copy. */
const MOST_SEGMENTS = 64;

const NOT = "(?:not|never|\\w{2,8}n['’]t|cannot)";
const MODAL = '(?:must|should|shall|will|would|can|could|may|might|going to|about to)';
/** Precedes an operation that is not done yet, or must not be. */
const UNDONE = `(?:${NOT}|not to|${MODAL}|(?:needs?|ha(?:ve|s)|wants?|plans?|planned|planning|intends?|tr(?:y|ied|ying)|attempt(?:s|ed)?|fail(?:s|ed|ing|ure)?|unable|refus(?:es?|ed)|forg[eo]t|yet|supposed|asked) to|let['’]s)`;
const WITHOUT = '(?:avoid|instead of|rather than|without|against|fail(?:ed|s)?(?: at| in)?)';
const DO =
  '(?:create|add|write|edit|modify|update|change|fix|refactor|patch|delete|remove|drop|rename|move|read|view|inspect|touch)';
const DONE =
  '(?:created|added|written|edited|modified|updated|changed|fixed|refactored|patched|touched|deleted|removed|dropped|renamed|moved|read|viewed|inspected)';
const DOING =
  '(?:creating|adding|writing|editing|modifying|updating|changing|fixing|refactoring|deleting|removing|dropping|renaming|moving|reading)';
const SOME_WORDS = '(?: [\\w-]+){0,2}?';
const AND = '(?:,? (?:or|and)|,)';
const GERMAN = '(?:angelegt|erstellt|bearbeitet|geändert|gelöscht|umbenannt|gelesen)';
const RUSSIAN =
  '(?:создан|добавлен|измен[её]н|исправлен|удал[её]н|переименован|прочитан|просмотрен)';
const CHINESE =
  '(?:新建|创建|創建|新增|添加|修改|编辑|編輯|更新|编写|删除|刪除|移除|重命名|改名|移动|读取|阅读|閱讀|查看)';
const JAPANESE = '(?:作成|追加|編集|変更|修正|削除|リネーム|移動|確認|参照)';

/** Words for file operations, and Git's letters; longer ones take precedence over those they contain. */
const OPERATION_CUES: readonly NamedCue<ToldOperation>[] = [
  [
    'none',
    new RegExp(
      [
        '\\b(?:not|never)(?: been| yet)* (?:\\w+ed|read|written)\\b',
        `\\b${UNDONE}${SOME_WORDS} ${DO}(?:${AND} ${DO})*\\b`,
        `\\b(?:${MODAL}|to)${SOME_WORDS} (?:be|have been)(?: \\w+)? ${DONE}(?:${AND} ${DONE})*\\b`,
        `\\b${WITHOUT} ${DOING}\\b`,
        `\\b(?:muss|müssen|soll(?:te)?n?|wird|werden|darf|dürfen|nicht)(?: \\p{L}+){0,2}? ${GERMAN}(?!\\p{L})`,
        `(?<!\\p{L})(?:не|будет|должен быть)(?: был[аои]?)? ${RUSSIAN}`,
        `(?:不要|不得|不能|不可|不应|切勿|请勿|禁止|无法|尚未|还没有?|没有|并未|未|需要?|必须|应该?|计划|打算|准备|将[会要])[^，。；：\\s]{0,4}${CHINESE}`,
        `${JAPANESE}(?:し|する|でき|され|は|を|の)?[^、。：\\s]{0,6}?(?:ない|ません|なかった|禁止|不可|予定|必要|べき)`,
      ].join('|'),
      'gu',
    ),
  ],
  ['create', /\b(?:created|added|wrote|written)\b|\b(?:angelegt|erstellt)\b|создан|добавлен/gu],
  [
    'edit',
    /\b(?:edited|modified|updated|changed|fixed|refactored|patched)\b|\b(?:bearbeitet|geändert)\b|измен[её]н|исправлен|^ ?(?:[-*+] )?m(?= $)/gu,
  ],
  ['delete', /\b(?:deleted|removed|dropped)\b|\bgelöscht\b|удал[её]н|^ ?(?:[-*+] )?d(?= $)/gu],
  ['rename', /\b(?:renamed|moved)\b|\bumbenannt\b|переименован/gu],
  [
    'read',
    /\b(?:viewed|inspected|looked at|examined|reviewed)\b|\bgelesen\b|прочитан|просмотрен/gu,
  ],
  [
    'to create',
    /\b(?:creat(?:e|ing|ion)|adding|new files?|new)\b|新建|创建|創建|新增|添加|作成|追加/gu,
  ],
  [
    'to edit',
    /\b(?:edit(?:s|ing)?|modif(?:y|ying|ications?)|updat(?:e|ing)|chang(?:es|ing))\b|修改|编辑|編輯|更新|编写|編集|変更|修正/gu,
  ],
  ['to delete', /\b(?:delet(?:e|ing|ions?)|remov(?:e|ing))\b|删除|刪除|移除|削除/gu],
  ['to rename', /\b(?:renam(?:e|ing)|moving)\b|重命名|改名|移动|名前を変更|リネーム|移動/gu],
  ['to read', /\b(?:read|reading)\b|读取|阅读|閱讀|查看|读过|読み取り|読んだ|確認|参照/gu],
];

/** The operation of each completed task. */
const OPERATION_OF: Readonly<Record<FileTask, FileOperation>> = {
  'to create': 'create',
  'to edit': 'edit',
  'to delete': 'delete',
  'to rename': 'rename',
  'to read': 'read',
};

/** File operations that facts state. */
export function artifactsOf(facts: readonly PlantedFact[]): readonly Artifact[] {
  return facts.flatMap(({ kind, value, operation }) =>
    kind === 'path' && operation !== undefined ? [{ path: value, operation }] : [],
  );
}

/** Scores the file operations that a text reports. */
export function scoreArtifacts(
  index: TextIndex,
  { entities, artifacts }: ArtifactInput,
): ArtifactScore {
  if (artifacts.length === 0) return { precision: null, recall: null, f1: null };
  const files = createFiles(artifacts);
  const others = entities.flatMap(({ type, value }) =>
    type === 'path' && value.length <= LONGEST_PATH && !files.paths.includes(value) ? [value] : [],
  );
  const told = new Map(
    [...files.paths, ...others]
      .flatMap((path) => toldOf(index, files, path))
      .map((artifact) => [`${artifact.operation} ${artifact.path}`, artifact]),
  );
  const right = [...told.values()].filter(files.isSo).length;
  const kept = files.toTell.filter(({ path, operation }) => told.has(`${operation} ${path}`));
  const precision = shareOf(right, told.size);
  const recall = shareOf(kept.length, files.toTell.length);
  return { precision, recall, f1: harmonicMean(precision ?? 0, recall ?? 0) };
}

/** Indexes files by their operations, in order. */
function createFiles(artifacts: readonly Artifact[]): Files {
  const done = artifacts.map(({ path, ...rest }) => ({ path: normaliseValue(path), ...rest }));
  const byPath = groupBy(done, ({ path }) => path);
  const paths = [...byPath.keys()];
  const byEnding = groupBy(
    paths.flatMap((path) => endingsOf(path).map((ending) => ({ path, ending }))),
    ({ ending }) => ending,
  );
  const isSo = ({ path, operation }: Artifact) =>
    byPath.get(path)?.some((one) => one.operation === operation) === true;
  return {
    paths,
    toTell: [...byPath].map(([path, own]) => ({ path, operation: mainOf(own) })),
    isSo,
    meant: ({ path, operation }) => {
      const known = endingsOf(path).find((ending) => byPath.has(ending));
      const longer = byEnding.get(path)?.map((one) => one.path) ?? [];
      const all = [...(known === undefined ? [] : [known]), ...longer, path];
      const named = all.map((one) => ({ path: one, operation }));
      return named.find(isSo) ?? named[0] ?? { path, operation };
    },
  };
}

/** A path, and its ends without the first folder, the first two, and so on. */
function endingsOf(path: string): readonly string[] {
  const segments = path.split('/');
  if (segments.length > MOST_SEGMENTS) return [path];
  return segments.map((_, from) => segments.slice(from).join('/'));
}

function mainOf(artifacts: readonly Artifact[]): FileOperation {
  return artifacts.map(({ operation }) => operation).reduce(outweigh);
}

/** A change outweighs a look; a file that was made here stays so, unless it is gone. */
function outweigh(before: FileOperation, now: FileOperation): FileOperation {
  if (now === 'read') return before;
  if (now !== 'edit') return now;
  return before === 'create' || before === 'delete' ? 'create' : now;
}

/** The operations that a text reports for one file. */
function toldOf(index: TextIndex, files: Files, path: string): readonly Artifact[] {
  return findValue(index, path).flatMap((place) => {
    const operation = operationAt(index, place);
    return operation === undefined ? [] : [files.meant({ path, operation })];
  });
}

/** The operation that a text reports at a place; undefined for an open task. */
function operationAt(index: TextIndex, place: Occurrence): FileOperation | undefined {
  const told = nearestCue(index, place, OPERATION_CUES);
  if (told === undefined || told === 'none') return undefined;
  if (!isTask(told)) return told;
  const state = leadingCue(index, place, STATE_CUES);
  return state === 'pending' || state === 'cancelled' ? undefined : OPERATION_OF[told];
}

/** Tests if words may describe a task that is still open. */
function isTask(told: FileOperation | FileTask): told is FileTask {
  return told in OPERATION_OF;
}

function harmonicMean(a: number, b: number): number {
  return a + b === 0 ? 0 : (2 * a * b) / (a + b);
}
