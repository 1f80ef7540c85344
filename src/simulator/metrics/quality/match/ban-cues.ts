/** Words that forbid a value near them. */

import { cue, either } from './cue.ts';
import { DROPPED, NEGATION_AFTER, NEGATION_BEFORE } from './cues.ts';
import { LIFTED } from './lifted-cues.ts';

/** What is done to a value. */
const DEEDS =
  '(?:changes?|edits?|modifications?|writes?|touching|us(?:e|ing|age)|access|calls?|commits?|push(?:es|ing)?|merg(?:es?|ing)|renam(?:es?|ing)|refactor(?:s|ings?)?|delet(?:es?|ing|ions?)|deploy(?:s|ing|ments?)?)';
/** To do it. */
const DO =
  '(?:touch|use|edit|change|modify|alter|write|overwrite|delete|remove|drop|rename|move|refactor|call|run|import|add|enable|upgrade|commit|push|merge|deploy|revert|rely on)';
/** Nothing follows that a word could speak of. */
const ALONE = '(?=\\s*(?:$|[.,;()!|\\n]| (?:because|during|while|until|since|due|for|as)(?!\\w)))';
const MARK = '[❌🚫⛔✗✘]';

/** Forbids what stands behind it. */
export const BAN_BEFORE = either(
  cue(
    [
      `no (?:(?:more|further|direct|manual|new) )?${DEEDS}(?! (?:needed|necessary|required|yet|so far))`,
      '(?:under|in) no (?:circumstances|case)',
      'on no account',
      'at no (?:time|point)',
      'nobody',
      'no one',
      'neither',
      'nor',
      'forbade',
      'decision against',
      'passed on',
      "don['’]?ts",
      'no-gos?',
      '(?:stays?|keep|kept|remains?|be) (?:free|clear) (?:of|from)',
    ],
    [MARK],
  ),
  NEGATION_BEFORE,
);

/** Forbids what stands before it. */
export const BAN_AFTER = either(
  cue(
    [
      `(?:do(?: not|n['’]?t)|never) ${DO}(?: (?:it|this|that|them|these|those))?${ALONE}`,
      `never${ALONE}`,
      '(?:must|should|shall) (?:\\w+ )?be (?:avoided|excluded)',
      '(?:is|are|be|stays?|remains?|leave|keep|kept) (?:\\w+ )?(?:unchanged|intact|frozen|read-only|as (?:it|they) (?:is|are))',
      'untouched',
      'untouchable',
      'no-go',
      'ruled out',
      'unsuitable',
      `(?:is|was|were|been) ${DROPPED}`,
      'allowed[:|\\s]+no',
      `nie(?:mals)? \\p{L}+en${ALONE}`,
    ],
    [MARK, '勿|保持不[变變]|只[读讀]|凍結|そのまま'],
  ),
  NEGATION_AFTER,
);

/** Whether a text forbids or denies anything. */
export function hasBan(text: string): boolean {
  const rest = text.replaceAll(LIFTED, ' ');
  return rest.search(BAN_BEFORE) >= 0 || rest.search(BAN_AFTER) >= 0;
}
