/** The project of the session: a board of tasks with titles in several scripts. */
export const files = {
  'package.json': `{
  "name": "task-board",
  "private": true,
  "type": "module",
  "scripts": { "start": "node src/main.js data/tasks.json", "test": "vitest run" }
}
`,
  'vitest.config.js': `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { cache: false, fileParallelism: false, slowTestThreshold: 60_000 },
});
`,
  'data/tasks.json': `[
  { "id": 1, "title": "Fix the date parser", "owner": "mei", "state": "open" },
  { "id": 2, "title": "修复导入时的编码问题", "owner": "mei", "state": "open" },
  { "id": 3, "title": "ﾊﾝｶｸ文字の幅を直す", "owner": "ken", "state": "doing" },
  { "id": 4, "title": "Café-Liste prüfen", "owner": "ada", "state": "done" },
  { "id": 5, "title": "发布说明（第二版）", "owner": "mei", "state": "doing" },
  { "id": 6, "title": "リリース作業 🚀 の自動化", "owner": "ken", "state": "open" },
  { "id": 7, "title": "키보드 단축키 정리", "owner": "yun", "state": "done" }
]
`,
  'src/table.js': `/** Rows of text as a table with an ASCII border. */
export function renderTable(head, rows) {
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index].length)),
  );
  const line = \`+\${widths.map((width) => '-'.repeat(width + 2)).join('+')}+\`;
  const body = [head, ...rows].map((row) => renderRow(row, widths));
  return [line, body[0], line, ...body.slice(1), line].join('\\n');
}

function renderRow(row, widths) {
  return \`|\${row.map((text, index) => \` \${text.padEnd(widths[index])} \`).join('|')}|\`;
}
`,
  'src/board.js': `import { renderTable } from './table.js';

/** Tasks as a table, open ones first. */
export function renderBoard(tasks) {
  const order = ['open', 'doing', 'done'];
  const sorted = tasks.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  const rows = sorted.map((task) => [String(task.id), task.title, task.owner, task.state]);
  return renderTable(['id', 'title', 'owner', 'state'], rows);
}
`,
  'src/main.js': `import { readFileSync } from 'node:fs';
import { renderBoard } from './board.js';

const tasks = JSON.parse(readFileSync(process.argv[2], 'utf8'));
console.log(renderBoard(tasks));
`,
  'test/table.test.js': `import { expect, it } from 'vitest';
import { renderTable } from '../src/table.js';

it('draws a border around two columns', () => {
  expect(renderTable(['a', 'title'], [['1', 'x']])).toBe(
    ['+---+-------+', '| a | title |', '+---+-------+', '| 1 | x     |', '+---+-------+'].join('\\n'),
  );
});
`,
} satisfies Record<string, string>;
