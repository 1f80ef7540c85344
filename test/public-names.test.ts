import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import * as engine from '../src/engine/index.ts';
import * as simulator from '../src/simulator/index.ts';
import * as testing from '../src/simulator/testing.ts';
import * as vitest from '../src/simulator/vitest.ts';

/** Names that are values; `public-types.test.ts` has the types. */
describe('the public names', () => {
  it('of the package are its entry points', () => {
    expect(Object.keys(packageJson.exports)).toMatchInlineSnapshot(`
      [
        "./engine",
        "./simulator",
        "./testing",
        "./vitest",
        "./ai-sdk",
        "./package.json",
      ]
    `);
  });

  it('of ./engine', async () => {
    await expect(Object.keys(engine).toSorted()).toMatchFileSnapshot(
      './fixtures/snapshots/public-names.txt',
    );
  });

  it('of ./simulator', async () => {
    await expect(Object.keys(simulator).toSorted()).toMatchFileSnapshot(
      './fixtures/snapshots/public-names-2.txt',
    );
  });

  it('of ./testing', () => {
    expect(Object.keys(testing).toSorted()).toMatchInlineSnapshot(`
      [
        "HarnessError",
        "aiSdkMessages",
        "anthropicMessages",
        "commandCompactor",
        "compactorOf",
        "generateSessions",
        "judgeBaseline",
        "judgeLaw",
        "judgeWithin",
        "listLaws",
        "openAiMessages",
        "qualityMetrics",
        "qualityValues",
        "runCompactor",
        "runForeign",
      ]
    `);
  });

  it('of ./vitest', () => {
    expect(Object.keys(vitest).toSorted()).toMatchInlineSnapshot(`
      [
        "compaction",
      ]
    `);
  });
});
