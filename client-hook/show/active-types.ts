/**
 * Whether a document of this type may be loaded by `embed` and `object`, which run it with the page's own origin. This
 * is a list of harmless types, because browsers sniff unknown types and may find HTML.
 */
export function isInert(essence: string): boolean {
  if (essence.endsWith('+xml')) return false
  return /^((image|video|audio|font)\/.+|application\/(pdf|json)|text\/(plain|css|csv|javascript))$/.test(essence)
}

/** Types of classic scripts (HTML, "JavaScript MIME type essence match"), without the historical ones. */
export function isScript(essence: string): boolean {
  return /^(text|application)\/(x-)?(java|ecma)script$/.test(essence)
}
