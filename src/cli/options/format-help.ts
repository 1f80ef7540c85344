/** What the help of a command says of its formats. */

import { listed } from '../../simulator/listed.ts';

/** The formats of a table; the one of the file's extension is the default, else the first. */
export function formatHelp(formats: object, option = '--out'): string {
  const [first = ''] = Object.keys(formats);
  return `${formatNames(formats)} (default: by ${option}, else ${first})`;
}

/** The names of some formats. */
export function formatNames(formats: object): string {
  return listed(Object.keys(formats), 'or');
}

/** The names of some formats, and which others one kind of report has. */
export function formatNamesBeyond(
  formats: object,
  { of, formats: more }: { readonly of: string; readonly formats: object },
): string {
  const others = Object.keys(more).filter((name) => !Object.hasOwn(formats, name));
  return `${formatNames(formats)}; of ${of} also ${listed(others, 'and')}`;
}
