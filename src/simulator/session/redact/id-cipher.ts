import { createRandom } from '../../env.ts';
import type { Classes } from './character-class.ts';
import type { KeyedHash } from './keyed-hash.ts';
import { replaceUnits } from './units.ts';

const ROUNDS = 4;

/**
 * Another id of the same shape. Under one key no two ids give the same, whatever came before, so that ids meet
 * in the files that share them. Source of the rounds: Feistel (1973), with halves that are turned and not mixed.
 */
export function createIdCipher(hash: KeyedHash, classes: Classes): (id: string) => string {
  const turn = (half: readonly string[], key: string): readonly string[] => {
    const random = createRandom(hash(`id ${key}`));
    return half.map((character) => classes.turn(character, random()));
  };
  const encipher = (unit: string): string => {
    const characters = Array.from(unit);
    const middle = Math.floor(characters.length / 2);
    let [left, right] = [characters.slice(0, middle), characters.slice(middle)] as [
      readonly string[],
      readonly string[],
    ];
    if (left.length === 0) return turn(right, classes.shapeOf(unit)).join('');
    for (let round = 0; round < ROUNDS; round++) {
      if (round % 2 === 0) left = turn(left, `${round} ${left.length} ${right.join('')}`);
      else right = turn(right, `${round} ${right.length} ${left.join('')}`);
    }
    return [...left, ...right].join('');
  };
  return (id) => replaceUnits(id, ({ unit }) => encipher(unit));
}
