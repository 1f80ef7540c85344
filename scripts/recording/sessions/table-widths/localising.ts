import { drawBars } from '../../picture.ts';
import {
  act,
  answer,
  bash,
  edit,
  glob,
  grep,
  read,
  say,
  think,
  todos,
  turn,
  write,
} from '../../script.ts';
import { boardTests, libraryTable, reader, readerTests } from './contents.ts';

const TABLE = 'node_modules/cli-table3';
const LOCALES = 'node_modules/zod/src/v4/locales';

/** The constraints change. */
export const changing = turn(
  `想法变了，请注意：组里讨论过，维护自己的宽度表不值得。限制 1 取消，可以用 cli-table3（它已经装了）；限制 2 也取消，边框改成它默认的 Unicode 线条。限制 3 不变，数据还是不能动。

请删掉 src/width.js 和它的测试，renderTable 的参数不变。`,
  [
    think(
      'Constraints 1 and 2 are lifted, 3 stays. renderTable(head, rows) keeps its signature. Read README and types before using it; default style colours the head red, must be turned off for pipes.',
      read(`${TABLE}/README.md`),
      read(`${TABLE}/index.d.ts`),
    ),
    act(
      bash('rm src/width.js test/width.test.js && ls src test'),
      write('src/table.js', libraryTable),
      bash('vitest run; node src/main.js data/tasks.json'),
    ),
    say(
      '旧测试比较的是 ASCII 边框，现在当然会失败；它检验的约定已经取消，所以换成新的：每一行的显示宽度相同，未完成的排在前面。',
      bash('rm test/table.test.js'),
      write('test/board.test.js', boardTests),
      bash('vitest run'),
    ),
    act(
      todos({
        '删除 src/width.js': 'completed',
        '改用 cli-table3，Unicode 边框': 'completed',
        '不改 data/tasks.json': 'completed',
      }),
      read(`${TABLE}/src/table.js`),
    ),
    say(
      `换好了，测试通过，data/tasks.json 没有动。

有两点要知道：cli-table3 默认给表头和边框上颜色，我用 \`style: { head: [], border: [] }\` 关掉了，否则输出到管道也带颜色码。另外它的 \`table.width\` 用的是第一行的 \`length\`（src/table.js 第 91 行），只有边框是单列字符时才对，不要用它来量正文。

健说的 \`か\` + U+3099 现在会多算两列，这是 string-width 4 的限制；数据里目前没有这种写法。`,
    ),
  ],
  { idleMinutes: 43 },
);

/** Messages in other languages. */
export const localising = turn(
  '下一步：读 tasks.json 时要检查内容，错误信息用中文，也可以选日文。zod 已经有各种语言，先看它的中文和日文文案，我想知道哪些句子会出现在我们这里。',
  [
    act(glob(`${LOCALES}/*.ts`)),
    act(read(`${LOCALES}/zh-CN.ts`), read(`${LOCALES}/ja.ts`)),
    act(read(`${LOCALES}/zh-TW.ts`), read(`${LOCALES}/ko.ts`)),
    think(
      'Which codes can our schema raise: invalid_type, too_small, too_big, invalid_value, unrecognized_keys. Compare across languages: one large grep over the four, then a wide one for consistency.',
      bash(
        `grep -n -A 9 'case "too_small"\\|case "invalid_value"\\|case "unrecognized_keys"' ${LOCALES}/zh-CN.ts ${LOCALES}/zh-TW.ts ${LOCALES}/ja.ts ${LOCALES}/ko.ts`,
      ),
    ),
    act(grep('case "too_(small|big)"', LOCALES)),
    say(
      `我们的数据可能触发的只有五种：\`invalid_type\`（类型不对）、\`too_small\` 和 \`too_big\`（编号、标题长度）、\`invalid_value\`（状态不在列表里）、\`unrecognized_keys\`（多余的字段）。

中文文案读起来没问题。要注意的是：单位会翻译（字符、项），但 \`too_small\` 里的类型是原样的 \`string\`、\`number\`；字段名和枚举值也不翻译，比如 \`owner\` 仍是英文。日文文案是「……必要があります」这样的敬体，和我们界面一致。`,
    ),
  ],
);

/** Writing the reader. */
export const reading = turn(
  '可以。写 src/reader.js：readTasks(text, language)，默认中文。测试用内联快照，把真实的句子写进去。',
  [
    act(write('src/reader.js', reader), write('test/reader.test.js', readerTests)),
    act(bash('vitest run test/reader.test.js', 1)),
    think(
      'Inline snapshots were empty on purpose and differ now: they must be filled with what came. Read what came, judge it, then update.',
      bash('vitest run test/reader.test.js --update'),
      read('test/reader.test.js'),
    ),
    act(
      edit(
        'src/main.js',
        "import { renderBoard } from './board.js';",
        "import { renderBoard } from './board.js';\nimport { readTasks } from './reader.js';",
      ),
      edit(
        'src/main.js',
        "const tasks = JSON.parse(readFileSync(process.argv[2], 'utf8'));\nconsole.log(renderBoard(tasks));",
        "const { tasks, problems } = readTasks(readFileSync(process.argv[2], 'utf8'), process.argv[3]);\nfor (const problem of problems) console.error(problem);\nif (problems.length === 0) console.log(renderBoard(tasks));\nelse process.exitCode = 1;",
      ),
      bash('vitest run && node src/main.js data/tasks.json'),
      bash(
        `echo '[{"id":"x","title":"","owner":"mei","state":"lost","due":1}]' > broken.json; node src/main.js broken.json; node src/main.js broken.json ja; rm broken.json`,
        0,
      ),
    ),
    say(
      `写好了。快照里的句子我逐条看过，确实是我们想要的，没有盲目更新。出错时逐行打印到 stderr，退出码 1；没有错误才画表格。

最后两次运行是同一份坏数据的中文和日文结果。可以看到 \`due\` 这种多余字段也会被指出来，因为用的是 \`strictObject\`。`,
    ),
  ],
  { idleMinutes: 3 },
);

