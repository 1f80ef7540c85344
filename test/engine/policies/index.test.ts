import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';

describe.each(Object.entries(policies))('preset %s', (name, policy) => {
  it('goes by the name under which it is found', () => {
    expect(policy.name).toBe(name);
  });

  it('says what it describes and where that stands', () => {
    expect([policy.describes, policy.source]).toEqual([
      expect.stringMatching(/\w/),
      expect.stringMatching(/\w/),
    ]);
  });

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(policy))).toStrictEqual(policy);
  });
});

describe('presets', () => {
  it('start with the control', () => {
    expect(Object.keys(policies)[0]).toBe('none');
  });

  it('never change: none', () => {
    expect(policies.none).toMatchInlineSnapshot(`
      {
        "describes": "Never compacts and never prunes; replayed without a limit on the window.",
        "estimator": {
          "charsPerToken": 4,
          "rounding": "round",
        },
        "name": "none",
        "prune": {
          "byAge": {
            "guardTurns": 2,
            "minimumTokens": 20000,
            "protectTokens": 40000,
            "protectedTools": [
              "skill",
            ],
          },
          "enabled": false,
        },
        "render": {
          "clearedOutput": "[Old tool result content cleared]",
          "markerQuestion": "What did we do so far?",
        },
        "resume": {
          "continueText": "v1.0.69",
          "explainRefusal": false,
          "replayRefusedPrompt": false,
        },
        "source": "DESIGN: the control of every comparison",
        "summary": {
          "answers": "marker",
          "instruction": "v1.0.123",
          "onFailure": "roll-back",
          "stripMedia": false,
          "systemPrompt": "v1.0.154",
        },
        "trigger": {
          "afterStep": false,
          "auto": false,
          "beforeRequest": false,
          "onRefusal": "stop",
          "outputCapTokens": 32000,
          "overflow": "document-002",
        },
        "view": "v1.0.69",
      }
    `);
  });

  it('never change: opencode-1.2.16', () => {
    expect(policies['opencode-1.2.16']).toMatchInlineSnapshot(`
      {
        "describes": "OpenCode 1.2.16 to 1.14.18 (2026-03-03 to 2026-04-19), which document 003 describes.",
        "estimator": {
          "charsPerToken": 4,
          "rounding": "round",
        },
        "name": "opencode-1.2.16",
        "prune": {
          "byAge": {
            "guardTurns": 2,
            "minimumTokens": 20000,
            "protectTokens": 40000,
            "protectedTools": [
              "skill",
            ],
          },
          "enabled": true,
        },
        "render": {
          "clearedOutput": "[Old tool result content cleared]",
          "markerQuestion": "What did we do so far?",
        },
        "resume": {
          "continueText": "v1.1.57",
          "explainRefusal": true,
          "replayRefusedPrompt": true,
        },
        "source": "design document 003; OpenCode release history: O8, P3, F4, S4",
        "summary": {
          "answers": "last-user",
          "instruction": "v1.1.57",
          "onFailure": "keep",
          "stripMedia": true,
          "systemPrompt": "v1.1.57",
        },
        "trigger": {
          "afterStep": true,
          "auto": true,
          "beforeRequest": true,
          "onRefusal": "compact",
          "outputCapTokens": 32000,
          "overflow": "v1.1.60",
        },
        "view": "v1.2.16",
      }
    `);
  });

  it('never change: document-002', () => {
    expect(policies['document-002']).toMatchInlineSnapshot(`
      {
        "describes": "The portable design of OpenCode-style compaction (describes 1.1.23 to 1.1.56).",
        "estimator": {
          "charsPerToken": 4,
          "rounding": "round",
        },
        "name": "document-002",
        "prune": {
          "byAge": {
            "guardTurns": 2,
            "minimumTokens": 20000,
            "protectTokens": 40000,
            "protectedTools": [
              "skill",
            ],
          },
          "enabled": true,
        },
        "render": {
          "clearedOutput": "[Old tool result content cleared]",
          "markerQuestion": "What did we do so far?",
        },
        "resume": {
          "continueText": "v1.0.69",
          "explainRefusal": false,
          "replayRefusedPrompt": false,
        },
        "source": "design document 002",
        "summary": {
          "answers": "marker",
          "instruction": "v1.0.123",
          "onFailure": "roll-back",
          "stripMedia": false,
          "systemPrompt": "v1.0.154",
        },
        "trigger": {
          "afterStep": true,
          "auto": true,
          "beforeRequest": false,
          "onRefusal": "stop",
          "outputCapTokens": 32000,
          "overflow": "document-002",
        },
        "view": "v1.0.69",
      }
    `);
  });
});
