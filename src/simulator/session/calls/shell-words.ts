/** A word of a shell command, without quotes. */
export interface ShellWord {
  readonly text: string;
  /** Where it stands in the command. */
  readonly start: number;
}

/** The simple commands of a command. */
interface SplitCommand {
  /** The words of each. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** Whether some of them stand in brackets, so that the folder they go to is not that of the others. */
  readonly hasBrackets: boolean;
}

/** Longest beginning of a command that is read. */
const READ_CHARS = 4_000;
/** Quoted text, a comment, an operator, or a word. Quotes left open close at the end. */
const TOKEN =
  /"[^"]*(?:"|$)|'[^']*(?:'|$)|(?<![^\s;|&()])#[^\n]*|&&|\|\||[;|&()\n]|\d*>>?|[^\s"';|&()<>]+/g;
const COMMENT_MARK = '#';
const OPENING_BRACKET = '(';
const SEPARATORS = new Set(['&&', '||', ';', '|', '&', OPENING_BRACKET, ')', '\n']);
/** Sends one stream where another goes; names no file. */
const STREAM_JOIN = /\d*>&\d?/g;
const HEREDOC = /<<-?\s*["']?(\w+)/;
const HEREDOC_START = /<<-?\s*["']?\w+["']?/g;
const OPENING_QUOTE = /^["']/;
const CLOSING_QUOTE = /["']$/;

/** A command as the simple ones that it is made of. */
export function splitCommands(command: string): SplitCommand {
  const commands: ShellWord[][] = [[]];
  let hasBrackets = false;
  for (const { 0: token, index } of withoutPlumbing(command.slice(0, READ_CHARS)).matchAll(TOKEN)) {
    hasBrackets ||= token === OPENING_BRACKET;
    if (SEPARATORS.has(token)) commands.push([]);
    else if (!isComment(token)) commands.at(-1)?.push(unquoted(token, index));
  }
  return { commands: commands.filter((words) => words.length > 0), hasBrackets };
}

/** A word begins with its mark nowhere else but in quotes. */
function isComment(token: string): boolean {
  return token.startsWith(COMMENT_MARK);
}

function unquoted(token: string, index: number): ShellWord {
  const opened = token.replace(OPENING_QUOTE, '');
  return { text: opened.replace(CLOSING_QUOTE, ''), start: index + token.length - opened.length };
}

/** The command with blanks for the bodies of here-documents and for joined streams. */
function withoutPlumbing(command: string): string {
  let delimiter: string | undefined;
  const lines = command.split('\n').map((line) => {
    const isBody = delimiter !== undefined;
    if (!isBody) delimiter = HEREDOC.exec(line)?.[1];
    else if (line.trim() === delimiter) delimiter = undefined;
    return isBody ? blank(line) : line;
  });
  return lines.join('\n').replaceAll(HEREDOC_START, blank).replaceAll(STREAM_JOIN, blank);
}

function blank(text: string): string {
  return ' '.repeat(text.length);
}
