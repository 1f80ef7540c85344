import { describe, expect, it } from 'vitest';
import { createWithoutRequest } from '../../../../src/simulator/summarizer/model/model-summarizer.ts';

const SAID =
  'Please mend "the login page" of C:\\new\\app:\n\tit says <b>no</b> & größer\u001b[0m ↯.';
const request = {
  system: 'You write summaries of conversations.',
  messages: [
    { role: 'user', content: `${SAID}\nIn /home/maria/app/login.ts, please.` },
    { role: 'assistant', content: 'Done.' },
  ],
} as const;
const without = createWithoutRequest(request, (text) => text.replaceAll('/home/maria', '~'));
const withoutMessage = (content: string) =>
  createWithoutRequest({ system: '', messages: [{ role: 'user', content }] }, (text) => text);
const json = (value: unknown) => JSON.stringify(value);
const escapedAll = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const pythonOf = (text: string) =>
  `'${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\u001b', '\\x1b')}'`;

describe('createWithoutRequest', () => {
  it.each<[string, string]>([
    ['as it is', SAID],
    ['as JSON', json(SAID)],
    ['as JSON in JSON', json(json({ input: SAID }))],
    ['as JSON without other alphabets', escapedAll(json(SAID))],
    ['as Python shows it, in JSON', json({ detail: pythonOf(SAID) })],
    [
      'in a page',
      SAID.replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;'),
    ],
  ])('takes out what was sent, %s', (_, quotedText) => {
    const left = without(`Bad input: ${quotedText}, which is wrong.`);
    expect(left).toMatch(/^Bad input: .{0,16}\[of the request\].{0,10}, which is wrong\.$/s);
  });

  it('takes out a part of a message, and a part of the system prompt', () => {
    expect(without('input_value="end the login page of C:\\\\new\\\\app" is too long')).toBe(
      'input_value="[of the request]" is too long',
    );
    expect(without('Got: summaries of conversations.')).toBe('Got: [of the request]');
  });

  it('leaves alone what is as short as words that anybody may use', () => {
    const text = 'Please mend your request: status 400, the login page of nobody.';
    expect(without(text)).toBe(text);
  });

  it.each<[message: string, text: string, left: string]>([
    ['Fix login!', 'Bad value "Fix login!", or none.', 'Bad value "[of the request]", or none.'],
    [
      'fix login',
      'Prefix login, fix logins and fix\\nlogin.',
      'Prefix login, fix logins and [of the request].',
    ],
    ['key: a7-b9', '["key: a7-b9"] is bad.', '["[of the request]"] is bad.'],
    ['key: a7-b9', '{"input":"say\\nkey: a7-b9"}', '{"input":"say\\n[of the request]"}'],
    ['secret12345', 'Got secret12345', 'Got [of the request]'],
    ['我的密码是小猫咪', '输入“我的密码是小猫咪”无效', '输入“[of the request]”无效'],
  ])('takes out a whole short message: %s', (content, text, left) => {
    expect(withoutMessage(content)(text)).toBe(left);
  });

  it.each<[what: string, message: string, text: string]>([
    ['of one word', 'Continue.', 'Expected "continue". Continue. Got another word.'],
    ['that is a number', '1.000.000', 'The limit is 1.000.000 tokens.'],
    ['of a few letters', 'Go on 1', 'Go on 1 is too short.'],
    ['that others are a part of', 'mend this', 'Amend this. Mend thistles. Recommend this.'],
  ])('leaves alone a message %s', (_, content, text) => {
    expect(withoutMessage(content)(text)).toBe(text);
  });

  it('knows what was sent also where something confidential stands in it', () => {
    expect(without('Got: In /home/maria/app/login.ts, please.')).toBe('Got: [of the request]');
    expect(without('Not /home/maria/b.')).toBe('Not ~/b.');
  });

  it('says once what has many parts of the request beside each other', () => {
    expect(without(`[${json(SAID)}, ${json(SAID)}]`)).toBe('["[of the request]"]');
  });

  it.each<[string, string, string]>([
    ['of one letter', 'a'.repeat(1_000_000), 'a'.repeat(100_000)],
    ['of one word', 'word '.repeat(200_000), 'word '.repeat(20_000)],
    ['with nothing in common', 'abc '.repeat(250_000), 'x1'.repeat(50_000)],
  ])('takes time in proportion for a text %s', (_, content, text) => {
    const large = createWithoutRequest(
      { system: '', messages: [{ role: 'user', content }] },
      (one) => one,
    );
    expect(large(text).length).toBeLessThanOrEqual(text.length);
  });

  it('takes time in proportion for many short messages', () => {
    const said = Array.from({ length: 50_000 }, (_, index) => `a small one ${index}`);
    const messages = said.map((content) => ({ role: 'user', content }) as const);
    const many = createWithoutRequest({ system: '', messages }, (one) => one);
    expect(many(`"${said.join('", "')}"`)).toMatch(/^"\[of the request\].{0,40}$/);
  });
});
