import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import {
  type Catalog,
  findModel,
  findModelWithWindow,
  isSameModel,
  misspeltModel,
  readCatalog,
} from '../../../src/simulator/provider/catalog.ts';
import { createProfile, type ModelProfile } from '../../../src/simulator/provider/model-profile.ts';

const withModel = (model: string) => `{"acme":{"models":{"m-1":${model}}}}`;

/** Catalog files that are none: without objects or models, and with a wrong field of a model. */
const BROKEN: readonly string[] = [
  '[]',
  'null',
  '{}',
  '{"acme":{"models":{}}}',
  '{"acme":{"models":[]}}',
  '{"acme":{}}',
  ...[
    '{"limit":{"context":"200k"}}',
    '{"limit":{"output":1}}',
    '{"limit":{"context":0.5}}',
    '{"limit":{"context":-1}}',
    '{"cost":{"input":-1,"output":1}}',
    '{"cost":{"input":1,"output":1,"tiers":[{"tier":{},"input":1,"output":1}]}}',
    '{"cost":{"input":1}}',
    '7',
    '{"name":["\\u001b"]}',
  ].map(withModel),
];

/** Models of a catalog: without limits, with few prices and free ones, with decimals beyond a price, with keys that nobody knows. */
const MODELS: readonly string[] = [
  '{}',
  '{"limit":{"context":100,"input":80,"output":20}}',
  '{"cost":{"input":1,"output":2}}',
  '{"cost":{"input":0,"output":0,"cache_read":0}}',
  '{"cost":{"input":0.075,"output":0.0025,"cache_read":0.0000014,"cache_write":0.0000005}}',
  '{"name":"M","tiers":[1],"limit":{"context":5,"image":1},"release_date":null}',
];

