import { badOption, messageOf } from '../../simulator/lib/errors.ts';
import { readNamedFile } from '../../simulator/lib/files.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { ProviderScriptSchema } from '../../simulator/provider/scripted/script.ts';
import {
  createScriptedServer,
  type LoggedRequest,
} from '../../simulator/provider/scripted/server.ts';
import { valueOfYaml } from '../../simulator/scenario/file/read-scenario.ts';
import { defineCommand, option } from '../command.ts';
import { parseWhole } from '../plan/options.ts';
import { printFault } from '../process/faults.ts';
import { LAST_PORT, serveUntilEnd } from '../process/serve.ts';

const DEFAULT_PORT = '4171';

const EXAMPLES = `
Examples:
  $ compaction-bench provider --script script.yaml
  $ OPENAI_BASE_URL=http://127.0.0.1:4171/v1 OPENAI_API_KEY=x your-agent`;

export const providerCommand = defineCommand({
  name: 'provider',
  describe: 'Serve a model that answers by a script, and tell what an agent asks it.',
  options: {
    script: option(
      '--script <file>',
      'what it answers, as YAML or JSON; docs/reference/oracle.md has an example',
    ),
    port: option('--port <number>', 'port on 127.0.0.1; 0 takes any free one', DEFAULT_PORT),
  },
  examples: EXAMPLES,
  run: async (_, { script: path, port }, { io }) => {
    if (path === undefined) throw badOption("Expected '--script' to name a file, got none.");
    const wanted = parseWhole('--port', port, { least: 0, most: LAST_PORT });
    const { server } = createScriptedServer(readScript(path), {
      advances: true,
      onFault: (error) => printFault(error, io),
      onRequest: (request) => io.stdout.write(`${describe(request)}\n`),
    });
    await serveUntilEnd(server, wanted, { io, what: 'Model' });
    return undefined;
  },
});

function readScript(path: string) {
  const text = readNamedFile(path);
  let yaml: unknown;
  try {
    yaml = valueOfYaml(text);
  } catch (error) {
    const [first] = messageOf(error).split('\n');
    throw badOption(`Expected ${quoted(path)} to be YAML or JSON, got: ${first}`, { cause: error });
  }
  const read = ProviderScriptSchema.safeParse(yaml);
  if (read.success) return read.data;
  const [{ path: at, message } = { path: [], message: '' }] = read.error.issues;
  throw badOption(
    `Expected ${quoted(path)} to be a script of a provider, got a wrong ${at.join('.') || 'value'}: ${message}.`,
  );
}

function describe({ kind, turn, answered, samePrefix, answer, usage }: LoggedRequest) {
  const told = usage === undefined ? '' : `, told ${usage.inputTokens} tokens`;
  const same = `${Math.round(samePrefix * 100)} % as before`;
  return `prompt ${turn}, after ${answered} answers: ${kind} request (${same}) → ${answer}${told}`;
}
