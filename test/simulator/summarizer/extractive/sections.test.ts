import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/engine/index.ts';
import { STRICT_RULE } from '../../../../src/simulator/summarizer/extractive/cues.ts';
import { readPreviousSummary } from '../../../../src/simulator/summarizer/extractive/sections.ts';
import { file, marker, step, summary, text, tool, toolIn, user } from '../../../support/history.ts';
import { calls, ends, fails, says, section, summarise } from './sections.ts';

const NONE = ['(none)'];
const bash = (command: string, output: string) => calls('bash', { command }, output);

it.each<[string, readonly string[]]>([
  ['I looked. I decided to use sqlite.', ['I decided to use sqlite.']],
  ['It is slow because of the disk. So what?', ['It is slow because of the disk.']],
  ['Maps instead of objects.', ['Maps instead of objects.']],
  ['The root cause: a race.', ['The root cause: a race.']],
  ['It turns out that the port 8080 is taken.', ['It turns out that the port 8080 is taken.']],
  ['The actual problem is the cache.', ['The actual problem is the cache.']],
  [
    'Reasons because of which:\n- it is slow\n- it leaks',
    ['Reasons because of which: it is slow', 'Reasons because of which: it leaks'],
  ],
  ['因为索引太旧，所以结果不对。好的。', ['因为索引太旧，所以结果不对。']],
  ['我决定改用 Map。', ['我决定改用 Map。']],
  ['Map を使うことに決定しました。終わり。', ['Map を使うことに決定しました。']],
  ['原因はキャッシュでした。', ['原因はキャッシュでした。']],
  ['Let me read it.', NONE],
])('of the answer %j the discoveries are %j', (answer, expected) => {
  expect(section('Discoveries', [user('u', 'Go.'), says(answer)])).toEqual(expected);
});

it.each<[string, Message, readonly string[]]>([
  [
    'a line of trouble with its command',
    bash('npm test', 'start\nTypeError: x is undefined\nend'),
    ['`npm test` failed: TypeError: x is undefined'],
  ],
  [
    'the first two and the last of many lines',
    bash('make', 'error: 1\nerror: 2\nerror: 3\nfine\nexit code 2'),
    ['`make` failed: error: 1 | error: 2 | exit code 2'],
  ],
  ['trouble in Chinese', bash('构建', '错误：找不到文件'), ['`构建` failed: 错误：找不到文件']],
  [
    'trouble in Japanese',
    bash('make', 'エラー: なし\nエラー: 失敗'),
    ['`make` failed: エラー: なし | エラー: 失敗'],
  ],
  [
    'no line that denies trouble',
    bash('npm test', '0 errors\n12 passed, 0 failed\nno errors found\nexit code 0'),
    NONE,
  ],
  [
    'nothing of a command that only looks',
    bash('git log | head -5 && cat src/error.ts', 'fix error'),
    NONE,
  ],
  [
    'something of a command that looks and writes',
    bash('cat a.txt > b.txt', 'cat: no such file'),
    ['`cat a.txt > b.txt` failed: cat: no such file'],
  ],
  [
    'nothing of a file that was read',
    calls('read', { path: 'src/error.ts' }, 'throw new Error()'),
    NONE,
  ],
  [
    'the message of a failed tool',
    fails('edit', { filePath: 'src/a.ts' }, '\n  old text is ambiguous\nsecond line'),
    ['edit src/a.ts failed: old text is ambiguous'],
  ],
  [
    'a failed look',
    fails('bash', { command: 'cat x.ts' }, 'timed out'),
    ['`cat x.ts` failed: timed out'],
  ],
  [
    'what an interrupted tool had printed',
    step('s', [
      toolIn('t', {
        status: 'error',
        input: { command: 'make' },
        error: 'aborted',
        partialOutput: 'fatal: disk',
      }),
    ]),
    ['`make` failed: fatal: disk'],
  ],
  [
    'nothing of an output that was cleared',
    step('s', [tool('t', 'Error: gone', { compactedAt: 1 })]),
    NONE,
  ],
  [
    'nothing of a call that is still running',
    step('s', [toolIn('t', { status: 'running', input: { command: 'make' } })]),
    NONE,
  ],
  [
    'a back-quote in a command as a quote',
    bash('echo `make`; make', 'error: x'),
    ["`echo 'make'; make` failed: error: x"],
  ],
  [
    'a script given as arguments',
    calls('shell', { command: ['bash', '-lc', 'npm test'] }, 'FAIL a.test.ts'),
    ['`npm test` failed: FAIL a.test.ts'],
  ],
])('a discovery is %s', (_, message, expected) => {
  expect(section('Discoveries', [user('u', 'Go.'), message])).toEqual(expected);
});

