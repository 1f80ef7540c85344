import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  inlineScripts,
  readScript,
  readStyle,
} from '../../../../src/simulator/report/html/render-page.ts';

type Sources = Readonly<Record<string, string>>;

function inline(sources: Sources): string {
  return inlineScripts('boot.js', (name) => sources[name] ?? `throw new Error('No ${name}.');\n`);
}

/** What the scripts told, in their order. */
function toldBy(sources: Sources): readonly unknown[] {
  const told: unknown[] = [];
  runInNewContext(inline(sources), { tell: (value: unknown) => told.push(value) });
  return told;
}

describe('inlineScripts', () => {
  it.each<[string, Sources, readonly unknown[]]>([
    ['runs a script alone', { 'boot.js': 'tell(1);\n' }, [1]],
    [
      'runs what is imported first, and once',
      {
        'boot.js':
          "import { two } from './two.js';\nimport { one } from './one.js';\ntell(one + two);\n",
        'one.js': "tell('one');\nexport const one = 1;\n",
        'two.js': "import { one } from './one.js';\ntell('two');\nexport const two = one + 1;\n",
      },
      ['one', 'two', 3],
    ],
    [
      'lets names of one script be those of another',
      {
        'boot.js':
          "import { other } from './other.js';\nconst name = 'own';\ntell(name + other());\n",
        'other.js':
          "const name = 'other';\nfunction get() {\n  return name;\n}\nexport function other() {\n  return get();\n}\n",
      },
      ['ownother'],
    ],
    [
      'gives several names that are imported in several lines',
      {
        'boot.js': "import {\n  one,\n  two,\n} from './both.js';\ntell([one, two].join());\n",
        'both.js': 'export const one = 1;\nexport const two = 2;\n',
      },
      ['1,2'],
    ],
    [
      'gives asynchronous functions',
      {
        'boot.js': "import { later } from './later.js';\ntell(typeof later);\n",
        'later.js': 'export async function later() {}\n',
      },
      ['function'],
    ],
    [
      'keeps code that begins with a type',
      {
        'boot.js':
          '/** Says it. */\nconst value =\n  /** @type {number} */ (4);\n/**\n * Says it.\n * @param {number} one\n */\nfunction say(one) {\n  // It is said.\n  tell(one);\n}\nsay(value);\n',
      },
      [4],
    ],
  ])('%s', (_, sources, expected) => {
    expect(toldBy(sources)).toEqual(expected);
  });

  it('leaves out comments that have lines of their own, and empty lines', () => {
    const source =
      '/** One. */\n\nconst one = 1;\n\n/**\n * Two.\n */\nconst two = 2; // 2\n  // Three.\ntell(one * two);\n';
    expect(inline({ 'boot.js': source })).toBe(
      "const modules = {};\nmodules['boot.js'] = (() => {\nconst one = 1;\nconst two = 2; // 2\ntell(one * two);\nreturn {  };\n})();",
    );
  });
});

describe('the sources of the page', () => {
  it('hold nothing that ends what they stand in', () => {
    expect(readScript()).not.toMatch(/<\/?script|<!--/i);
    expect(readStyle()).not.toMatch(/<\/?style|@import|url\(/i);
  });

  it('leave no import or export behind', () => {
    expect(readScript()).not.toMatch(/^\s*(?:import|export)\b/m);
  });
});
