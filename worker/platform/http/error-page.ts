import { html } from 'hono/html'
import { documentPolicy, htmlDocument, NOT_INDEXED } from './html-document.ts'
import { HTML_TYPE } from './media-types.ts'

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.5 system-ui, sans-serif;
  color: light-dark(#1c2024, #edeef0); background: light-dark(#fcfcfd, #131416) }
main { box-sizing: border-box; width: 100%; max-width: 34rem; padding: 1.5rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem }
p { margin: 0 0 .75rem }
small { color: light-dark(#60646c, #a0a4ad) }
`

const TITLES: Record<number, string> = {
  404: 'Not found',
  410: 'No longer here',
  429: 'A moment, please',
  451: 'Not served here',
}

/** An error for programs and people. */
export interface Refusal {
  status: number
  code: string
  message: string
  headers?: Record<string, string>
}

/**
 * Whether a browser opens the address as a page: only then it sends this header, which no script can set. Below /v0
 * errors are always JSON (docs/behaviour/answers.md).
 */
export function isForPerson(request: Pick<Request, 'url' | 'headers'>): boolean {
  return request.headers.get('Sec-Fetch-Mode') === 'navigate' && !URL.parse(request.url)?.pathname.startsWith('/v0/')
}

/** The answer for an error as a page with the content of the JSON: no script, nothing from other hosts. */
export async function errorPage({ status, code, message, headers }: Refusal): Promise<Response> {
  const title = TITLES[status] ?? (status < 500 ? 'That did not work' : 'Not available right now')
  const body = html`<main>
<h1>${title}</h1>
<p>${message}</p>
<p><small>${status} ${code}</small></p>
</main>`
  return new Response(await htmlDocument(title, STYLE, body, NOT_INDEXED), {
    status,
    headers: {
      ...headers,
      'Content-Type': HTML_TYPE,
      'Content-Security-Policy': documentPolicy(STYLE),
      Vary: 'Sec-Fetch-Mode',
    },
  })
}
