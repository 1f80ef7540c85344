import { describe, expect, it } from 'vitest';
import {
  confidentialIn,
  createScrub,
  KEY_SHAPES,
} from '../../../src/simulator/summarizer/scrub.ts';

/** Pieces are joined here, so that no key stands in this file. */
const key = (...pieces: readonly string[]): string => pieces.join('');
const letters = (count: number): string => 'aB3dE6gH9j'.repeat(count).slice(0, count);
const hex = (count: number): string => '0123456789abcdef'.repeat(count).slice(0, count);

/** For each shape a key with the words around it, and words that are none. */
const CASES: Readonly<
  Record<keyof typeof KEY_SHAPES, readonly [before: string, key: string, none: string]>
> = {
  'OpenAI, Anthropic, Stripe': ['use ', key('sk-', 'ant-', letters(30)), 'a task-list-of-things'],
  'xAI, Groq, Hugging Face': ['use ', key('gsk', '_', letters(40)), 'gsk_a, a pattern-matcher'],
  Google: ['key=', key('AI', 'za', letters(35)), 'AIza is a prefix'],
  'AWS key id': ['id ', key('AS', 'IA', 'ABCDEFGHIJ234567'), 'ASIA and AFRICA'],
  'AWS secret': [
    'aws_secret_access_key = "',
    key(letters(20), '/', letters(19)),
    'aws_secret_access_key is unset',
  ],
  GitHub: ['token ', key('gh', 's_', letters(36)), 'ghs_x, a ghost-writer'],
  'GitHub, fine-grained': [
    '',
    key('github', '_pat_', letters(22), '_', letters(59)),
    'github_pat_',
  ],
  GitLab: ['', key('glp', 'at-', letters(20)), 'glob-patterns and glue-code'],
  Slack: ['', key('xo', 'xb-', '12345678901-', letters(24)), 'xoxb- is for bots'],
  'Slack webhook': [
    'https://hooks.slack.com/services/',
    key('T', letters(8), '/B', letters(8), '/', letters(24)),
    'https://hooks.slack.com/services/',
  ],
  SendGrid: ['', key('S', 'G.', letters(22), '.', letters(43)), 'SG.short.name'],
  Twilio: ['as ', key('S', 'K', hex(32)), 'SKU and ACCOUNT'],
  'Azure keys': [
    'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=',
    key(letters(43), '/', letters(42), '=='),
    'AccountKey=; AccountName=acme',
  ],
  'Azure signature': ['?sv=2024-05-04&sig=', key(letters(43), '%3D'), '?sig=none'],
  'Azure client secret': ['secret: ', key('aB3', '8Q', '~', letters(34)), 'Q~ and 8Q~'],
  npm: ['//registry.npmjs.org/:_authToken=', key('np', 'm_', letters(36)), 'npm_config_registry'],
  PyPI: ['password = ', key('py', 'pi-', 'AgEIcHlwaS5vcmc', letters(60)), 'pypi-server'],
  DigitalOcean: ['', key('do', 'p_v1_', hex(64)), 'dop_v1_test'],
  Bearer: ['Authorization: ', key('Bea', 'rer ', letters(20)), 'Bearer of news'],
  'JSON web token': ['', key('ey', 'J', letters(20), '.', letters(30), '.x'), 'eyJust'],
  PEM: [
    'as in\n',
    key('-----BEGIN RSA PRIV', 'ATE KEY-----\n', letters(64), '\n', letters(64)),
    '-----BEGIN CERTIFICATE-----',
  ],
};

describe('KEY_SHAPES', () => {
  it.each(Object.entries(CASES))('%s', (_, [before, secret, none]) => {
    const cut = createScrub({});
    expect(cut(before + secret)).toBe(`${before}[key]`);
    expect(cut(none)).toBe(none);
  });

  it('cut each of its keys without the help of another', () => {
    for (const [name, [before, secret]] of Object.entries(CASES)) {
      const shape = KEY_SHAPES[name as keyof typeof KEY_SHAPES];
      expect((before + secret).replaceAll(shape, '')).toBe(before);
    }
  });

  it('end a block at its end', () => {
    const block = key('-----BEGIN PRIV', 'ATE KEY-----\nabc\n-----END PRIV', 'ATE KEY-----');
    expect(createScrub({})(`before ${block} behind`)).toBe('before [key] behind');
  });
});

const scrub = createScrub({ secrets: ['hunter2-hunter2', 'abc'], homes: ['/data/maria', '/'] });

describe('createScrub', () => {
  it.each<[string, string]>([
    ['Incorrect API key provided: sk-proj-abcdef****wxyz.', 'Incorrect API key provided: [key]'],
    [`key1: ${letters(86)}==`, 'key1: [key]'],
    [`"integrity": "sha512-${letters(86)}=="`, `"integrity": "sha512-${letters(86)}=="`],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: [key]'],
    ['AIzaSyA1234567890abcdefghijklmno', '[key]'],
    ['the value is hunter2-hunter2!', 'the value is [removed]!'],
    ['open /home/maria/work/a.ts', 'open ~/work/a.ts'],
    ['open /Users/maria/work/a.ts', 'open ~/work/a.ts'],
    ['open "C:\\Users\\maria\\a.ts"', 'open "~\\a.ts"'],
    ['open "C:\\\\Users\\\\maria\\\\a.ts"', 'open "~\\\\a.ts"'],
    ['/root/.npmrc', '~/.npmrc'],
    ['open /data/maria/a.ts', 'open ~/a.ts'],
  ])('%s → %s', (given, expected) => {
    expect(scrub(given)).toBe(expected);
  });

  it.each(['abc', 'a task-list-of-things', 'src/home/page.ts', 'risk-based', '/usr/lib/node'])(
    'leaves %s alone',
    (given) => {
      expect(scrub(given)).toBe(given);
    },
  );
});

describe('confidentialIn', () => {
  it.each(['OPENAI_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'NPM_TOKEN', 'DB_PASSWORD', 'MY_LAB'])(
    'takes %s for a secret',
    (name) => {
      expect(confidentialIn({ [name]: 'value', PATH: '/bin' }, 'MY_LAB').secrets).toEqual([
        'value',
      ]);
    },
  );

  it('knows where a person lives', () => {
    const environment = { HOME: '/data/maria', USERPROFILE: 'D:\\maria', LANG: 'C' };
    expect(confidentialIn(environment, undefined)).toEqual({
      secrets: [],
      homes: ['/data/maria', 'D:\\maria'],
    });
  });
});
