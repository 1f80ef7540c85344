import { describe, expect, it } from 'vitest';
import { cutLeft, shownText } from '../../../src/simulator/report/markup.ts';

describe('shownText', () => {
  it.each([
    ['plain text', 'a/b c.json', 'a/b c.json'],
    ['other scripts and joined signs', 'файл 文件 👩‍💻 می‌خواهم', 'файл 文件 👩‍💻 می‌خواهم'],
    ['an escape sequence', '\u001b[31m', '\\u001b[31m'],
    ['line ends', 'a\r\nb', 'a\\u000d\\u000ab'],
    ['an invisible tag', '\u{e0041}', '\\udb40\\udc41'],
    ['what is no character', 'a\uffffb\ufffe\u{1fffe}', 'a\\uffffb\\ufffe\\ud83f\\udffe'],
    ['colons inside', 'std::vector', 'std::vector'],
    ['colons in front', '  ::set-env', '  \\u003a:set-env'],
    ['a logging command', 'a ##[group]b', 'a ##\\u005bgroup]b'],
  ])('shows %s', (_, text, expected) => {
    expect(shownText(text)).toBe(expected);
  });
});

describe('cutLeft', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, '…cdef'],
    ['👩👩👩', 2, '…👩'],
    ['folder/other/file.json', 14, '…/file.json'],
    ['folder/other/file.json', 11, '…/file.json'],
    ['folder/other/file.json', 10, '…file.json'],
  ])('cuts %s to %i characters', (text, maxCharacters, expected) => {
    expect(cutLeft(text, maxCharacters)).toBe(expected);
  });
});
