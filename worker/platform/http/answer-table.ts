import type { Context } from 'hono'

/**
 * The answer with a table of comma-separated values, as a download. Where there are more rows, its `Link` (RFC 8288)
 * leads to them: the same path with `cursor`.
 */
export function answerTable(c: Context, name: string, table: { text: string; cursor: string | undefined }): Response {
  const next = new URL(c.req.url)
  next.searchParams.set('cursor', table.cursor ?? '')
  return c.body(table.text, 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    Vary: 'Accept',
    ...(table.cursor === undefined ? {} : { Link: `<${next.pathname}${next.search}>; rel="next"` }),
  })
}
