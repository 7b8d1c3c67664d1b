import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** HTML in which all inserted values are escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

/** Excludes a page from search engines. */
export const NOT_INDEXED = html`<meta name="robots" content="noindex">
`

/** A page of the Worker itself: no script, nothing from other hosts. `style` is CSS, `head` further elements. */
export async function htmlDocument(
  title: string,
  style: string,
  body: Markup,
  head: Markup = raw(''),
): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
${body}
</body>
</html>
`
  return page.toString()
}

/** Hashes of the few style sheets of this program. */
const hashes = new Map<string, string>()

/**
 * `Content-Security-Policy` of a page made by {@link htmlDocument}: its own style and nothing else. The page chooses
 * `form-action` and `frame-ancestors`.
 */
export function documentPolicy(
  style: string,
  { formAction = "'none'", frameAncestors }: { formAction?: "'none'" | "'self'"; frameAncestors?: "'none'" } = {},
): string {
  const hash = hashes.get(style) ?? createHash('sha256').update(style).digest('base64')
  hashes.set(style, hash)
  const directives = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    `form-action ${formAction}`,
    "base-uri 'none'",
  ]
  if (frameAncestors !== undefined) directives.push(`frame-ancestors ${frameAncestors}`)
  return directives.join('; ')
}
