/** Per cents that say how much dearer or less one amount is than another, held to the amounts beside them. */

const SIGNED = /(?<sign>[+−-])(?<size>\d+(?:\.(?<fraction>\d+))?) %/g;
/** Ends of an interval are of no total that is shown. */
const INTERVAL = /, [+−-]\d+(?:\.\d+)? %\s…\s[+−-]\d+(?:\.\d+)? %/g;
const DOLLARS = /\$(?<amount>[\d,]+(?:\.\d+)?)/g;
const COUNTS = /(?<![\d,$.])(?<amount>\d{1,3}(?:,\d{3})+)(?![\d,])/g;
const BLOCKS = /\n\s*\n/;

/** Signed per cents of a report that are the ratio of no two amounts in their block, to half of the last digit; each with its block. */
export function unfoundedPerCents(report: string): readonly string[] {
  return report.split(BLOCKS).flatMap((block) => {
    const text = block.replaceAll(INTERVAL, '');
    const kinds = [amountsIn(text, DOLLARS), amountsIn(text, COUNTS)];
    return [...text.matchAll(SIGNED)].flatMap(({ 0: shown, groups }) => {
      const { sign, size, fraction = '' } = groups ?? {};
      const percent = Number(size) * (sign === '+' ? 1 : -1);
      const leeway = 0.5 * 10 ** -fraction.length + 1e-9;
      const isFounded = kinds.some((amounts) => hasRatio(amounts, percent, leeway));
      return isFounded ? [] : [`${shown} in:\n${block}`];
    });
  });
}

/** How many signed per cents a report has. */
export function countPerCents(report: string): number {
  return [...report.replaceAll(INTERVAL, '').matchAll(SIGNED)].length;
}

function amountsIn(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map(({ groups }) =>
    Number(groups?.['amount']?.replaceAll(',', '')),
  );
}

function hasRatio(amounts: readonly number[], percent: number, leeway: number): boolean {
  return amounts.some((from, index) =>
    amounts.some(
      (to, other) =>
        other !== index && from > 0 && Math.abs((to / from - 1) * 100 - percent) <= leeway,
    ),
  );
}
