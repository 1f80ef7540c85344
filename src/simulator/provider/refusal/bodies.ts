/** Bodies of refusals, as the APIs of providers word them. */

/** The body of an error of OpenAI's APIs and of all who imitate them. */
export function openaiBody(fields: Readonly<Record<string, unknown>>) {
  return (text: string) => ({ error: { message: text, ...fields } });
}

/** The body of an error of Anthropic's API and of those who imitate it. */
export function anthropicBody(type: string) {
  return (text: string) => ({
    type: 'error',
    error: { type, message: text },
    request_id: 'req_000000000000000000000000',
  });
}

/** The page that a proxy shows. */
export function htmlBody(text: string): string {
  const title = `<title>${text}</title>`;
  return `<html>\r\n<head>${title}</head>\r\n<body>\r\n<center><h1>${text}</h1></center>\r\n</body>\r\n</html>\r\n`;
}