it('reads the beginning and the end of a huge output', () => {
  const quiet = 'quiet line\n'.repeat(2_000);
  const output = `error: at the start\n${quiet}error: in the middle\n${quiet}error: at the end`;
  expect(section('Discoveries', [bash('make', output)])).toEqual([
    '`make` failed: error: at the start | error: at the end',
  ]);
});

it('drops a failure first whose command went well later, however its output was cut', () => {
  const history = [
    user('u', 'Go.'),
    bash('npm test 2>&1 | tail -20', 'Error: mended by now and of no use to anybody'),
    bash('npm run lint', 'Error: still there and of use to anybody'),
    bash('npm test', 'all passed'),
    ends('Done.'),
  ];
  const kept = section('Discoveries', history, { outputCapTokens: 100 });
  expect(kept).toEqual(['`npm run lint` failed: Error: still there and of use to anybody']);
  expect(section('Discoveries', history)).toHaveLength(2);
});

const PATCH = '*** Begin Patch\n*** Update File: u.ts\n+x\n*** End Patch\n';

it.each<[string, unknown, readonly string[]]>([
  ['read', { filePath: 'src/a.ts' }, ['src/a.ts (read)']],
  ['Read', { file_path: '/home/x/a b.ts', limit: 3 }, ['/home/x/a b.ts (read)']],
  ['view', { path: 'C:\\x\\a.ts' }, ['C:\\x\\a.ts (read)']],
  ['cat', { path: 'Makefile' }, ['Makefile (read)']],
  ['read_file', { absolute_path: '/a.ts' }, ['/a.ts (read)']],
  ['mcp__files__read_file', { path: 'a.ts' }, ['a.ts (read)']],
  ['read_files', { files: [{ path: 'a.ts', start_line: 1 }] }, ['a.ts (read)']],
  [
    'read_files',
    { files: [{ path: 'a.ts' }, 7, { file_path: 'b.ts' }] },
    ['a.ts (read)', 'b.ts (read)'],
  ],
  ['read_many_files', { paths: ['a.ts', 'src/b.ts'] }, ['a.ts (read)', 'src/b.ts (read)']],
  ['read_many_files', { path: 'c.ts', paths: ['a.ts'] }, ['c.ts (read)']],
  ['read_files', { files: 'a.ts' }, NONE],
  ['editor', { path: 'a.ts', old_text: 'x', new_text: 'y' }, ['a.ts (edited)']],
  ['edit', { filePath: 'src/a.ts' }, ['src/a.ts (edited)']],
  ['MultiEdit', { file_path: 'a.ts' }, ['a.ts (edited)']],
  ['NotebookEdit', { notebook_path: 'a.ipynb' }, ['a.ipynb (edited)']],
  ['write', { filePath: 'a.ts', content: '' }, ['a.ts (created)']],
  ['write_to_file', { path: 'a.ts' }, ['a.ts (created)']],
  ['str_replace_based_edit_tool', { command: 'view', path: 'a.ts' }, ['a.ts (read)']],
  ['str_replace_based_edit_tool', { command: 'create', path: 'a.ts' }, ['a.ts (created)']],
  ['str_replace_based_edit_tool', { command: 'str_replace', path: 'a.ts' }, ['a.ts (edited)']],
  ['str_replace_editor', { command: 'insert', path: 'a.ts' }, ['a.ts (edited)']],
  ['str_replace_editor', { command: 'dance', path: 'a.ts' }, NONE],
  ['glob', { pattern: 'src/**/*.ts' }, ['src/**/*.ts (searched)']],
  ['Grep', { pattern: 'TODO', path: 'src' }, ['src (searched)']],
  ['grep', { pattern: 'TODO' }, NONE],
  [
    'apply_patch',
    {
      patchText:
        '*** Begin Patch\n*** Add File: n.ts\n+x\n*** Update File: u.ts\n*** Move to: m.ts\n*** Delete File: d.ts\n*** End Patch',
    },
    ['n.ts (created)', 'u.ts (edited)', 'm.ts (created)', 'd.ts (deleted)'],
  ],
  ['apply_patch', '*** Update File: u.ts', ['u.ts (edited)']],
  ['shell', { command: ['apply_patch', `${PATCH}+x > y.ts`] }, ['u.ts (edited)']],
  ['shell', { command: ['bash', '-lc', `apply_patch <<'E'\n${PATCH}E`] }, ['u.ts (edited)']],
  ['shell', { command: `apply_patch <<'E'\n${PATCH}E` }, ['u.ts (edited)']],
  ['shell', { command: ['apply_patch', 7] }, NONE],
  ['bash', { command: 'cat src/a.ts' }, ['src/a.ts (read)']],
  ['shell', { command: ['sh', '-c', 'rm src/a.ts'] }, ['src/a.ts (deleted)']],
  ['exec_command', { cmd: 'touch src/a.ts' }, ['src/a.ts (created)']],
  ['run_commands', { commands: ['cat a.ts', 'rm b.ts'] }, ['b.ts (deleted)', 'a.ts (read)']],
  ['run_commands', { commands: ['cat a.ts', 7] }, NONE],
  ['webfetch', { url: 'https://example.org/a.ts' }, NONE],
  ['read', {}, NONE],
  ['read', null, NONE],
  ['read', undefined, NONE],
  ['read', { path: 7 }, NONE],
  ['read', { path: '' }, NONE],
  ['read', JSON.parse('{"__proto__": {"path": "a.ts"}}'), NONE],
  ['constructor', { path: 'a.ts' }, NONE],
])('%s with %j: %j', (name, input, expected) => {
  expect(section('Relevant', [calls(name, input)])).toEqual(expected);
});

