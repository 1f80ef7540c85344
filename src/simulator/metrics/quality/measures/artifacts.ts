import type { FileOperation, PlantedFact } from '../../../session/facts.ts';
import { shareOf } from '../../metric.ts';
import type { Entity } from '../entities/entity.ts';
import { normaliseValue } from '../text/normalise.ts';
import { findValue, type TextIndex } from '../text/text-index.ts';
import { type NamedCue, nearestCue } from './nearest-cue.ts';

/** A file, and what was done to it. */
export interface Artifact {
  readonly path: string;
  readonly operation: FileOperation;
}

/** What a text tells of files, against what was done to them. */
export interface ArtifactScore {
  /** Share of what it tells that is so; `null` where it tells nothing. */
  readonly precision: number | null;
  /** Share of what was done that it tells; `null` where nothing was done. */
  readonly recall: number | null;
  /** `null` where nothing was done. */
  readonly f1: number | null;
}

const OPERATION_CUES: readonly NamedCue<FileOperation>[] = [
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

/** What facts say was done to files. */
export function artifactsOf(facts: readonly PlantedFact[]): readonly Artifact[] {
  return facts.flatMap(({ kind, value, operation }) =>
    kind === 'path' && operation !== undefined ? [{ path: value, operation }] : [],
  );
}

/** What a text is compared with. */
interface ArtifactInput {
  /** Names in the text, each once. */
  readonly entities: readonly Entity[];
  readonly artifacts: readonly Artifact[];
}

/** What a text tells of files, against what was done to them. */
export function scoreArtifacts(
  index: TextIndex,
  { entities, artifacts }: ArtifactInput,
): ArtifactScore {
  const truth = new Set(artifacts.map(({ path, operation }) => keyOf(path, operation)));
  const known = new Set(artifacts.map(({ path }) => normaliseValue(path)));
  const others = entities.flatMap(({ type, value }) =>
    type === 'path' && !isKnown(known, value) ? [value] : [],
  );
  const told = new Set([...known, ...others].flatMap((path) => toldOf(index, path)));
  const right = [...told].filter((key) => truth.has(key)).length;
  return {
    precision: shareOf(right, told.size),
    recall: shareOf(right, truth.size),
    f1: truth.size === 0 ? null : shareOf(2 * right, told.size + truth.size),
  };
}

/** What is told of one file. */
function toldOf(index: TextIndex, path: string): readonly string[] {
  return findValue(index, path).flatMap((place) => {
    const operation = nearestCue(index, place, OPERATION_CUES);
    return operation === undefined ? [] : [keyOf(path, operation)];
  });
}

/** Whether a path, or what it ends with, is one of some. */
function isKnown(known: ReadonlySet<string>, path: string): boolean {
  if (known.has(path)) return true;
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    if (known.has(path.slice(slash + 1))) return true;
  }
  return false;
}

function keyOf(path: string, operation: FileOperation): string {
  return `${operation} ${normaliseValue(path)}`;
}
