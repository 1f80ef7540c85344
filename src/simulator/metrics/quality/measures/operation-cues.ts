import type { FileOperation } from '../../../session/facts.ts';
import type { NamedCue } from './nearest-cue.ts';

/** What is to be done to a file, or was, as a list of tasks or of changes has it. */
type FileTask = `to ${FileOperation}`;

/** What words near a file say of it: what was done to it, or may have been; `none`: that nothing was. */
export type ToldOperation = FileOperation | FileTask | 'none';

const NOT = "(?:not|never|\\w{2,8}n['’]t|cannot)";
const MODAL = '(?:must|should|shall|will|would|can|could|may|might|going to|about to)';
/** Stands before what is not done yet, or is not to be. */
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

/**
 * Words that tell what was done to a file, and the letters by which Git does; a longer one counts before those that
 * it has in it.
 */
export const OPERATION_CUES: readonly NamedCue<ToldOperation>[] = [
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

/** What a task comes to once it is done. */
export const OPERATION_OF: Readonly<Record<FileTask, FileOperation>> = {
  'to create': 'create',
  'to edit': 'edit',
  'to delete': 'delete',
  'to rename': 'rename',
  'to read': 'read',
};

/** Whether words tell of what may as well be still to be done. */
export function isTask(told: FileOperation | FileTask): told is FileTask {
  return told in OPERATION_OF;
}