const read = (path: string) => calls('read', { path });
const edit = (path: string) => calls('edit', { path });
const write = (path: string) => calls('write', { path });

it.each<[string, readonly Message[], readonly string[]]>([
  ['a file that was read and edited is edited', [read('a'), edit('a'), read('a')], ['a (edited)']],
  ['a file that was made here stays created', [write('a'), edit('a'), write('a')], ['a (created)']],
  ['writing a file that was there is an edit', [read('a'), write('a')], ['a (edited)']],
  [
    'a file that was deleted is gone',
    [write('a'), calls('delete_file', { path: 'a' })],
    ['a (deleted)'],
  ],
  [
    'a file that came back is created',
    [calls('remove', { path: 'a' }), write('a')],
    ['a (created)'],
  ],
  [
    'a folder that was searched and then read is read',
    [calls('ls', { path: 'a' }), read('a')],
    ['a (read)'],
  ],
  [
    'changed files stand before read ones',
    [read('a'), edit('b'), calls('ls', { path: 'c' }), read('d')],
    ['b (edited)', 'a (read)', 'd (read)', 'c (searched)'],
  ],
  ['a file that was read twice is read', [read('a'), read('a')], ['a (read)']],
  [
    'a deleted file that was looked for stays deleted',
    [calls('remove', { path: 'a' }), read('a')],
    ['a (deleted)'],
  ],
  ['a path stands on one line', [read('a\n## Goal\u001b[31m')], ['a ## Goal (read)']],
  [
    'a step that is not sent touches nothing',
    [step('s', read('a').parts, { error: { name: 'APIError', message: 'x' } })],
    NONE,
  ],
  ['a failed call touches nothing', [fails('edit', { path: 'a.ts' }, 'x')], NONE],
  [
    'a call that never ended touches nothing',
    [step('s', [toolIn('t', { status: 'running', input: { path: 'a.ts' } }, 'write')])],
    NONE,
  ],
  [
    'an attached file is read',
    [user('u', '', file('f', 'image/png', { filename: 'shot.png' }))],
    ['shot.png (read)'],
  ],
  ['a path too long to be one is left out', [read(`${'a/'.repeat(200)}b.ts`)], NONE],
])('%s', (_, messages, expected) => {
  expect(section('Relevant', messages)).toEqual(expected);
});