/** A picture and a wide search. */
export const searching = turn(
  '这张图是上周各语言用户看到的错误条数（从左到右：en, zh-CN, ja, ko, zh-TW）。中文最多，主要是 too_small。请在 zod 的所有语言里搜一遍 too_small 和 too_big 的写法，看中文这两句和其他语言相比有没有漏掉单位或者方向。搜索结果可以很长，没关系。',
  [
    think(
      'Second bar highest = zh-CN. A wide grep with context over all locales; large output is fine.',
      bash(`grep -n -A 11 'case "too_big"' ${LOCALES}/*.ts | cut -d/ -f6-`),
    ),
    act(bash(`grep -n -A 13 'case "too_small"' ${LOCALES}/[a-f]*.ts | cut -d/ -f6-`)),
    act(
      bash(`node --input-type=module <<'JS'
import { z } from 'zod';
const schema = z.object({ title: z.string().min(2), tags: z.array(z.string()).max(1), id: z.int().positive() });
for (const name of ['en', 'zhCN', 'zhTW', 'ja', 'ko', 'de', 'fr']) {
  const { localeError } = z.locales[name]();
  const { issues } = schema.safeParse({ title: 'x', tags: ['a', 'b'], id: 0 }, { error: localeError }).error;
  console.log(name.padEnd(5), issues.map((issue) => issue.message).join(' / '));
}
JS`),
    ),
    answer(
      'Compare: zh-CN has direction (>=) and unit. For numbers without origin sizing: just value. So nothing missing.',
      `搜完了：too_big 看了全部六十多种语言，too_small 看了 a 到 f 开头的那些。结构都一样：有单位的（字符串、数组、文件……）写“方向 + 数字 + 单位”，数字则只写“方向 + 数字”。

中文两句**没有漏**：单位来自 \`Sizable\`（字符、字节、项），方向用 \`>=\`、\`<\` 这样的符号。差别在句首：英文只说 “Too small”，中文写成“**数值**过小”，对字符串和数组也这样说。读者看到“数值过小：期望 string >=2 字符”，会以为是数字的问题。我认为这就是用户看不懂的原因。

图里中文（第二根）最高，不一定是文案的错，也可能只是中文用户多；这一点我从这里看不出来。`,
    ),
  ],
  { image: drawBars('messages-by-language.png', [14, 30, 12, 5, 8]), idleMinutes: 18 },
);

/** Own wording. */
export const wording = turn(
  '同意，“数值过小”对标题来说很怪。只对 title 写自己的中文和日文句子，其他仍用 zod 的。',
  [
    act(
      read('src/reader.js'),
      grep('error\\?:|\\.min\\(', 'node_modules/zod/src/v4/classic/schemas.ts'),
    ),
    act(
      edit(
        'src/reader.js',
        `const task = z.strictObject({
  id: z.int().positive(),
  title: z.string().min(1).max(40),
  owner: z.string().min(1),
  state: z.enum(['open', 'doing', 'done']),
});

`,
        `const EMPTY_TITLE = { 'zh-CN': '标题不能为空', ja: 'タイトルを入力してください', en: 'The title is empty' };

function taskSchema(language) {
  return z.strictObject({
    id: z.int().positive(),
    title: z.string().min(1, { error: EMPTY_TITLE[language] }).max(40),
    owner: z.string().min(1),
    state: z.enum(['open', 'doing', 'done']),
  });
}

`,
      ),
      edit('src/reader.js', 'z.array(task).safeParse', 'z.array(taskSchema(language)).safeParse'),
      bash('vitest run test/reader.test.js', 1),
    ),
    act(bash('vitest run --update'), read('test/reader.test.js', 1, 30)),
    say(
      '改好了：标题为空时，中文是“标题不能为空”，日文是「タイトルを入力してください」，其余句子不变。两个快照各变了一行，正是这一行。',
    ),
  ],
);

/** The end, in Japanese. */
export const closing = turn(
  '最後に健です。引き継ぎのため、この作業のまとめを日本語でお願いします。制約が途中でどう変わったかも書いてください。最後にもう一度、全部のテストと実際の表示を確認してください。',
  [
    act(
      bash('vitest run --reporter=verbose && node src/main.js data/tasks.json'),
      read('src/table.js'),
      read('src/reader.js'),
    ),
    say(
      `まとめです。

**原因**：表の幅を \`length\` で数えていたため、全角文字と絵文字で右の罫線がずれていました。

**制約の変化**：
1. 最初は「依存を増やさない」「罫線は ASCII のみ」「data/tasks.json を変えない」の3つ。この条件で src/width.js を自作し、テストも通りました。
2. その後、1つ目と2つ目は取り消しになり、自作の幅計算は削除、cli-table3 と既定の Unicode 罫線に切り替えました。
3. 3つ目は最後まで有効で、データは一度も変更していません。

**追加**：src/reader.js（zod で検査、メッセージは中国語が既定、日本語と英語も可）。タイトルが空のときだけ独自の文です。

**残っていること**：結合濁点（U+3099）は string-width 4 が2列多く数えます。今のデータにはありません。日本語メッセージの文体は zod のままです。

テストはすべて通り、表示も揃っています。`,
    ),
  ],
  { idleMinutes: 8 },
);
