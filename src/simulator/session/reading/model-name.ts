/** A proxy that hands requests on and is no provider of models. */
const PROXY = /^litellm_proxy\//;

/** `provider/model` of a recorded name, which may say both; one that names no provider gets the given. */
export function toModelName(recorded: string, provider = 'unknown'): string {
  const name = recorded.replace(PROXY, '');
  return name.includes('/') ? name : `${provider}/${name}`;
}