it('never cuts a path, and keeps changed and newer ones longest', () => {
  const messages = [
    edit('src/changed/first.ts'),
    ...Array.from({ length: 50 }, (_, index) => read(`src/some/folder/file-${index}.ts`)),
  ];
  const kept = section('Relevant', messages, { outputCapTokens: 120 });
  expect(kept[0]).toBe('src/changed/first.ts (edited)');
  expect(kept.at(-1)).toBe('src/some/folder/file-49.ts (read)');
  for (const line of kept) expect(line).toMatch(/^src\/[a-z/]+(?:-\d+)?\.ts \((?:edited|read)\)$/);
});

it.each<[string, readonly Message[], readonly string[]]>([
  ['the first request', [user('u', 'Build a lexer.'), ends('Done.')], ['Build a lexer.']],
  [
    'every later request',
    [user('a', 'Build a lexer.'), ends('Done.'), user('b', 'Now a parser.')],
    ['Build a lexer.', 'Now a parser.'],
  ],
  ['the texts of one message together', [user('u', 'Build', 'a lexer.')], ['Build a lexer.']],
  [
    'nothing that a program wrote in their place',
    [user('u', 'Build it.', text('s', 'Remember the rules.', { synthetic: true }))],
    ['Build it.'],
  ],
  [
    'nothing that is never sent',
    [user('u', 'Build it.', text('s', 'A private note.', { ignored: true }))],
    ['Build it.'],
  ],
  [
    'a task for a sub-agent',
    [user('u', '', { type: 'subtask', id: 's', prompt: 'Look it up.' })],
    ['Look it up.'],
  ],
  [
    'no nods',
    [
      user('a', 'Build it.'),
      user('b', 'ok'),
      user('c', '继续。'),
      user('d', 'はい'),
      user('e', 'Go on!'),
    ],
    ['Build it.'],
  ],
  [
    'a nod with something to do',
    [user('a', 'Build it.'), user('b', 'ok, and test it')],
    ['Build it.', 'ok, and test it'],
  ],
  ['no marker', [user('a', 'Build it.'), marker('m')], ['Build it.']],
  [
    'the newest of what was asked twice',
    [user('a', 'Build it.'), user('b', 'Test it.'), user('c', 'build it')],
    ['Test it.', 'build it'],
  ],
  ['Chinese as it stands', [user('u', '请实现一个解析器。')], ['请实现一个解析器。']],
  ['Japanese as it stands', [user('u', 'パーサーを実装して。')], ['パーサーを実装して。']],
])('the goal is %s', (_, messages, expected) => {
  expect(section('Goal', messages)).toEqual(expected);
});

it('cuts a long request after a sentence, and the first one later than others', () => {
  const long = 'This is one sentence of it. '.repeat(100);
  const [first, second] = section('Goal', [user('a', `First: ${long}`), user('b', long)]);
  expect(first).toMatch(/^First: .* sentence of it\.…$/);
  expect(second).toMatch(/sentence of it\.…$/);
  expect([first!.length, second!.length].map((length) => Math.ceil(length / 100))).toEqual([6, 3]);
});

