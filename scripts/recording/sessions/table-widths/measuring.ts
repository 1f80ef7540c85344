import {
  act,
  answer,
  bash,
  edit,
  failing,
  grep,
  list,
  read,
  say,
  think,
  todos,
  turn,
  write,
} from '../../script.ts';
import { firstWidth, secondWidth, widthTests } from './contents.ts';

const TABLE = 'node_modules/cli-table3';

/** The complaint. */
export const complaining = turn(
  `任务看板在终端里对不齐：只要标题里有中文、日文或者表情符号，右边的竖线就歪了。请先找出原因，再改。

有三个限制，请一直记住：
1. 不要增加新的依赖；
2. 边框只用 ASCII 字符（+ - |）；
3. 不要改 data/tasks.json。`,
  [
    think(
      'The user writes Chinese; answer in Chinese. Three constraints: no new dependencies, ASCII border, data untouched. Look first.',
      todos({
        找出对不齐的原因: 'in_progress',
        '修复（不加依赖，ASCII 边框，不改数据）': 'pending',
        补上测试: 'pending',
      }),
      list('.'),
    ),
    act(
      read('src/table.js'),
      read('src/board.js'),
      read('data/tasks.json'),
      read('test/table.test.js'),
    ),
    act(bash('node src/main.js data/tasks.json')),
    say(
      `原因找到了，在 src/table.js：宽度用的是 \`length\`（第 4 行），补空格用的是 \`padEnd\`（第 12 行）。两者数的都是 UTF-16 单元，而终端里一个汉字占两列。

上面的输出里可以看到三种情况：

| 标题 | length | 终端列数 |
|---|---|---|
| 修复导入时的编码问题 | 10 | 20 |
| ﾊﾝｶｸ文字の幅を直す | 11 | 18 |
| リリース作業 🚀 の自動化 | 14 | 24 |

半角片假名是例外：看起来是日文，但只占一列。所以不能简单地“非 ASCII 就算两列”。要不要我先看看现成的库是怎么数的？`,
    ),
  ],
);

/** How libraries count. */
export const studying = turn(
  '好，cli-table3 和 string-width 就在 node_modules 里。只看，不要用，限制 1 仍然有效。看完告诉我哪些情况必须处理，哪些可以不管。',
  [
    act(
      read('node_modules/string-width/index.js'),
      read('node_modules/is-fullwidth-code-point/index.js'),
      read('node_modules/string-width/readme.md'),
    ),
    act(grep('strlen|stringWidth|\\.length|padEnd|truncate', `${TABLE}/src`)),
    act(read(`${TABLE}/src/utils.js`)),
    act(read(`${TABLE}/src/layout-manager.js`), read(`${TABLE}/src/cell.js`)),
    think(
      'string-width: strip ANSI, replace emoji by two spaces, skip control characters and U+0300–036F, fullwidth = 2. Try the hard cases: combining dakuten (U+3099), half-width dakuten U+FF9E, ZWJ sequences, variation selectors.',
      bash(`node --input-type=module <<'JS'
import stringWidth from 'string-width';
const cases = ['abc', '修复导入', 'ﾊﾝｶｸ', 'ﾃﾞｰﾀ', 'が', 'か\\u3099', '（第二版）', '“引号”', '키보드', 'Cafe\\u0301', '🚀', '👩‍💻', '❤️', '①', '…', '\\u200b'];
for (const text of cases) console.log(JSON.stringify(text).padEnd(14), 'length', text.length, 'width', stringWidth(text));
JS`),
    ),
    answer(
      'か + U+3099: string-width counts 4? Report from the run.',
      `string-width 的做法（4.2.3，index.js 一共 48 行）：去掉 ANSI 颜色码；表情符号整体换成两个空格；跳过控制字符；跳过 U+0300–U+036F 的组合符号；其余按 East Asian Width 表，全角算 2，别的算 1。

必须处理的：

1. **全角范围**：汉字、假名、谚文、全角标点。is-fullwidth-code-point 的表就是按 Unicode 的 EastAsianWidth 写的。
2. **半角片假名**（U+FF61–FF9F）：算 1，不在表里。
3. **组合符号**：\`e\` + U+0301 只占一列。string-width 只认 U+0300–036F，所以 \`か\` + U+3099（组合浊点）它会多算，见上面的输出。
4. **表情符号**：包括 ZWJ 序列，整体算 2。

可以不管的：“…”、“①”、弯引号这类“宽度不定”的字符，终端之间本来就不一致，两个库都按 1 算。

cli-table3 自己不数，一律交给 string-width（utils.js 的 \`strlen\`）。`,
    ),
  ],
);

