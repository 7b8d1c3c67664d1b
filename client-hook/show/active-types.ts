/**
 * Whether a page's own origin may be given to a document of this type: `embed` and `object` load one that runs
 * with it. A list of what is harmless: browsers sniff types that they don't know, and may find HTML.
 */
export function isInert(essence: string): boolean {
  if (essence.endsWith('+xml')) return false
  return /^((image|video|audio|font)\/.+|application\/(pdf|json)|text\/(plain|css|csv|javascript))$/.test(essence)
}

/** Types of classic scripts (HTML, "JavaScript MIME type essence match"), without the historical ones. */
export function isScript(essence: string): boolean {
  return /^(text|application)\/(x-)?(java|ecma)script$/.test(essence)
}