it('keeps the first and the newest request longest', () => {
  const requests = Array.from({ length: 30 }, (_, index) =>
    user(`u${index}`, `Request number ${index} of a rather long list of requests.`),
  );
  const kept = section('Goal', requests, { outputCapTokens: 150 });
  expect(kept.slice(0, 1)).toEqual(['Request number 0 of a rather long list of requests.']);
  expect(kept.slice(-1)).toEqual(['Request number 29 of a rather long list of requests.']);
  expect(kept.length).toBeLessThan(30);
});

it('takes any text where nobody asked for anything', () => {
  expect(
    section('Goal', [step('s', [{ type: 'reasoning', id: 'r', text: 'Hm, so be it.' }])]),
  ).toEqual(['Hm, so be it.']);
  expect(section('Goal', [])).toEqual(['(none)']);
});

it('never takes a failed summary for a request or an answer', () => {
  const failed = summary('s', 'm', { error: { name: 'APIError', message: 'overloaded' } });
  expect(section('Goal', [failed])).toEqual(['(none)']);
});

it.each<[string, readonly string[]]>([
  ['You must run the linter. It is fast.', ['You must run the linter.']],
  ['Never push to main!', ['Never push to main!']],
  ['Always answer in French.', ['Always answer in French.']],
  ['Do not add packages. Ever.', ['Do not add packages.']],
  ['Don’t rename src/App.Test.tsx.', ['Don’t rename src/App.Test.tsx.']],
  ['The test mustn’t sleep.', ['The test mustn’t sleep.']],
  ['Change only src/a.ts.', ['Change only src/a.ts.']],
  ['Please use tabs.', ['Please use tabs.']],
  ['I prefer short names.', ['I prefer short names.']],
  ['Avoid classes.', ['Avoid classes.']],
  ['Make sure that it builds.', ['Make sure that it builds.']],
  ['It should not take longer than 5 s.', ['It should not take longer than 5 s.']],
  ['1. use pnpm\n2. never use npm', ['never use npm']],
  ['Rules:\n- tabs, always\n- never classes', ['Rules: tabs, always', 'Rules: never classes']],
  [
    'Do not touch:\n- src/old.ts\n- src/older.ts',
    ['Do not touch: src/old.ts', 'Do not touch: src/older.ts'],
  ],
  ['代码必须有测试。随便写。', ['代码必须有测试。']],
  ['不要修改 src/a.ts。', ['不要修改 src/a.ts。']],
  ['请使用中文注释。', ['请使用中文注释。']],
  ['务必先备份！', ['务必先备份！']],
  ['先看一下，别删文件。', ['先看一下，别删文件。']],
  ['日本語で書いてください。次へ。', ['日本語で書いてください。']],
  ['このファイルは変更しないでください。', ['このファイルは変更しないでください。']],
  ['main には push しないで。', ['main には push しないで。']],
  ['テストは必ず実行する。', ['テストは必ず実行する。']],
  ['Fix the parser.', NONE],
  ["I don't know why it fails.", NONE],
  ['A read-only file, mustard and the nevermore.', NONE],
  ['特别好，识别别的文件。', NONE],
  ['```\nyou must not read this\n```', NONE],
  [
    '```\nsome code\n```\nNever mind the code. ``` You must.',
    ['Never mind the code.', '``` You must.'],
  ],
  ['```\nnever closed, but it must be read', ['never closed, but it must be read']],
])('of %j the instructions are %j', (request, expected) => {
  expect(section('Instructions', [user('u', request)])).toEqual(expected);
});

it('takes no instructions from the model', () => {
  expect(section('Instructions', [user('u', 'Hello.'), ends('You must wait.')])).toEqual(NONE);
});