/** A colleague asks in Japanese. */
export const asking = turn(
  '横から失礼します、健です。半角カナの濁点（ﾃﾞ のように2文字になるもの）は何列と数えるのが正しいですか。それから、絵文字の異体字セレクタ（U+FE0F）も気になります。実際に確かめてから、日本語で答えてください。コードはまだ変更しないでください。',
  [
    think(
      'Ken asks in Japanese, answer in Japanese. Half-width dakuten is its own half-width character, one column each: ﾃﾞ = 2 columns. But Intl.Segmenter joins ﾃ+ﾞ into one grapheme! That matters for an implementation by grapheme. Check.',
      bash(`node --input-type=module <<'JS'
const segments = (text) => [...new Intl.Segmenter('ja', { granularity: 'grapheme' }).segment(text)].map((part) => part.segment);
for (const text of ['ﾃﾞ', 'ﾊﾟ', 'か\\u3099', '❤', '❤\\uFE0F', '👩‍💻', '🇯🇵'])
  console.log(JSON.stringify(text).padEnd(12), [...text].length, 'code points,', segments(text).length, 'graphemes');
JS`),
    ),
    act(
      bash(
        `grep -c '' node_modules/emoji-regex/README.md; cut -c1-400 node_modules/emoji-regex/index.js | head -12`,
      ),
    ),
    act(read('node_modules/emoji-regex/README.md')),
    say(
      `健さん、確かめました。

- **半角濁点**：\`ﾃ\` と \`ﾞ\` はそれぞれ半角1列なので、\`ﾃﾞ\` は **2列** です。全角の \`デ\` と同じ幅になります。ただし上の結果のとおり、Intl.Segmenter は \`ﾃﾞ\` を1つの書記素として扱います。書記素ごとに数える実装では、ここで1列になってしまう恐れがあります。
- **結合濁点（U+3099）**：\`か\` + U+3099 は見た目1文字で **2列** です。string-width 4.2.3 は結合文字として U+0300–036F しか見ないため、多く数えます。
- **異体字セレクタ**：\`❤\` 単独は1列、\`❤️\`（U+FE0F つき）は絵文字として2列で表示する端末が多いです。

テストにはこの3つを入れるべきだと思います。コードは変更していません。`,
    ),
  ],
  { idleMinutes: 11 },
);

/** The own measure. */
export const measuring = turn(
  '谢谢健。那就写 src/width.js，自己实现，不用库；table.js 改成用它。测试里要有健说的那几种情况。',
  [
    act(write('src/width.js', firstWidth), write('test/width.test.js', widthTests)),
    act(bash('vitest run test/width.test.js', 1)),
    think(
      'Three fail: combining acute (5 instead of 4), rocket (1: outside BMP range), the ZWJ family. By grapheme then; but half-width dakuten joins: ﾃﾞ must be 2 while the grapheme is one. Count half-width marks apart: for a segment, sum code points unless marks. Write the second version first and see.',
      write('src/width.js', secondWidth),
      bash('vitest run test/width.test.js', 1),
    ),
    say(
      '现在只剩 ﾃﾞｰﾀ，正是健提醒的那一点：按字素数，半角浊点被并掉了。U+FF9E 和 U+FF9F 要各算一列。',
      failing(edit('src/width.js', '    width += WIDE.test(segment) ? 2 : 1;', '    width += 1;')),
      read('src/width.js'),
    ),
    act(
      edit(
        'src/width.js',
        '    width += WIDE.test(segment) || PICTURE.test(segment) ? 2 : 1;',
        `    width += WIDE.test(segment) || PICTURE.test(segment) ? 2 : 1;
    width += segment.match(HALF_WIDTH_MARKS)?.length ?? 0;`,
      ),
      edit(
        'src/width.js',
        'const graphemes =',
        '/** They join the kana before them, but take a column of their own. */\nconst HALF_WIDTH_MARKS = /(?<=[\\uFF66-\\uFF9D])[\\uFF9E\\uFF9F]/gu;\nconst graphemes =',
      ),
      bash('vitest run test/width.test.js'),
    ),
    act(
      edit(
        'src/table.js',
        '/** Rows of text as a table with an ASCII border. */',
        "import { padTo, widthOf } from './width.js';\n\n/** Rows of text as a table with an ASCII border. */",
      ),
      edit(
        'src/table.js',
        'Math.max(title.length, ...rows.map((row) => row[index].length)),',
        'Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index]))),',
      ),
      edit('src/table.js', 'text.padEnd(widths[index])', 'padTo(text, widths[index])'),
      bash('vitest run && node src/main.js data/tasks.json'),
    ),
    act(
      todos({
        找出对不齐的原因: 'completed',
        '修复（不加依赖，ASCII 边框，不改数据）': 'completed',
        补上测试: 'completed',
      }),
    ),
    say(
      `改好了，测试全部通过，竖线对齐了。三条限制都守住了：没有新依赖，边框还是 ASCII，数据没动。

src/width.js 按字素（Intl.Segmenter）数：全角和表情符号算 2，其余算 1，半角浊点、半浊点另加一列。第一版按码点数，被测试挡住了三处：组合重音、火箭、ZWJ 序列。`,
    ),
  ],
);
