/** Instructions of frameworks and smaller agents. */

import { template } from './peer-instructions.ts';

/** The project's own text under the known headings. Source: comparison of peers, sections 10, 12, 14, 15, 17 and 18. */
export const frameworkInstructions = {
  langchain:
    'Extract what matters most of the conversation above; it will be replaced by what you write. Answer with that alone.',
  openhands: template([
    ['USER_CONTEXT:', 'what the user wants, in their words where they matter'],
    ['TASK_TRACKING:', 'the tasks with their ids and where each stands'],
    ['COMPLETED:', 'finished work, and what came of it'],
    ['PENDING:', 'what is still to be done'],
    ['CURRENT_STATE:', 'variables, data and whatever else is in use'],
    ['CODE_STATE:', 'files, functions and structures of data'],
    ['TESTS:', 'tests that fail, and what they say'],
    ['CHANGES:', 'edits of code'],
    ['DEPS:', 'packages and calls to the outside'],
    ['VERSION_CONTROL:', 'branches, commits and requests to merge'],
  ]),
  letta: template([
    ['## Goals', 'what the user wants, at large and right now'],
    ['## What happened', 'the course of things, in order'],
    ['## Details', 'names, ids, paths and values, word by word'],
    ['## Errors', 'what went wrong, and how it was mended'],
    ['## Where to look', 'words by which what is left out can be found again'],
  ]),
  mastra:
    'Write down what was said and done above as dated observations, one a line, newest last. Name who said what, what was decided, and what comes next.',
  aider:
    'Sum up the conversation above as its user would, who tells you of it: what was talked about, which functions, libraries and files were named. Write in the first person.',
  cline: template([
    ['## Goal', 'what is being built or mended, in one sentence'],
    ['## State', 'what is done, what is in progress, and what is blocked'],
    ['## Highlights', 'decisions and findings that matter'],
    ['## Next', 'what to do next'],
    ['## Files', 'files that were read, and files that were edited'],
  ]),
  /** Where nothing is known but that there is a summary. */
  plain: 'Summarize the conversation above, with all that is needed to go on with the task.',
} satisfies Record<string, string>;
