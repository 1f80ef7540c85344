import { wordsOf } from '../text/text-index.ts';

/** Words that part nothing: they may stand between a value and what is said of it. */
const GLUE: ReadonlySet<string> = new Set(
  `the a an any at in on to of for by with as from is are was were be been it this that its our
  value option version file path function command port format library code number bytes ms
  der die das den dem des ein eine einen zu auf für als von mit im am ist sind wird
  на в во с для как это от
  是 在 为 為 用 把 将 將 的 以 于 於 到 成 了 这 這 个 個 の を は が に で と も へ という`
    .split(/\s+/)
    .flatMap((word) => (/^[\u3040-\u9fff]+$/u.test(word) ? Array.from(word) : [word])),
);

/** Whether a piece of a text has no words but those that part nothing, and some names. */
export function isGlue(text: string, names: readonly string[] = []): boolean {
  return wordsOf(text).every((word) => GLUE.has(word) || names.includes(word));
}
