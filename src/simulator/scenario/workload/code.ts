/** Made-up source code, by language. */

import { capital, type Words } from './words.ts';

/** A language that files are written in. */
export interface CodeLanguage {
  readonly extension: string;
  /** Prefix of a comment line. */
  readonly comment: string;
  /** The lines of the next piece: a function, a type, a paragraph. */
  block(words: Words): readonly string[];
}

/** Statements of a language that do not open a block of their own. */
type Statement = (words: Words) => string;

/** Lines in a body. */
const BODY = { least: 2, most: 9 } as const;

const typescriptStatements: readonly Statement[] = [
  (w) => `const ${w.noun()} = await ${w.symbol()}(${w.noun()}, { limit: ${w.number()} });`,
  (w) => `if (${w.noun()} === undefined) return ${w.symbol()}(${w.noun()});`,
  (w) => `for (const ${w.noun()} of this.${w.noun()}s) ${w.symbol()}(${w.noun()});`,
  (w) => `this.${w.noun()}Count += ${w.noun()}.length;`,
  (w) => `const { ${w.noun()}, ${w.noun()}Id } = parse${w.type()}(${w.noun()});`,
  (w) => `logger.debug('${w.verb()} ${w.noun()}', { ${w.noun()}: ${w.noun()}.id });`,
  (w) => `return ${w.noun()}.map((${w.noun()}) => ${w.symbol()}(${w.noun()}));`,
  (w) => `throw new ${w.type()}(\`Unknown ${w.noun()} \${${w.noun()}.name}\`);`,
];

const pythonStatements: readonly Statement[] = [
  (w) => `${w.noun()} = self.${w.snake()}(${w.noun()}, limit=${w.number()})`,
  (w) => `if ${w.noun()} is None: return ${w.snake()}(${w.noun()})`,
  (w) => `for ${w.noun()} in self.${w.noun()}s: ${w.snake()}(${w.noun()})`,
  (w) => `self.${w.noun()}_count += len(${w.noun()})`,
  (w) => `log.debug("${w.verb()} %s", ${w.noun()}.id)`,
  (w) => `return [${w.snake()}(${w.noun()}) for ${w.noun()} in ${w.noun()}s]`,
  (w) => `raise ${w.type()}(f"unknown ${w.noun()}: {${w.noun()}!r}")`,
];

const goStatements: readonly Statement[] = [
  (w) => `${w.noun()}, err := s.${w.symbol()}(ctx, ${w.noun()}, ${w.number()})`,
  () => `if err != nil {`,
  (w) => `\treturn nil, fmt.Errorf("${w.verb()} ${w.noun()}: %w", err)`,
  () => `}`,
  (w) => `s.${w.noun()}Count += len(${w.noun()}s)`,
  (w) => `slog.Debug("${w.verb()} ${w.noun()}", "${w.noun()}", ${w.noun()}.ID)`,
  (w) => `${w.noun()}s = append(${w.noun()}s, ${w.symbol()}(${w.noun()}))`,
  (w) => `defer s.${w.noun()}.Close()`,
];

const typescript: CodeLanguage = {
  extension: 'ts',
  comment: '// ',
  block: (w) => [
    `/** ${capital(w.verb())} the ${w.noun()} of each ${w.noun()}. */`,
    `export async function ${w.symbol()}(${w.noun()}: ${w.type()}): Promise<${w.type()}> {`,
    ...body(w, typescriptStatements, '  '),
    '}',
    '',
  ],
};

const python: CodeLanguage = {
  extension: 'py',
  comment: '# ',
  block: (w) => [
    `def ${w.snake()}(self, ${w.noun()}: ${w.type()}) -> ${w.type()}:`,
    `    """${capital(w.verb())} the ${w.noun()} of each ${w.noun()}."""`,
    ...body(w, pythonStatements, '    '),
    '',
    '',
  ],
};

const go: CodeLanguage = {
  extension: 'go',
  comment: '// ',
  block: (w) => [
    `// ${capital(w.symbol())} may ${w.verb()} the ${w.noun()} of each ${w.noun()}.`,
    `func (s *${w.type()}) ${capital(w.symbol())}(ctx context.Context, ${w.noun()} *${w.type()}) error {`,
    ...body(w, goStatements, '\t'),
    '\treturn nil',
    '}',
    '',
  ],
};

const yaml: CodeLanguage = {
  extension: 'yaml',
  comment: '# ',
  block: (w) => [
    `${w.noun()}:`,
    `  ${w.noun()}: ${w.number()}`,
    `  ${w.noun()}_${w.noun()}: ${w.draw.word(['true', 'false', 'auto'])}`,
    `  ${w.verb()}: [${w.noun()}, ${w.noun()}, ${w.noun()}]`,
  ],
};

/** Languages of code by how often files are of them. */
export const codeLanguages = { typescript, python, go, yaml } satisfies Record<
  string,
  CodeLanguage
>;

function body(words: Words, statements: readonly Statement[], indent: string): readonly string[] {
  const lines = words.draw.whole(BODY.least, BODY.most);
  return Array.from(
    { length: lines },
    () => `${indent}${words.draw.one(statements)?.(words) ?? ''}`,
  );
}