it('keeps strict rules that programs hand on, and those of the user longer', () => {
  const handedOn = text('s', 'You must obey the linter. Use it if you like.', { synthetic: true });
  const messages = [user('u', 'Never touch the schema.', handedOn)];
  expect(section('Instructions', messages)).toEqual([
    'You must obey the linter.',
    'Never touch the schema.',
  ]);
  expect(section('Instructions', messages, { outputCapTokens: 50 })).toEqual([
    'Never touch the schema.',
  ]);
});

it('keeps strict rules longer than mild ones, and newer ones longer than older ones', () => {
  const rules = Array.from({ length: 20 }, (_, index) =>
    user(`u${index}`, `${index % 2 === 0 ? 'Never' : 'Avoid'} the thing of number ${index}.`),
  );
  const kept = section('Instructions', rules, { outputCapTokens: 110 });
  expect(kept).toContain('Never the thing of number 18.');
  expect(kept).not.toContain('Never the thing of number 0.');
  expect(kept.filter((line) => line.startsWith('Avoid'))).toEqual([]);
});

describe('STRICT_RULE', () => {
  it.each([
    ['必ず', true],
    ['してください', false],
    ['禁止', true],
    ['优先', false],
    ['shall', true],
    ['should', false],
  ])('%s: %s', (words, isStrict) => {
    expect(STRICT_RULE.test(words)).toBe(isStrict);
  });
});

const PREVIOUS = `## Goal
- Build a lexer.

## Instructions
- Never use regular expressions.

## Discoveries
- Tokens are slow because of copies.
- \`npm run lint\` failed: Error: x

## Accomplished
- Done: The scanner.
- Ran \`npm test\`: failed (Error: y)
- Open: write the docs
- In progress: Build a lexer.

## Relevant files / directories
- src/lexer.ts (created)
- src/token.ts (read)
- the whole of src/grammar`;

const head = (...messages: Parameters<typeof summarise>[0]) => [
  marker('m'),
  summary('s', 'm', { parts: [text('t', PREVIOUS)] }),
  user('c', text('c', 'Continue if you have next steps', { synthetic: true })),
  ...messages,
];

