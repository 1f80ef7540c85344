import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/simulator/provider/catalog.ts';
import {
  findModel,
  findModelWithWindow,
  misspeltModel,
} from '../../../src/simulator/provider/find-model.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';

const ids = ['openai/gpt-5', 'openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'zai/glm-4.6'];
const catalog: Catalog = {
  hash: '0123456789abcdef',
  source: 'given',
  models: new Map(ids.map((id) => [id, createProfile(id, { contextTokens: 1 })])),
};

describe('findModel', () => {
  it('finds a model by provider and id', () => {
    expect(findModel(catalog, 'openai/gpt-4o').id).toBe('openai/gpt-4o');
  });

  it.each<[what: string, name: string, nearest: string]>([
    ['an id without a provider', 'gpt-4o', 'openai/gpt-4o, '],
    ['a misspelt id', 'openai/gpt5', 'openai/gpt-5, '],
    ['another case', 'OpenAI/GPT-5', 'openai/gpt-5, '],
    ['part of an id', 'claude', 'anthropic/claude-sonnet-4-5, '],
  ])('does not guess from %s, but names the nearest', (_, name, nearest) => {
    const message = `Unknown model '${name}'. Expected PROVIDER/ID as in the catalog; nearest: ${nearest}`;
    expect(() => findModel(catalog, name)).toThrow(message);
  });

  it('is an error of the user', () => {
    expect(() => findModel(catalog, '__proto__')).toThrow(
      expect.objectContaining({ name: 'HarnessError', code: 'UNKNOWN_NAME' }),
    );
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

  it('is nothing in a catalog without models', () => {
    expect(misspeltModel({ ...catalog, models: new Map() }, 'openai/gpt5')).toBeUndefined();
  });
});
