/** What an answer does about the call that it is asked for. */

const BLOCKED = 'blocked';
/** Each says before the word, or behind it, that the call is allowed. */
const ALLOWING: readonly string[] = [
  `(?:\\bnot|n't|\\bnever|\\bno longer|\\bneither|\\bnothing (?:is|was)|\\bnon|\\bun)[ _-]?(?:\\w+ ){0,4}${BLOCKED}`,
  `${BLOCKED}(?:\\?[^\\w]*no\\b| (?:is|was|would be) (?:\\w+ )?(?:wrong|incorrect|false|mistaken)\\b| does not apply)`,
  `\\bnicht (?:\\p{L}+ )?${BLOCKED}|${BLOCKED} (?:ist|wäre) (?:falsch|nicht)`,
  `(?<!\\p{L})не (?:\\p{L}+ )?${BLOCKED}`,
  `[不没沒未][是有被会會]{0,2} ?${BLOCKED}`,
  `${BLOCKED} ?(?:では|じゃ)(?:な|あり)`,
];
const ALLOWED = new RegExp(ALLOWING.join('|'), 'u');
const CALL = /[\p{L}\p{N}_]\(|\{/u;

/** Whether a normalised answer says that the call is not blocked. */
export function deniesBlock(text: string): boolean {
  return ALLOWED.test(text);
}

/** Whether an answer has a call in it. */
export function isCall(text: string): boolean {
  return CALL.test(text);
}
