/**
 * The URLs of a `srcset` with their descriptors (HTML, "parse a srcset attribute"): a URL ends at white space, and may have commas
 * but at its end; what follows up to the next comma outside brackets is its descriptor.
 */
export function candidatesOf(srcset: string): [url: string, descriptor: string][] {
  const candidate = /[\s,]*(\S*[^\s,])(?:,|\s+((?:[^,(]|\([^)]*\)?)*))?/g
  return [...srcset.matchAll(candidate)].map(([, url = '', descriptor = '']) => [url, descriptor.trim()])
}
