/** The first own measure of width: wide characters count twice. */
export const firstWidth = `const WIDE =
  /[\\u1100-\\u115F\\u2E80-\\u303E\\u3041-\\u33FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uA000-\\uA4C6\\uAC00-\\uD7A3\\uF900-\\uFAFF\\uFE30-\\uFE6B\\uFF01-\\uFF60\\uFFE0-\\uFFE6]/u;

/** Columns that a text takes in a terminal. */
export function widthOf(text) {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** The text filled up with spaces to a width. */
export function padTo(text, width) {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
`;

/** The own measure by grapheme: marks count nothing, pictures twice. */
export const secondWidth = `const WIDE =
  /[\\u1100-\\u115F\\u2E80-\\u303E\\u3041-\\u33FF\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uA000-\\uA4C6\\uAC00-\\uD7A3\\uF900-\\uFAFF\\uFE30-\\uFE6B\\uFF01-\\uFF60\\uFFE0-\\uFFE6]/u;
const PICTURE = /\\p{Emoji_Presentation}|\\p{Extended_Pictographic}\\uFE0F/u;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Columns that a text takes in a terminal. */
export function widthOf(text) {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += WIDE.test(segment) || PICTURE.test(segment) ? 2 : 1;
  }
  return width;
}

/** The text filled up with spaces to a width. */
export function padTo(text, width) {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
`;

/** Tests of the own measure. */
export const widthTests = `import { expect, it } from 'vitest';
import { padTo } from '../src/width.js';
import { widthOf } from '../../../../src/simulator/report/align-rows.ts';

it.each([
  ['abc', 3],
  ['修复导入', 8],
  ['ﾊﾝｶｸ', 4],
  ['（第二版）', 10],
  ['키보드', 6],
  ['Cafe\\u0301', 4],
  ['ﾃﾞｰﾀ', 4],
  ['🚀', 2],
  ['👩‍💻', 2],
  ['', 0],
])('%s takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

it('fills up by columns, not by characters', () => {
  expect(padTo('版', 4)).toBe('版  ');
});
`;

/** The table drawn by cli-table3. */
export const libraryTable = `import Table from 'cli-table3';

/** Rows of text as a table with a border. */
export function renderTable(head, rows) {
  const table = new Table({ head, style: { head: [], border: [] } });
  table.push(...rows);
  return table.toString();
}
`;

/** Tests of the drawn board. */
export const boardTests = `import { readFileSync } from 'node:fs';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { renderBoard } from '../src/board.js';

const tasks = JSON.parse(readFileSync('data/tasks.json', 'utf8'));

it('gives every line the same width', () => {
  const widths = renderBoard(tasks).split('\\n').map((line) => stringWidth(line));
  expect(new Set(widths).size).toBe(1);
});

it('shows open tasks first', () => {
  const ids = [...renderBoard(tasks).matchAll(/^│ (\\d)/gm)].map((match) => match[1]);
  expect(ids).toEqual(['1', '2', '6', '3', '5', '4', '7']);
});
`;

/** Reading tasks with messages in the user's language. */
export const reader = `import { z } from 'zod';

const task = z.strictObject({
  id: z.int().positive(),
  title: z.string().min(1).max(40),
  owner: z.string().min(1),
  state: z.enum(['open', 'doing', 'done']),
});

const LANGUAGES = { 'zh-CN': z.locales.zhCN, ja: z.locales.ja, en: z.locales.en };

/** The tasks of a text, or one line for each thing that is wrong with it. */
export function readTasks(text, language = 'zh-CN') {
  const { localeError } = LANGUAGES[language]();
  const result = z.array(task).safeParse(JSON.parse(text), { error: localeError });
  if (result.success) return { tasks: result.data, problems: [] };
  const problems = result.error.issues.map((issue) => \`\${issue.path.join('.')}: \${issue.message}\`);
  return { tasks: [], problems };
}
`;

/** Tests of the messages. */
export const readerTests = `import { expect, it } from 'vitest';
import { readTasks } from '../src/reader.js';

const broken = JSON.stringify([{ id: 0, title: '', owner: 'mei', state: 'lost' }]);

it('speaks Chinese by default', () => {
  expect(readTasks(broken).problems).toMatchInlineSnapshot(\`[]\`);
});

it('speaks Japanese when asked', () => {
  expect(readTasks(broken, 'ja').problems).toMatchInlineSnapshot(\`[]\`);
});

it('finds nothing wrong with a good list', () => {
  const good = JSON.stringify([{ id: 1, title: '修复', owner: 'mei', state: 'open' }]);
  expect(readTasks(good).problems).toEqual([]);
});
`;
