import { describe, expect, it } from 'vitest';
import { problemsOf } from './sample-scenario.ts';

describe('a session that is none', () => {
  it.each([
    ['3', '3:10: Expected session to be a map with one of script, generate and file, got 3.'],
    [
      '{}',
      '3:10: Expected session to be a map with one of script, generate and file, got an empty map.',
    ],
    [
      '{ script: [user: 1, step: 1], file: x }',
      "3:10: Expected session to be a map with one of script, generate and file, got a map with 'script', 'file'.",
    ],
    [
      '{ script: [] }',
      '3:20: Expected session.script to be a list of at least one item, got an empty list.',
    ],
    [
      '{ script: [user: 1, step: 1], overhad: 3 }',
      "3:40: Unknown key 'overhad' in session. Nearest: overhead, script, startsAt. Expected one of: overhead, calibration, startsAt, script.",
    ],
    ['{ script: [step: 1] }', '3:21: Expected session.script[0] to be a user first, got a step.'],
    ['{ script: [user: 1] }', '3:10: Expected session to be a session with a step, got none.'],
    [
      '{ script: [user: 1, stpe: 1] }',
      "3:30: Expected session.script[1] to be one of user, step, repeat with of, generate, idle, switchModel and compact, with their values, got a map with 'stpe'.",
    ],
    [
      '{ script: [user: 1, { step: 1, idle: 3s }] }',
      "3:30: Expected session.script[1] to be one of user, step, repeat with of, generate, idle, switchModel and compact, with their values, got a map with 'step', 'idle'.",
    ],
    [
      '{ script: [user: 1, step: { tex: 1 }] }',
      "3:38: Unknown key 'tex' in session.script[1].step. Nearest: text, tools, error. Expected one of: text, reasoning, signedBy, tools, finish, error, outputTokens, reasoningTokens.",
    ],
    [
      '{ script: [user: 1, step: { text: -1 }] }',
      '3:44: Expected session.script[1].step.text to be a whole number of tokens, such as 2000 or 28k, got -1.',
    ],
    [
      '{ script: [user: 1, step: { text: { txt: 1 } }] }',
      "3:46: Unknown key 'txt' in session.script[1].step.text. Nearest: text, more, times. Expected one of: text, times, tokens, characters, synthetic, more.",
    ],
    [
      '{ script: [user: 1, step: { tools: [read] }] }',
      '3:46: Expected session.script[1].step.tools[0] to be a call such as "read 5000", "3x bash 2k", "edit 40 error" or "bash pending", or a map, got \'read\'.',
    ],
    [
      '{ script: [user: 1, step: { tools: [{ tool: read, staus: error }] }] }',
      "3:60: Unknown key 'staus' in session.script[1].step.tools[0]. Nearest: status, images, input. Expected one of: tool, output, input, inputCharacters, status, images, times.",
    ],
    [
      '{ script: [user: 1, step: { tools: [{ tool: read, status: ok }] }] }',
      "3:68: Expected session.script[1].step.tools[0].status to be a status (completed, error, pending), got 'ok'.",
    ],
    [
      '{ script: [user: 1, step: { finish: end }] }',
      "3:46: Expected session.script[1].step.finish to be a finish (stop, tool-calls, length, content-filter, error, unknown, none), got 'end'.",
    ],
    [
      '{ script: [user: 1.0001k] }',
      "3:27: Expected session.script[0].user to be a whole number of tokens, a text, or a map with text, times and tokens and images, got '1.0001k'.",
    ],
    [
      '{ script: [user: 1, step: 1.0001k] }',
      "3:36: Expected session.script[1].step to be a whole number of tokens, a text, or a map with text, reasoning and tools, got '1.0001k'.",
    ],
    [
      '{ script: [user: 1, step: { text: 1.00000001M }] }',
      "3:44: Expected session.script[1].step.text to be a whole number of tokens, a text, or a map with text, times and tokens, got '1.00000001M'.",
    ],
    [
      '{ script: [user: { tokens: 1.0001k }] }',
      "3:37: Expected session.script[0].user.tokens to be a whole number of tokens, such as 2000 or 28k, got '1.0001k'.",
    ],
    [
      '{ script: [user: 1, step: { tools: [read 1.0001k] }] }',
      `3:46: Expected session.script[1].step.tools[0] to be a call such as "read 5000", "3x bash 2k", "edit 40 error" or "bash pending", or a map, got 'read 1.0001k'.`,
    ],
    [
      '{ script: [user: 1, { repeat: 3 }] }',
      '3:30: Expected session.script[1].of to be a list of items, got nothing.',
    ],
    [
      '{ script: [user: 1, { repeat: 0, of: [step: 1] }] }',
      '3:40: Expected session.script[1].repeat to be a whole number from 1 to 1000000, got 0.',
    ],
    [
      '{ script: [user: 1, idle: 5] }',
      '3:36: Expected session.script[1].idle to be a duration, such as 500ms, 30s, 10m or 2h, got 5.',
    ],
    [
      '{ script: [user: 1, { repeat: 2, of: [step: 1, { repeat: 2, of: [stp: 1] }] }] }',
      "3:75: Expected session.script[1].of[1].of[0] to be one of user, step, repeat with of, generate, idle, switchModel and compact, with their values, got a map with 'stp'.",
    ],
    [
      '{ script: [user: 1, { compact: false }] }',
      '3:41: Expected session.script[1].compact to be true, got false.',
    ],
    [
      '{ script: [user: 1, step: 1, compact: true] }',
      '3:39: Expected session.script[2] to be followed by a step, got none after step 1.',
    ],
    [
      '{ script: [user: 1, { repeat: 1000000, of: [{ repeat: 1000000, of: [idle: 1s] }] }] }',
      '3:78: Expected session.script[1].of[0].of[0] to be within 50000 items of the session so far, got more.',
    ],
    [
      '{ script: [user: 1, step: 1000M] }',
      '3:30: Expected session.script[1] to be within 200000000 characters of the session so far, got more.',
    ],
    [
      '{ script: [user: { images: [{ bytes: 1M, mime: png }] }] }',
      "3:57: Expected session.script[0].user.images[0].mime to be a media type, such as image/png, got 'png'.",
    ],
    [
      '{ startsAt: "2026-99-99T00:00:00Z", script: [user: 1, step: 1] }',
      "3:22: Expected session.startsAt to be a time, such as 2026-08-14T11:19:00Z, got '2026-99-99T00:00:00Z'.",
    ],
    [
      '{ startsAt: 2026-01-01, script: [user: 1, step: 1] }',
      "3:22: Expected session.startsAt to be a time, such as 2026-08-14T11:19:00Z, got '2026-01-01'.",
    ],
    [
      '{ calibration: { factor: 0, perMessage: 1 }, script: [user: 1, step: 1] }',
      '3:35: Expected session.calibration.factor to be a number above 0, got 0.',
    ],
    [
      '{ calibration: { factor: 1 }, script: [user: 1, step: 1] }',
      '3:25: Expected session.calibration.perMessage to be a whole number of tokens, such as 2000 or 28k, got nothing.',
    ],
    [
      '{ script: [user: 1, step: { text: { more: [1] } }] }',
      '3:53: Expected session.script[1].step.text.more[0] to be a map with text, times, tokens, characters and synthetic, got 1.',
    ],
    [
      '{ script: [user: { tokens: 1, characters: 1000M }, step: 1] }',
      '3:21: Expected session.script[0] to be within 200000000 characters of the session so far, got more.',
    ],
    [
      '{ generate: { turns: 1 } }',
      '3:22: Expected session.generate.seed to be a whole number from 0, got nothing.',
    ],
    [
      '{ generate: { seed: 1, turns: [1, 2, 3] } }',
      '3:40: Expected session.generate.turns to be a number, or a list of minimum and maximum, got a list.',
    ],
    [
      '{ generate: { seed: 1, turns: 0 } }',
      '3:40: Expected session.generate.turns to be a whole number from 1, got 0.',
    ],
    [
      '{ generate: { seed: 1, turn: 1 } }',
      "3:33: Unknown key 'turn' in session.generate. Nearest: turns, stepsPerTurn, text. Expected one of: seed, turns, stepsPerTurn, toolsPerStep, tools, toolOutput, user, text, reasoning, idle.",
    ],
    [
      '{ file: a, generate: { seed: 1, turns: 1 } }',
      "3:10: Expected session to be a map with one of script, generate and file, got a map with 'file', 'generate'.",
    ],
    [
      '{ generate: { seed: 1, turns: 1, toolsPerStep: 1001 } }',
      '3:57: Expected session.generate.toolsPerStep to be a whole number from 0 to 1000, got 1001.',
    ],
  ])('%s is refused: %s', (session, problems) => {
    expect(problemsOf({ session })).toBe(problems);
  });

  it.each([
    ['filler', 'step: 51M'],
    ['a text that is repeated', 'step: { text: { text: "0123456789", times: 1000000 } }'],
    ['filler behind a text', 'step: { text: { text: a, tokens: 51M } }'],
    ['an image', 'user: { images: [{ bytes: 51M, times: 3 }] }'],
    ['what a tool was given', 'step: { tools: [{ tool: a, input: 51M }] }'],
  ])('is refused when %s makes it too large', (_, item) => {
    const session = `{ script: [user: 1, { repeat: 25, of: [${item}, step: 1] }] }`;
    expect(problemsOf({ session })).toMatch(
      /: Expected session\.script\[1\]\.of\[0\] to be within 200000000 characters of the session so far, got more\.$/,
    );
  });
});
