/** A number with so many decimals; what rounds to nothing has no sign. */
export function formatFixed(value: number, decimals: number): string {
  const text = decimals === 0 ? String(Math.round(value)) : value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

/** A difference with so many decimals and its sign; what rounds to nothing has none. */
export function formatSigned(value: number, decimals: number): string {
  const text = formatFixed(value, decimals);
  return Number(text) > 0 ? `+${text}` : text;
}
