/** @import { RunDetail } from '../page-data.ts' */
/** @import { PART_STATES, PartState, RunView } from '../../saved/shapes.ts' */

/**
 * The state of a part at a request.
 * @type {typeof PART_STATES}
 */
export const STATES = { kept: 0, pruned: 1, summarised: 2, left: 3, injected: 4, summary: 5 };

/** @typedef {keyof typeof STATES} StateName */

/**
 * The state of a part, in words.
 * @type {Readonly<Record<StateName, string>>}
 */
export const STATE_WORDS = {
  kept: 'kept',
  pruned: 'pruned',
  summarised: 'summarised',
  left: 'left the view',
  injected: 're-injected',
  summary: 'summary',
};

/** Names of states in their order. */
export const STATE_NAMES = /** @type {readonly StateName[]} */ (Object.keys(STATES));

/** @type {Readonly<Record<string, string>>} */
const KIND_WORDS = {
  request: 'requests',
  answer: 'answers',
  reasoning: 'reasoning',
  file: 'files',
  note: 'program notes',
  summary: 'summaries',
  'summary question': 'summary questions',
  resumption: 'added by the policy',
};

const TOOL = 'tool ';
/** In the place of the number of a text. */
const NO_TEXT = -1;

/**
 * @typedef {object} Part A part at a request.
 * @property {number} index
 * @property {number} came With which request.
 * @property {string} kind
 * @property {PartState} state
 * @property {number} tokens As it is shown.
 * @property {number} firstTokens When it came.
 * @property {number} text Its number in the pool.
 */

/**
 * The name of a kind of parts.
 * @param {string} kind
 */
export function kindWords(kind) {
  if (kind.startsWith(TOOL)) return kind.slice(TOOL.length);
  return (Object.hasOwn(KIND_WORDS, kind) ? KIND_WORDS[kind] : undefined) ?? kind;
}

/**
 * The name of a part's state.
 * @param {Pick<Part, 'state'>} part
 */
export function stateName({ state }) {
  return STATE_NAMES[state] ?? 'kept';
}

/**
 * True if a request shows parts in this state.
 * @param {PartState} state
 */
export function isShownState(state) {
  return state !== STATES.summarised && state !== STATES.left;
}

/**
 * Every part that has come by a step, as it is there.
 * @param {RunView} view
 * @param {number} step
 */
export function partsAt(view, step) {
  const parts = partsAsTheyCame(view, step);
  view.changes.forEach(([at, state, first, many, tokens], place) => {
    if (at > step) return;
    const text = view.texts?.changes[place] ?? NO_TEXT;
    for (const part of parts.slice(first, first + many)) {
      Object.assign(part, { state, tokens }, text === NO_TEXT ? {} : { text });
    }
  });
  return parts;
}

/**
 * @param {RunView} view
 * @param {number} step
 */
function partsAsTheyCame(view, step) {
  const requests = view.came.slice(0, step + 1);
  const requestOfEach = requests.flatMap((many, came) => Array.from({ length: many }, () => came));
  return requestOfEach.map((came, index) => partOf(view, came, index));
}

/**
 * @param {RunView} view
 * @param {number} came
 * @param {number} index
 * @returns {Part}
 */
function partOf({ kinds, kind, tokens, texts }, came, index) {
  const size = tokens[index] ?? 0;
  return {
    index,
    came,
    kind: kinds[kind[index] ?? 0] ?? '',
    state: STATES.kept,
    tokens: size,
    firstTokens: size,
    text: texts?.parts[index] ?? NO_TEXT,
  };
}

/**
 * The text of a part, where it was kept.
 * @param {RunView} view
 * @param {Part} part
 */
export function textOf({ texts }, { text }) {
  return texts?.pool[text];
}

/**
 * The tokens of parts that a request shows.
 * @param {readonly Part[]} parts
 */
export function shownTokens(parts) {
  return parts.reduce((sum, { state, tokens }) => sum + (isShownState(state) ? tokens : 0), 0);
}

/**
 * The share of their tokens that parts have in a request: less than 1 where the measured context has no room for them beside
 * system prompt and tools.
 * @param {Pick<RunDetail, 'context' | 'base'>} detail
 * @param {number} step
 * @param {number} tokens
 */
export function partScale({ context, base }, step, tokens) {
  return tokens === 0 ? 1 : Math.min(1, Math.max(0, (context[step] ?? 0) - base) / tokens);
}

/**
 * Parts as large as the measured context of their request leaves room for; those that it does not show stay.
 * @param {Pick<RunDetail, 'context' | 'base'>} detail
 * @param {number} step
 * @param {readonly Part[]} parts
 * @returns {readonly Part[]}
 */
export function fitParts(detail, step, parts) {
  const scale = partScale(detail, step, shownTokens(parts));
  return parts.map((part) => ({ ...part, tokens: part.tokens * scale }));
}

/** @typedef {{ readonly sign: '+' | '−' | '~', readonly part: Part, readonly before?: Part }} Change */

/**
 * Parts that the request of a step shows otherwise than the one before.
 * @param {RunView} view
 * @param {number} step
 * @returns {readonly Change[]}
 */
export function changesAt(view, step) {
  const before = step === 0 ? [] : partsAt(view, step - 1);
  return partsAt(view, step).flatMap((part) => changeOf(part, before[part.index]));
}

/**
 * @param {Part} part
 * @param {Part} [before]
 * @returns {readonly Change[]}
 */
function changeOf(part, before) {
  const isShown = isShownState(part.state);
  if (before === undefined || !isShownState(before.state)) {
    return isShown ? [{ sign: '+', part }] : [];
  }
  if (!isShown) return [{ sign: '−', part, before }];
  const isSame = before.tokens === part.tokens && before.state === part.state;
  return isSame ? [] : [{ sign: '~', part, before }];
}