describe('catalog', () => {
  const SHIPPED = join(import.meta.dirname, '../../../catalog/models.json');

  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function fileOf(text: string): string {
    const file = join(folder, 'models.json');
    writeFileSync(file, text);
    return file;
  }

  /** A catalog file with one model of those fields. */
  function fileWith(model: string): string {
    return fileOf(withModel(model));
  }

  /** What of a profile stands in the catalog. */
  function factsOf(profile: ModelProfile | undefined) {
    if (!profile) return undefined;
    const { id, name, limits, prices } = profile;
    return { id, name, limits, ...(prices && { prices }) };
  }

  function complaintOf(file: string): string {
    try {
      readCatalog(file);
    } catch (error) {
      if (error instanceof HarnessError) return `${error.code}: ${error.message}`;
      throw error;
    }
    return 'none';
  }

  describe('readCatalog', () => {
    it('reads the shipped catalog when no file is given', () => {
      const catalog = readCatalog();
      expect(catalog.source).toBe('shipped');
      expect(catalog.hash).toMatch(/^[0-9a-f]{16}$/);
      expect(factsOf(catalog.models.get('anthropic/claude-3-haiku-20240307'))).toEqual({
        id: 'anthropic/claude-3-haiku-20240307',
        name: 'Claude Haiku 3',
        limits: { contextTokens: 200_000, outputTokens: 4_096 },
        prices: {
          inputPicoUsd: 250_000,
          outputPicoUsd: 1_250_000,
          cacheReadPicoUsd: 30_000,
          cacheWritePicoUsd: 300_000,
          tiers: [],
        },
      });
    });

    it('has every shipped model under its provider and id, with whole prices', () => {
      for (const [id, { limits, prices }] of readCatalog().models) {
        expect(id).toMatch(/^[a-z]+\/./);
        expect(limits.contextTokens).toBeGreaterThan(0);
        const { tiers = [], ...base } = prices ?? {};
        for (const price of [base, ...tiers].flatMap((held) => Object.values(held)))
          expect(price).toSatisfy(Number.isSafeInteger);
      }
    });

    it('reads limits and prices, what it does not know left out', async () => {
      const told = MODELS.map((model) => {
        const facts = factsOf(readCatalog(fileWith(model)).models.get('acme/m-1'));
        return `${model}\n${JSON.stringify(facts)}\n`;
      });
      await expect(told.join('\n')).toMatchFileSnapshot(
        '../../fixtures/snapshots/catalog-models.txt',
      );
    });

    it('takes __proto__ for a provider and a model like any other', () => {
      const { models } = readCatalog(fileOf('{"__proto__":{"models":{"__proto__":{}}}}'));
      expect([...models.keys()]).toEqual(['__proto__/__proto__']);
    });

    it('has the same hash for the same content, however it is laid out', () => {
      const text = readFileSync(SHIPPED, 'utf8');
      const reversed = Object.fromEntries(
        Object.entries(JSON.parse(text) as Record<string, unknown>).toReversed(),
      );
      expect(readCatalog(fileOf(JSON.stringify(reversed))).hash).toBe(readCatalog().hash);
    });

    it('has another hash for another price', () => {
      const { hash } = readCatalog(fileWith('{"cost":{"input":1,"output":1}}'));
      expect(readCatalog(fileWith('{"cost":{"input":2,"output":1}}')).hash).not.toBe(hash);
    });

    it.each([
      ['models', 'Unexpected token'],
      ['{"acme":', "Unexpected end of JSON input'."],
    ])('refuses what is no JSON: %s', (text, complaint) => {
      expect(complaintOf(fileOf(text))).toContain(`but it is not JSON: '${complaint}`);
    });

    it('names the file and the field, and says what came instead', async () => {
      const told = BROKEN.map((text) => `${text}\n${complaintOf(fileOf(text))}\n`);
      const shown = told.join('\n').replaceAll(folder, 'FOLDER');
      await expect(shown).toMatchFileSnapshot('../../fixtures/snapshots/catalogs.txt');
    });

    it('names the line of a syntax error', () => {
      expect(complaintOf(fileOf('{\n"acme": {\n}\n]'))).toMatch(/' in line 4\.$/);
      expect(complaintOf(fileOf('{\n"acme": {}\n"b": {}\n}\n'))).toMatch(/' in line 3\.$/);
    });

    it('shows five wrong fields and counts the rest', () => {
      const models = Array.from({ length: 7 }, (_, i) => `"m${i}":${i}`).join(',');
      const complaint = complaintOf(fileOf(`{"acme":{"models":{${models}}}}`));
      expect(complaint.match(/\n {2}at /g)).toHaveLength(5);
      expect(complaint).toMatch(/\n {2}… and 2 more\.$/);
    });

    it('repeats nothing that a terminal obeys', () => {
      const file = fileOf('{"\\u001b[2J":{"models":{"\\u009b":{"limit":{"context":"\\u001b"}}}}}');
      expect(complaintOf(file).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    });

    it.each<[what: string, path: () => string, complaint: string]>([
      [
        'no file',
        () => join(folder, 'absent.json'),
        'but it cannot be read: nothing at that path.',
      ],
      ['a folder', () => folder, 'but it cannot be read: a folder.'],
    ])('says that it cannot read %s', (_, path, complaint) => {
      expect(complaintOf(path())).toMatch(/^BAD_CATALOG: /);
      expect(complaintOf(path())).toContain(complaint);
    });
  });
});

const ids = [
  'openai/gpt-5',
  'openai/gpt-4o',
  'azure/gpt-4o',
  'anthropic/claude-sonnet-4-5',
  'zai/glm-4.6',
];
const catalog: Catalog = {
  hash: '0123456789abcdef',
  source: 'given',
  models: new Map(ids.map((id) => [id, createProfile(id, { contextTokens: 1 })])),
};

describe('findModel', () => {
  it('finds a model by provider and id', () => {
    expect(findModel(catalog, 'openai/gpt-4o').id).toBe('openai/gpt-4o');
  });

  it('finds a model by an id that one provider alone has', () => {
    expect(findModel(catalog, 'gpt-5').id).toBe('openai/gpt-5');
    expect(findModelWithWindow(catalog, 'gpt-5', 7).id).toBe('openai/gpt-5');
  });

  it.each<[what: string, name: string, nearest: string]>([
    ['an id that several providers have', 'gpt-4o', 'azure/gpt-4o, '],
    ['a misspelt id', 'openai/gpt5', 'openai/gpt-5, '],
    ['another case', 'OpenAI/GPT-5', 'openai/gpt-5, '],
    ['part of an id', 'claude', 'anthropic/claude-sonnet-4-5, '],
  ])('does not guess from %s, but names the nearest', (_, name, nearest) => {
    const message = `Unknown model '${name}'. Expected PROVIDER/ID as in the catalog; nearest: ${nearest}`;
    expect(() => findModel(catalog, name)).toThrow(message);
  });
});

describe('findModelWithWindow', () => {
  it.each<[what: string, name: string, contextTokens: number | undefined, expected: number]>([
    ['the catalog has', 'openai/gpt-5', undefined, 1],
    ['the catalog has, whatever window is given', 'openai/gpt-5', 7, 1],
    ['the catalog lacks, with the window given', 'acme/new', 7, 7],
  ])('finds a model that %s', (_, name, contextTokens, expected) => {
    const { id, limits } = findModelWithWindow(catalog, name, contextTokens);
    expect({ id, limits }).toEqual({ id: name, limits: { contextTokens: expected } });
  });

  it('finds none that the catalog lacks where no window is given', () => {
    expect(() => findModelWithWindow(catalog, 'acme/new', undefined)).toThrow('Unknown model');
  });
});

describe('findModel in no catalog', () => {
  it.each<[what: string, given: unknown, got: string]>([
    ['nothing', undefined, 'undefined'],
    ['the name of a model', 'openai/gpt-5', "'openai/gpt-5'"],
  ])('is told of %s', (_, given, got) => {
    const message = `Expected \`catalog\` to be what \`readCatalog\` gives, got ${got}.`;
    expect(() => findModel(given as Catalog, 'openai/gpt-5')).toThrow(message);
  });
});

describe('misspeltModel', () => {
  it.each<[what: string, name: string, expected: string | undefined]>([
    ['of a name that is nearly one', 'openai/gpt5', 'openai/gpt-5'],
    ['of no name that the catalog has, however near others are', 'openai/gpt-5', undefined],
    ['of no name that is like none', 'acme/something-else', undefined],
  ])('is what was meant %s', (_, name, expected) => {
    expect(misspeltModel(catalog, name)).toBe(expected);
  });
});

describe('isSameModel', () => {
  it.each<[string, string, boolean]>([
    ['anthropic/claude-opus-4-5', 'anthropic/claude-opus-4-5', true],
    ['anthropic/claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5', true],
    ['anthropic/claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5@20251101', true],
    ['anthropic/claude-opus-4-0', 'anthropic/claude-opus-4-20250514', true],
    ['openai/gpt-4o-2024-08-06', 'openai/gpt-4o', true],
    ['mistral/devstral-latest', 'mistral/devstral', true],
    ['anthropic/claude-opus-4-5', 'anthropic/claude-opus-4-1', false],
    ['anthropic/claude-opus-4-5', 'anthropic/claude-opus-4', false],
    ['openai/gpt-5', 'openai/gpt-5-mini', false],
    ['anthropic/claude-opus-4-5', 'somebody/claude-opus-4-5', false],
    ['unknown/claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5', true],
    ['unknown/claude-opus-4-1', 'anthropic/claude-opus-4-5', false],
  ])('%s, %s', (a, b, expected) => {
    expect(isSameModel(a, b)).toBe(expected);
    expect(isSameModel(b, a)).toBe(expected);
  });
});
