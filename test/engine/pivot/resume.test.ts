import { describe, expect, it } from 'vitest';
import { policies, REFUSAL_NOTE, resumeTexts } from '../../../src/engine/index.ts';
import { continueMessage, replayPrompt } from '../../../src/engine/pivot/resume.ts';
import { frozen } from '../../../src/engine/frozen.ts';
import { file, text, user } from '../../support/history.ts';
import { testTools } from '../../support/tools.ts';

describe('replayPrompt', () => {
  it('is the prompt under new ids and a new time, its media as text', () => {
    const prompt = frozen(
      user(
        'u1',
        'look at this',
        text('t', 'from a program', { synthetic: true }),
        file('i', 'image/png', { filename: 'cat.png' }),
        file('c', 'text/csv', { filename: undefined }),
      ),
    );
    expect(replayPrompt(prompt, { wrapReplay: false }, testTools(9))).toEqual({
      id: 'message-5',
      role: 'user',
      createdAt: 9,
      parts: [
        text('part-1', 'look at this'),
        text('part-2', 'from a program', { synthetic: true }),
        text('part-3', '[Attached image/png: cat.png]'),
        file('part-4', 'text/csv', { filename: undefined, url: 'data:text/csv;base64,AA' }),
      ],
    });
  });
});

describe('replayPrompt, wrapped', () => {
  it('stands in a system reminder, text by text', () => {
    const prompt = user(
      'u1',
      'look',
      text('t', ''),
      file('i', 'image/png', { filename: 'cat.png' }),
      file('c', 'text/csv'),
    );
    expect(replayPrompt(prompt, { wrapReplay: true }, testTools()).parts).toEqual([
      text('part-1', '<system-reminder>\nlook\n</system-reminder>'),
      text('part-2', ''),
      text('part-3', '<system-reminder>\n[Attached image/png: cat.png]\n</system-reminder>'),
      file('part-4', 'text/csv', { filename: 'c.bin' }),
    ]);
  });
});

describe('continueMessage', () => {
  const opencode = policies['opencode-1.2.16'].resume;
  const document = policies['document-002'].resume;
  const plain = resumeTexts['v1.1.57'];

  it.each([
    ['asks to go on or to ask', opencode, false, plain],
    ['explains a refusal first', opencode, true, `${REFUSAL_NOTE}\n\n${plain}`],
    ['asks to go on', document, false, resumeTexts['v1.0.69']],
    ['explains nothing where the policy does not', document, true, resumeTexts['v1.0.69']],
  ])('%s', (...[, policy, afterRefusal, expected]) => {
    expect(continueMessage(policy, { afterRefusal, requestOf: () => '' }, testTools(9))).toEqual([
      {
        id: 'message-2',
        role: 'user',
        createdAt: 9,
        parts: [text('part-1', expected, { synthetic: true })],
      },
    ]);
  });

  it.each([
    ['no text', {}],
    ['the text `none`', { continueText: 'none' }],
  ] as const)('says nothing where the policy has %s', (_, texts) => {
    const { continueText: _text, ...rest } = opencode;
    const options = { afterRefusal: true, requestOf: () => '' };
    expect(continueMessage({ ...rest, ...texts }, options, testTools())).toEqual([]);
  });
});
