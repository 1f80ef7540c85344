import { describe, expect, it } from 'vitest';
import { callMain } from '../support/command.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const RULE = 'Never edit the generated bindings by hand.';
const MADE_UP = 'Migrate billing to another payment vendor and notify customers';
const CARRIES = `1. Primary Request: fix the parser. ${RULE}\n7. Pending Tasks:\n   - Add tests of the parser`;

const HEALTHY = /^(?!.*(?:never compacts|came late|is in no request|asks for what))/;

type Line = (uuid: string, minute: number) => object;

const said =
  (content: string, changes: object = {}): Line =>
  () => ({ type: 'user', message: { role: 'user', content }, ...changes });
const answered =
  (tokens: number): Line =>
  (id) => ({
    type: 'assistant',
    message: {
      id: `message-${id}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'I read the parser and go on.' }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 4,
        cache_read_input_tokens: tokens - 1_004,
        cache_creation_input_tokens: 1_000,
        output_tokens: 50,
      },
    },
  });
const summarised = (preTokens: number, summary: string): readonly Line[] => [
  () => ({
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { trigger: 'auto', preTokens },
  }),
  said(summary, { isCompactSummary: true }),
];

/** A transcript of Claude Code in a folder of its own. */
function recorded(lines: readonly Line[]): string {
  const all = lines.map((line, index) => ({
    sessionId: 'one',
    version: '2.1.40',
    cwd: '/work/app',
    isSidechain: false,
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    timestamp: new Date(Date.UTC(2026, 0, 5, 9, index)).toISOString(),
    ...line(String(index), index),
  }));
  return writeFile(createFolder(), 'one.jsonl', all.map((one) => JSON.stringify(one)).join('\n'));
}

/** Two turns up to the edge at 167,000, a summary, and a third. */
const compacted = (summary: string, last = 'Go on.') => [
  said(`Fix the parser. ${RULE}`),
  answered(90_000),
  said('Add tests of the parser.'),
  answered(150_000),
  ...summarised(170_000, summary),
  said(last),
  answered(20_000),
];
const rising = (to: number) =>
  [100_000, 140_000, to, to, to, to].flatMap((tokens) => [said('Go on.'), answered(tokens)]);

describe('what is wrong with a recording', () => {
  it.each<[string, readonly Line[], readonly RegExp[]]>([
    [
      'a rule is in no later request',
      compacted('1. Primary Request: fix the parser.'),
      [
        /A rule of step 1 is in no request after step 2: “Never edit the generated bindings/,
        /Keep it in the system prompt/,
      ],
    ],
    [
      'a rule is said again',
      compacted(
        '1. Primary Request: fix the parser.',
        'Again: never edit generated bindings by hand!',
      ),
      [/after step 2, and was broken: it is said again at step 3: “Never edit/],
    ],
    [
      'a summary asks for what nobody asked for',
      compacted(`${CARRIES}\n   - ${MADE_UP}`),
      [
        /The summary after step 2 asks for what nobody asked for: “Migrate billing/,
        /Use another summarizer/,
      ],
    ],
    [
      'it never compacts',
      rising(185_000),
      [
        /It never compacts, although 4 of 6 steps are above the 167,000 tokens of its rule, up to 185,000/,
        /CLAUDE_CODE_AUTO_COMPACT_WINDOW/,
      ],
    ],
    [
      'it compacts far below its rule',
      [...rising(185_000), ...summarised(188_000, CARRIES), said('Go on.'), answered(20_000)],
      [/1 of 1 compaction came late, at 188,000 tokens, where its rule has 167,000/],
    ],
    ['nothing', compacted(CARRIES), [HEALTHY]],
    ['nothing yet', rising(160_000), [HEALTHY]],
  ])('is said first: %s', async (_, lines, expected) => {
    const file = recorded(lines);
    for (const command of [
      ['answer', file, '--all'],
      ['explain', file],
    ]) {
      const { stdout } = await callMain([...command, '-q']);
      const told = stdout.replaceAll(/\s+/g, ' ');
      for (const words of expected) expect(told).toMatch(words);
    }
  });
});
