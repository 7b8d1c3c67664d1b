import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** HTML in which everything that was put in is escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

/** Where search engines are kept out of a page. */
export const NOT_INDEXED = html`<meta name="robots" content="noindex">
`

/** A page that the Worker makes itself: no script, nothing from elsewhere. `style` is CSS, `head` what else it needs. */
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

/** Hashes of the style sheets of this program, of which there are a few. */
const hashes = new Map<string, string>()

/**
 * `Content-Security-Policy` of a page made by {@link htmlDocument}: its own style and nothing else. `form-action` and
 * `frame-ancestors` are what the page needs of them.
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
