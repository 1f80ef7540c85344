import type { FileOperation, PlantedFact } from '../../../session/facts.ts';
import { shareOf } from '../../metric.ts';
import type { Entity } from '../entities/entity.ts';
import { findValue, type TextIndex } from '../text/text-index.ts';
import { type NamedCue, nearestCue } from './nearest-cue.ts';
import { createFiles, type Files } from './files.ts';

/** A file, and what was done to it. */
export interface Artifact {
  readonly path: string;
  readonly operation: FileOperation;
}

/** What a text tells of files, against what was done to them. */
export interface ArtifactScore {
  /** Share of what it tells that is so; `null` where it tells nothing, or nothing was done. */
  readonly precision: number | null;
  /** Share of the files with the one thing to know of each that it tells; `null` where nothing was done. */
  readonly recall: number | null;
  /** `null` where nothing was done. */
  readonly f1: number | null;
}

/** What a text is compared with. */
interface ArtifactInput {
  /** Names in the text, each once. */
  readonly entities: readonly Entity[];
  /** In the order in which it was done. */
  readonly artifacts: readonly Artifact[];
}

const OPERATION_CUES: readonly NamedCue<FileOperation | 'none'>[] = [
  ['none', /\b(?:not|never)(?: been| yet)* (?:\w+ed|read|written)\b/gu],
  [
    'create',
    /\b(?:creat(?:ed?|ing|ion)|added|adding|new files?|new|wrote|written)\b|\b(?:angelegt|erstellt)\b|создан|добавлен|新建|创建|創建|新增|添加|作成|追加/gu,
  ],
  [
    'edit',
    /\b(?:edit(?:ed|s|ing)?|modif(?:ied|y|ying|ications?)|updat(?:ed?|ing)|chang(?:ed?|es|ing)|fixed|refactored|patched)\b|\b(?:bearbeitet|geändert)\b|измен[её]н|исправлен|修改|编辑|編輯|更新|编写|編集|変更|修正/gu,
  ],
  [
    'delete',
    /\b(?:delet(?:ed?|ing|ions?)|remov(?:ed?|ing))\b|\bgelöscht\b|удал[её]н|删除|刪除|移除|削除/gu,
  ],
  [
    'rename',
    /\b(?:renam(?:ed?|ing)|moved|moving)\b|\bumbenannt\b|переименован|重命名|改名|移动|名前を変更|リネーム|移動/gu,
  ],
  [
    'read',
    /\b(?:read|reading|viewed|inspected|looked at|examined|reviewed)\b|\bgelesen\b|прочитан|просмотрен|读取|阅读|閱讀|查看|读过|読み取り|読んだ|確認|参照/gu,
  ],
];

/** Characters of a path; what is longer is the name of no file. */
const LONGEST_PATH = 4_096;

/** What facts say was done to files. */
export function artifactsOf(facts: readonly PlantedFact[]): readonly Artifact[] {
  return facts.flatMap(({ kind, value, operation }) =>
    kind === 'path' && operation !== undefined ? [{ path: value, operation }] : [],
  );
}

/** What a text tells of files, against what was done to them. */
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

/** What is told of one file. */
function toldOf(index: TextIndex, files: Files, path: string): readonly Artifact[] {
  return findValue(index, path).flatMap((place) => {
    const operation = nearestCue(index, place, OPERATION_CUES);
    return operation === undefined || operation === 'none'
      ? []
      : [files.meant({ path, operation })];
  });
}

function harmonicMean(a: number, b: number): number {
  return a + b === 0 ? 0 : (2 * a * b) / (a + b);
}
