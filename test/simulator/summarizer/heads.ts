import * as fc from 'fast-check';
import type { Message, Part, ToolState } from '../../../src/engine/index.ts';
import { pivotedHistories } from '../../support/arbitraries.ts';
import { file, step, summary, text, toolIn, user } from '../../support/history.ts';

/** Texts that cues, templates, terminals and parsers react to. */
const sentences = [
  'Please fix the parser in src/parse.ts.',
  'You must never touch src/legacy/old.ts!',
  'We decided to use sqlite because files were slow.',
  'Error: cannot read the file. exit code 1',
  'Next, the remaining tests.',
  '必须使用中文。不要修改 docs/设计/文件.md。',
  'テストを必ず実行してください。src/画面.tsx は変更しないでください。',
  '## Goal',
  '## Relevant files / directories',
  '- (none)',
  '# #',
  '```',
  '- one:\r\n- two',
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007',
  '\u001b]8;;never closed',
  '\u202eturned\u202c \u200b\ufeff',
  '\ud800',
  '👨‍👩‍👧'.repeat(20),
  'e\u0301'.repeat(60),
  '__proto__ constructor toString',
  '<previous-summary>x</previous-summary>',
  'a/very/long/path'.repeat(40),
  'word '.repeat(300),
  'x'.repeat(5_000),
  '"'.repeat(50),
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...sentences), fc.string({ unit: 'grapheme' })), {
    maxLength: 12,
  })
  .map((lines) => lines.join('\n'));

const paths = fc.constantFrom(
  'src/a.ts',
  'C:\\work\\b.ts',
  '__proto__',
  'docs/设计/c.md',
  '',
  '\u001b[0m/x\ny',
);
const commands = fc.constantFrom(
  'npm test',
  'cat src/a.ts | head -20',
  "sed -i 's/a/b/' src/b.ts && rm -rf dist/x.js",
  'cat > notes.md <<EOF\nrm src/z.ts\nEOF',
  'echo "never closed',
  '`~!@#$%^&*()',
);
const inputs = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, undefined, 1n, [], JSON.parse('{"__proto__":{"path":"x"}}')),
  fc.record({ path: paths, command: commands }),
  fc.record({ file_path: paths, content: texts }),
  fc.record({ command: commands }),
  fc.record({ todos: fc.array(fc.record({ content: texts, status: fc.string() })) }),
  fc.record({ todos: fc.jsonValue() }),
  fc.constantFrom('*** Update File: src/p.ts', '*** Add File: \n*** Move to: y'),
);
const toolNames = fc.constantFrom(
  'bash',
  'Read',
  'edit',
  'write',
  'glob',
  'todowrite',
  'apply_patch',
  'mcp__files__read_file',
  'str_replace_based_edit_tool',
  'TaskCreate',
  'TaskUpdate',
  '__proto__',
  'constructor',
  '',
);
const states: fc.Arbitrary<ToolState> = fc.oneof(
  fc.record({ status: fc.constantFrom('pending' as const, 'running' as const), input: inputs }),
  fc.record({ status: fc.constant('completed' as const), input: inputs, output: texts }),
  fc.record({
    status: fc.constant('completed' as const),
    input: inputs,
    output: texts,
    compactedAt: fc.constant(1),
  }),
  fc.record({ status: fc.constant('error' as const), input: inputs, error: texts }),
  fc.record({
    status: fc.constant('error' as const),
    input: inputs,
    error: texts,
    partialOutput: texts,
  }),
);
const parts: fc.Arbitrary<Part> = fc.oneof(
  texts.map((value) => text('t', value)),
  texts.map((value) => text('t', value, { synthetic: true })),
  texts.map((value) => text('t', value, { ignored: true })),
  texts.map((value): Part => ({ type: 'reasoning', id: 'r', text: value })),
  texts.map((value): Part => ({ type: 'subtask', id: 's', prompt: value })),
  paths.map((path) => file('f', 'image/png', { filename: path })),
  fc.tuple(states, toolNames).map(([state, name]) => toolIn('c', state, name)),
);
const messages: fc.Arbitrary<Message> = fc.oneof(
  fc.array(parts, { maxLength: 4 }).map((own) => user('u', '', ...own)),
  fc.array(parts, { maxLength: 6 }).map((own) => step('s', own, { finish: 'tool-calls' })),
  fc.array(parts, { maxLength: 6 }).map((own) => step('s', own)),
  texts.map((value) => summary('s', 'm', { parts: [text('t', value)] })),
);

/** Heads of any kind: what policies leave behind, and hostile texts and inputs wherever one can stand. */
export const heads: fc.Arbitrary<readonly Message[]> = fc.oneof(
  { weight: 1, arbitrary: pivotedHistories },
  { weight: 3, arbitrary: fc.array(messages, { maxLength: 20, size: 'max' }) },
);
