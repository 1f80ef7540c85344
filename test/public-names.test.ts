import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import * as engine from '../src/engine/index.ts';
import * as simulator from '../src/simulator/index.ts';
import * as testing from '../src/simulator/testing.ts';
import * as vitest from '../src/simulator/vitest.ts';

/** Names that are values; types are checked by those who use them. */
describe('the public names', () => {
  it('of the package are its entry points', () => {
    expect(Object.keys(packageJson.exports)).toMatchInlineSnapshot(`
      [
        "./engine",
        "./simulator",
        "./testing",
        "./vitest",
        "./package.json",
      ]
    `);
  });

  it('of ./engine', () => {
    expect(Object.keys(engine).toSorted()).toMatchInlineSnapshot(`
      [
        "ALL_GUARDS",
        "DEFAULT_BY_AGE",
        "DEFAULT_CHECKPOINT_BUFFER_TOKENS",
        "NO_GUARDS",
        "REFUSAL_NOTE",
        "applyPrune",
        "applyRevert",
        "buildSessionSummary",
        "buildSummaryRequest",
        "checkAppend",
        "checkOverflow",
        "checkPivot",
        "checkPrune",
        "checkRequest",
        "checkpointRules",
        "checkpointText",
        "commonLength",
        "composeErrorMessage",
        "countAll",
        "countGrown",
        "countLineChanges",
        "countTotal",
        "countWithoutCacheWrite",
        "createLawChecker",
        "createMemory",
        "createRequestChecker",
        "createState",
        "diffFiles",
        "entriesOf",
        "estimateMessages",
        "estimateTokens",
        "evictionOrders",
        "explainMove",
        "explainOverflow",
        "explainPrune",
        "filterCompacted",
        "firstItems",
        "flattenMessage",
        "foldOver",
        "growAll",
        "headingsOf",
        "instructions",
        "isAsked",
        "isCheckpoint",
        "isCompactionRequired",
        "isContextOverflow",
        "isContextOverflowEvent",
        "isIneffective",
        "isInjected",
        "isMedia",
        "isPruneOn",
        "isRequest",
        "isRetried",
        "isSent",
        "isSummary",
        "itemAt",
        "itemBefore",
        "itemsFrom",
        "knowsOverflow",
        "laws",
        "markerOf",
        "mediaNote",
        "missesHeadings",
        "newestRequest",
        "normaliseUsage",
        "outputReserve",
        "overflowErrorRules",
        "overflowRules",
        "parseOutputCap",
        "parseSwitch",
        "partingOf",
        "planByAge",
        "planCut",
        "planRetry",
        "policies",
        "preserveBudget",
        "pruneRules",
        "readLatest",
        "recall",
        "remember",
        "render",
        "renderCall",
        "renderMessage",
        "renderPart",
        "renderResult",
        "replaceEviction",
        "resolvePolicy",
        "resumeTexts",
        "retryDelayMs",
        "retryRules",
        "search",
        "selectCheckpointTail",
        "selectTail",
        "stripMedia",
        "systemPrompts",
        "tailRules",
        "transition",
        "usageRules",
        "viewOf",
        "viewRules",
      ]
    `);
  });

  it('of ./simulator', () => {
    expect(Object.keys(simulator).toSorted()).toMatchInlineSnapshot(`
      [
        "HarnessError",
        "calibrate",
        "collectRun",
        "compileSession",
        "createEnv",
        "createProfile",
        "defineConfig",
        "driveAsync",
        "driveSync",
        "findModel",
        "findSummarizer",
        "foldRun",
        "loadTokenizer",
        "measure",
        "metrics",
        "missCurve",
        "missesAt",
        "openSummarizers",
        "overrideProfile",
        "readCatalog",
        "readSessions",
        "recordRun",
        "runFiles",
        "runTrace",
        "runTraceAsync",
        "simulate",
      ]
    `);
  });

  it('of ./testing', () => {
    expect(Object.keys(testing).toSorted()).toMatchInlineSnapshot(`
      [
        "HarnessError",
        "commandCompactor",
        "generateSessions",
        "judgeBaseline",
        "judgeLaw",
        "judgeWithin",
        "listLaws",
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
