/** A tool's name as tables have it that know the tools of several agents: without its server, in lower case, letters only. */
export function plainToolName(tool: string): string {
  const own = tool.split('__').at(-1) ?? tool;
  return own.toLowerCase().replace(/[^a-z]/g, '');
}