describe('a head that begins with a summary', () => {
  it('gives the same summary again if nothing was added', () => {
    const expected = PREVIOUS.replace(
      /- src\/lexer[^]*$/,
      '- the whole of src/grammar\n- src/lexer.ts (created)\n- src/token.ts (read)',
    );
    expect(summarise(head())).toBe(expected);
    expect(summarise([summary('s', 'm', { parts: [text('t', expected)] })])).toBe(expected);
  });

  it('adds what is new after what was there', () => {
    const messages = head(user('u', 'Add a parser. Always test it.'), says('Chose Pratt.'));
    expect(section('Goal', messages)).toEqual(['Build a lexer.', 'Add a parser. Always test it.']);
    expect(section('Instructions', messages)).toEqual([
      'Never use regular expressions.',
      'Always test it.',
    ]);
    expect(section('Discoveries', messages).at(-1)).toBe('Chose Pratt.');
  });

  it('says nothing twice', () => {
    const messages = head(user('u', 'Never use regular expressions!'));
    expect(section('Instructions', messages)).toEqual(['Never use regular expressions!']);
  });

  it('ends what was in progress when it is answered or something else is asked', () => {
    const [asked, answered] = [head(user('u', 'Stop.')), head(ends('Lexer done.'))];
    expect(section('Accomplished', asked)).not.toContain('In progress: Build a lexer.');
    expect(section('Accomplished', answered)).not.toContain('In progress: Build a lexer.');
    expect(section('Accomplished', head(says('Lexing.')))).toContain('In progress: Build a lexer.');
  });

  it('forgets what was open and what was changed where there is something newer', () => {
    const older = '## Accomplished\n- Open: write the docs\n- Changed: src/a.ts';
    const messages = [
      summary('s', 'm', { parts: [text('t', older)] }),
      calls('todowrite', { todos: [{ content: 'ship it', status: 'pending' }] }),
      calls('edit', { path: 'src/b.ts' }),
    ];
    expect(section('Accomplished', messages)).toEqual(['Changed: src/b.ts', 'Open: ship it']);
  });

  it('keeps what was open longer than what was done', () => {
    const done = Array.from({ length: 20 }, (_, index) => `- Done: step ${index} of the work`);
    const older = ['## Accomplished', '- Open: write the docs', ...done].join('\n');
    const messages = [summary('s', 'm', { parts: [text('t', older)] })];
    const kept = section('Accomplished', messages, { outputCapTokens: 80 });
    expect(kept).toContain('Open: write the docs');
    expect(kept.length).toBeLessThan(20);
  });

  it('replaces what was open by a newer list, and the outcome of a command by a newer one', () => {
    const messages = head(
      calls('todowrite', { todos: [{ content: 'write the docs', status: 'completed' }] }),
      calls('bash', { command: 'npm test' }, '9 passed'),
    );
    expect(section('Accomplished', messages)).toEqual([
      'Done: The scanner.',
      'Ran `npm test`: ok (9 passed)',
      'Done: write the docs',
    ]);
  });

  it('knows what became of its files', () => {
    const messages = head(
      calls('edit', { path: 'src/lexer.ts' }),
      calls('edit', { path: 'src/token.ts' }),
    );
    expect(section('Relevant', messages)).toEqual([
      'the whole of src/grammar',
      'src/lexer.ts (created)',
      'src/token.ts (edited)',
    ]);
  });

  it('drops its own items first when the cap bites, but for the first request', () => {
    const messages = head(user('u', 'Never stop the server while it is running in production.'));
    expect(section('Instructions', messages, { outputCapTokens: 70 })).toEqual([
      'Never stop the server while it is running in production.',
    ]);
    expect(section('Goal', messages, { outputCapTokens: 70 })).toContain('Build a lexer.');
  });

  it('reads the newest one of several, and none that failed', () => {
    const older = summary('o', 'm', { parts: [text('o', '## Goal\n- Older.')] });
    const newer = summary('n', 'm', { parts: [text('n', '## Goal\n- Newer.')] });
    const failed = { ...newer, error: { name: 'APIError', message: 'x' } };
    expect(section('Goal', [older, newer])).toEqual(['Newer.']);
    expect(section('Goal', [older, failed])).toEqual(['Older.']);
  });
});

it('reads the summary that the instruction quotes where the head holds none', () => {
  const prompt = `Update it.\n<previous-summary>\n${PREVIOUS}\n</previous-summary>`;
  expect(section('Goal', [user('u', 'Add a parser.')], { prompt })).toEqual([
    'Build a lexer.',
    'Add a parser.',
  ]);
});

describe('readPreviousSummary', () => {
  it('finds its way in other templates', () => {
    const other = [
      'Some words before.',
      '## Objective\n- a',
      '## Constraints & Preferences\n- b',
      '## Progress\n### Done\n- [x] c\n### In Progress\n* d\n### Blocked\n1. e',
      '## Key Decisions\n- f',
      '## Next Steps\n  - g',
      '## Relevant Files\n- h',
      '## Anything else\ni',
    ].join('\n\n');
    expect(readPreviousSummary(other)).toEqual({
      goal: ['a'],
      instructions: ['b'],
      discoveries: ['Some words before.', 'f', 'i'],
      accomplished: ['Done: [x] c', 'In progress: d', 'Open: e', 'Open: g'],
      files: ['h'],
      names: [],
    });
  });

  it('skips what stands for nothing', () => {
    const nothing = '## Goal\n- (none)\n- …\n-\n---\n\n## Instructions\n(none)';
    expect(Object.values(readPreviousSummary(nothing)).flat()).toEqual([]);
  });
});
