import { extname } from 'node:path';
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { known } from '../simulator/lib/collections.ts';
import { badOption } from '../simulator/lib/errors.ts';
import { badValue, named, quoted } from '../simulator/lib/names.ts';
import { listed } from '../simulator/lib/text.ts';
import { renderTerminal, type Text } from '../simulator/report/document.ts';
import {
  checkNoInput,
  checkOutPath,
  type CliIo,
  EXIT,
  terminalOf,
  writeReport,
} from './process/io.ts';
import type { Terminal } from '../simulator/report/layout.ts';

interface OptionSpec<Value> {
  readonly flags: string;
  readonly describe: string;
  readonly standard?: string | undefined;
  readonly isRequired?: boolean;
  readonly repeats?: boolean;
  readonly group?: string;
  read(given: unknown): Value;
}

type OptionSpecs = Readonly<Record<string, OptionSpec<unknown>>>;

export type OptionsOf<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: ReturnType<Specs[Name]['read']>;
};

type NameIn<Syntax> = Syntax extends `${'<' | '['}${infer Name}...${'>' | ']'}`
  ? Name
  : Syntax extends `${'<' | '['}${infer Name}${'>' | ']'}`
    ? Name
    : never;

type ValueOf<Syntax> = Syntax extends `${string}...${string}`
  ? readonly string[]
  : Syntax extends `<${string}`
    ? string
    : string | undefined;

type ArgumentsOf<Specs> = { readonly [Syntax in keyof Specs as NameIn<Syntax>]: ValueOf<Syntax> };

export interface OpenReport<Format> {
  readonly name: string;
  readonly format: Format;
  readonly terminal: Terminal;
  readonly checkInputs: (files: readonly string[]) => void;
  /** Writes the report, and its verdict beside a file. Returns the given exit code, unless writing failed. */
  readonly finish: (text: string, code: number, verdict?: readonly Text[]) => number;
}

export interface Call {
  readonly io: CliIo;
  readonly given: readonly string[];
  /** Chooses the format by `--format` or the extension, and checks the path. Throws if either is wrong. */
  readonly openReport: <Format>(
    formats: Readonly<Record<string, Format>>,
    what: string,
  ) => OpenReport<Format>;
}

export interface FormatChoice {
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly outFlag?: string | undefined;
  readonly top?: string | undefined;
  readonly details?: true | undefined;
}

/** Copies of documents, with names or labels for them; the same for a single file. */
export interface Anonymiser {
  copy<Document>(document: Document): Document;
  label(file: string): string;
}

/** Adds a command to the program or below another one; the exit code goes to `onExit`. */
export type AddCommand = (
  parent: CommandUnknownOpts,
  io: CliIo,
  onExit: (code: number) => void,
) => void;

/** Formats by extension; the first that a command has counts. */
const FORMATS_BY_EXTENSION: Readonly<Record<string, readonly string[]>> = {
  '.parquet': ['parquet'],
  '.jsonl': ['jsonl'],
  '.txt': ['table'],
  '.json': ['json'],
  '.xml': ['junit'],
  '.md': ['markdown'],
  '.log': ['annotations', 'table'],
  '.csv': ['csv'],
  '.html': ['html'],
  '.svg': ['svg'],
  '.otlp': ['otel'],
};

/** Tells all names. */
export const TELLING: Anonymiser = { copy: (document) => document, label: String };

export const detailsOption = { details: flag('--details', 'also on what each number rests') };

export const topOption = {
  top: option('--top <number>', 'most sessions to list, the most expensive first (default: 10)'),
};

export const anonymousOption = {
  anonymous: flag(
    '--anonymous',
    'leave out file paths, ids, and names of sessions, tools and unlisted models; labels stand for them',
  ),
};

/** A command that the program can add. Keys of `arguments` are their syntax in the help. */
export function defineCommand<
  Arguments extends Readonly<Record<string, string>>,
  Options extends OptionSpecs,
>(spec: {
  readonly name: string;
  readonly describe: string;
  readonly arguments?: Arguments;
  readonly options: Options;
  readonly examples: string;
  /** Returns the exit code; `undefined` if the user interrupted. */
  run(
    args: ArgumentsOf<Arguments>,
    options: OptionsOf<Options>,
    call: Call,
  ): number | undefined | Promise<number | undefined>;
}): AddCommand {
  return (parent, io, onExit) => {
    const command: CommandUnknownOpts = parent.command(spec.name).description(spec.describe);
    const syntaxes = Object.entries(spec.arguments ?? {});
    for (const [syntax, describe] of syntaxes) command.argument(syntax, describe);
    for (const one of Object.values(spec.options)) command.addOption(toOption(one));
    command.addHelpText('after', spec.examples).action(async () => {
      const args = syntaxes.map(([syntax], index) => [
        syntax.replaceAll(/[<>[\].]/g, ''),
        command.processedArgs[index],
      ]);
      const values = Object.entries(spec.options).map(([name, one]) => [
        name,
        one.read(command.getOptionValue(nameOf(one))),
      ]);
      const options = Object.fromEntries(values) as OptionsOf<Options>;
      const call = toCall(spec.options, options, { command, io });
      const code = await spec.run(
        Object.fromEntries(args) as ArgumentsOf<Arguments>,
        options,
        call,
      );
      onExit(code ?? EXIT.interrupted);
    });
  };
}

