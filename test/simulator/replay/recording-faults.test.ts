import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/engine/index.ts';
import {
  findGoneRules,
  findInvented,
  type RecordedTexts,
} from '../../../src/simulator/replay/recording-faults.ts';
import { step, text, tool, user } from '../../support/history.ts';

const said = (id: string, words: string): Message => user(id, text(`${id}-0`, words));
const answered = (id: string, words: string): Message => step(id, [text(`${id}-0`, words)]);

/** Two prompts with an answer each, a summary, and another two. */
const recorded = (
  texts: readonly [string, string, string, string],
  summary: string | undefined,
  changes: Partial<RecordedTexts> = {},
): RecordedTexts => {
  const [first, second, third, fourth] = texts;
  return {
    messages: [
      said('u1', first),
      answered('s1', 'Looking at the parser.'),
      said('u2', second),
      step('s2', [text('t2', 'Read it.'), tool('c2', 8)]),
      said('u3', third),
      answered('s3', fourth),
    ],
    recordedCompactions: [
      { kind: 'full', messageIndex: 4, ...(summary !== undefined && { summary }) },
    ],
    isPartial: false,
    ...changes,
  };
};

describe('findGoneRules', () => {
  const RULE = 'Never edit the generated bindings by hand.';
  const gone = { text: RULE, step: 1, goneStep: 2 };

  it.each<[string, RecordedTexts, readonly object[]]>([
    [
      'is in no later request',
      recorded([RULE, 'Fix the parser.', 'Go on.', 'Done.'], '1. Parser: fix the lexer.'),
      [gone],
    ],
    [
      'is said again',
      recorded(
        [RULE, 'Fix the parser.', 'I said: never edit generated bindings by hand!', 'Sorry.'],
        '1. Parser: fix the lexer.',
      ),
      [{ ...gone, againStep: 3 }],
    ],
    [
      'is in the summary in other words',
      recorded([RULE, 'Fix the parser.', 'Go on.', 'Done.'], '- Bindings are generated: no edits'),
      [],
    ],
    [
      'is known to the agent all the same',
      recorded(
        [
          RULE,
          'Fix the parser.',
          'Go on.',
          'I leave the generated bindings alone: no edit by hand.',
        ],
        '1. Parser.',
      ),
      [],
    ],
    [
      'came after the summary',
      recorded(['Hello.', 'Fix the parser.', RULE, 'Done.'], '1. Parser: fix the lexer.'),
      [],
    ],
    [
      'may be in a summary that is not recorded',
      recorded([RULE, 'Fix the parser.', 'Go on.', 'Done.'], undefined),
      [],
    ],
    [
      'is kept word for word',
      recorded([RULE, 'Fix the parser.', 'Go on.', 'Done.'], '1. Parser.', {
        recordedCompactions: [
          { kind: 'full', messageIndex: 4, firstKeptMessageIndex: 0, summary: '1. Parser.' },
        ],
      }),
      [],
    ],
    [
      'is in an alphabet without spaces',
      recorded(['不要修改生成的文件。', 'Fix it.', 'Go on.', 'Done.'], '1. Parser.'),
      [],
    ],
  ])('finds a rule that nothing carries: %s', (_, recording, expected) => {
    expect(findGoneRules(recording)).toEqual(expected);
  });
});

describe('findInvented', () => {
  const ASKED = ['Fix the parser.', 'Add tests of the lexer.', 'Go on.', 'Done.'] as const;
  const MADE_UP = 'Migrate billing to another payment vendor and notify customers';
  const inSection = (title: string, line: string) =>
    `1. Primary Request:\n   - Fix the parser\n${title}\n   - ${line}\n`;

  it.each<[string, RecordedTexts, readonly object[]]>([
    [
      'under what is pending',
      recorded(ASKED, inSection('7. Pending Tasks:', MADE_UP)),
      [{ text: MADE_UP, step: 2 }],
    ],
    [
      'as a next step',
      recorded(ASKED, inSection('## Next Steps', MADE_UP)),
      [{ text: MADE_UP, step: 2 }],
    ],
    [
      'as a numbered step',
      recorded(ASKED, `## Next Steps\n1. Fix the parser\n2. ${MADE_UP}\n`),
      [{ text: MADE_UP, step: 2 }],
    ],
    [
      'in prose',
      recorded(ASKED, `The user asked to ${MADE_UP}. It is done.`),
      [{ text: `The user asked to ${MADE_UP}. `, step: 2 }],
    ],
    ['not what was asked for', recorded(ASKED, inSection('7. Pending Tasks:', ASKED[1])), []],
    ['not elsewhere', recorded(ASKED, inSection('3. Files and Code:', MADE_UP)), []],
    [
      'not where the beginning is missing',
      recorded(ASKED, inSection('## Next Steps', MADE_UP), { isPartial: true }),
      [],
    ],
    [
      'not what the agent says to itself',
      recorded(
        ASKED,
        inSection(
          '## Next Steps',
          'Continue with whatever vendor billing migration customers notified',
        ),
      ),
      [],
    ],
  ])('finds a request that nobody made: %s', (_, recording, expected) => {
    expect(findInvented(recording)).toEqual(expected);
  });
});