export function option(flags: string, describe: string): OptionSpec<string | undefined>;
export function option(flags: string, describe: string, standard: string): OptionSpec<string>;
export function option(
  flags: string,
  describe: string,
  standard?: string,
): OptionSpec<string | undefined> {
  const read = (given: unknown) => (typeof given === 'string' ? given : standard);
  return { flags, describe, standard, read };
}

export function required(flags: string, describe: string) {
  return { flags, describe, isRequired: true, read: String };
}

export function repeated(
  flags: string,
  describe: string,
  standard: readonly string[] = [],
): OptionSpec<readonly string[]> {
  return { flags, describe, repeats: true, read: (given) => textsOf(given) ?? standard };
}

export function variadic(flags: string, describe: string) {
  return { flags, describe, read: textsOf };
}

/** An option without a value, absent unless given. */
export function flag(flags: string, describe: string): OptionSpec<true | undefined> {
  return { flags, describe, read: (given) => (given === true ? true : undefined) };
}

export function grouped<Specs extends OptionSpecs>(group: string, specs: Specs) {
  const entries = Object.entries(specs).map(([name, spec]) => [name, { ...spec, group }]);
  return Object.fromEntries(entries) as Specs;
}

export function reportOptions(formats: object) {
  return {
    format: option('--format <name>', formatHelp(formats)),
    out: option('--out <path>', 'write the report to a file'),
  };
}

/** Loaded where it is asked for alone. */
export async function anonymiserFor({ anonymous }: { anonymous: true | undefined }) {
  if (!anonymous) return TELLING;
  const { createAnonymiser } = await import('../simulator/report/anonymous.ts');
  return createAnonymiser();
}

/** The option of a report for standard output; the first format is the default. */
export function formatOption(formats: object) {
  return { format: option('--format <name>', formatNames(formats), Object.keys(formats)[0] ?? '') };
}

export function formatHelp(formats: object, outFlag = '--out') {
  const [first = ''] = Object.keys(formats);
  return `${formatNames(formats)} (default: by ${outFlag}, else ${first})`;
}

export function formatNames(formats: object): string {
  return listed(Object.keys(formats), 'or');
}

export function longFlagOf({ flags }: OptionSpec<unknown>) {
  return new Option(flags).long ?? flags;
}

/** The format by its name, else by the file's extension, else the first. Throws if there is none. */
export function chooseFormat<Format>(
  formats: Readonly<Record<string, Format>>,
  what: string,
  choice: FormatChoice,
): Format {
  return named(what, formats, chooseName(Object.keys(formats), choice));
}

function chooseName(
  names: readonly string[],
  { format, out = '', outFlag = '--out' }: FormatChoice,
): string {
  const extension = extname(out).toLowerCase();
  const usual = FORMATS_BY_EXTENSION[extension]?.find((name) => names.includes(name));
  const name = format ?? (extension === '' ? names[0] : usual);
  if (name !== undefined) return name;
  throw badOption(
    `Expected ${quoted(outFlag)} to be a file of one of the formats ${names.join(', ')}, or to come with '--format', got ${quoted(out)}.`,
  );
}

function textsOf(given: unknown): readonly string[] | undefined {
  return Array.isArray(given) ? given.map(String) : undefined;
}

function toOption({ flags, describe, standard, isRequired, repeats, group }: OptionSpec<unknown>) {
  const made = new Option(flags, describe);
  if (standard !== undefined) made.default(standard);
  if (isRequired) made.makeOptionMandatory();
  if (repeats)
    made.argParser((value: string, values?: readonly string[]) => [...(values ?? []), value]);
  return group === undefined ? made : made.helpGroup(group);
}

function nameOf({ flags }: OptionSpec<unknown>): string {
  return new Option(flags).attributeName();
}

function toCall(
  specs: OptionSpecs,
  choice: FormatChoice,
  { command, io }: { command: CommandUnknownOpts; io: CliIo },
): Call {
  const isGiven = (spec: OptionSpec<unknown>) =>
    command.getOptionValueSource(nameOf(spec)) === 'cli';
  const outFlag = specs['out'] ? longFlagOf(specs['out']) : '--out';
  const { out, top, details } = choice;
  return {
    io,
    given: Object.values(specs).filter(isGiven).map(longFlagOf),
    openReport: (formats, what) => {
      const name = chooseName(Object.keys(formats), { ...choice, outFlag });
      const format = named(what, formats, name);
      checkOutPath(out, outFlag);
      return {
        name,
        format,
        terminal: { ...terminalOf(io, out), ...known({ top: parseTop(top), details }) },
        checkInputs: (files) => checkNoInput(out, files, { what: `'${outFlag}'` }),
        finish: (shown, code, verdict = []) => {
          if (out !== undefined && !io.isQuiet && verdict.length > 0) {
            const block = { type: 'lines', lines: verdict, isWrapped: true } as const;
            io.stdout.write(renderTerminal([block], terminalOf(io)));
          }
          return writeReport(io, shown, out) ? code : EXIT.failed;
        },
      };
    },
  };
}

function parseTop(text: string | undefined): number | undefined {
  const top = Number(text);
  if (text?.trim() !== '' && Number.isInteger(top) && top >= 0) return top;
  if (text === undefined) return undefined;
  throw badValue('--top', 'a whole number', text);
}
