import type { AnswerMessage, SiteAnswer, SiteRequest } from '../frames/messages.ts'

/**
 * The service worker of a frame's host. It verifies nothing and keeps nothing of a site: each request goes to the shell, which
 * passes it on to the page, whose hook.js has the verified bytes.
 */

declare const self: ServiceWorkerGlobalScope

const OWN = '/.hookline/'
const SHELL = `${OWN}shell`
/** What the query of the shell may say; nothing else is passed on to the host. */
const MODES = ['navigate', 'isolated']
/** In ms: until the next shell is asked, and until a request is given up. */
const HEARD_TIMEOUT = 2000
const ANSWER_TIMEOUT = 120_000

self.addEventListener('install', (event) => {
  event.waitUntil(keep(SHELL))
  void self.skipWaiting()
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (url.origin !== location.origin) return
  if (url.pathname === SHELL && request.mode === 'navigate') event.respondWith(answerShell(event, url))
  else event.respondWith(answerSite(request, url))
})

/** The shell as it was at the last visit, so that frames open without the host; its newer version is for the next one. */
async function answerShell(event: FetchEvent, { searchParams }: URL): Promise<Response> {
  const modes = MODES.filter((mode) => searchParams.has(mode))
  const path = modes.length === 0 ? SHELL : `${SHELL}?${modes.join('&')}`
  const kept = await caches.match(path)
  const fresh = keep(path)
  if (!kept) return await fresh
  event.waitUntil(fresh.catch(() => {}))
  return kept
}

async function keep(path: string): Promise<Response> {
  const response = await fetch(path)
  if (response.ok) await (await caches.open('hookline')).put(path, response.clone())
  return response
}

async function answerSite({ method, headers, mode }: Request, { pathname, search }: URL): Promise<Response> {
  const isPage = mode === 'navigate'
  const request = { method, path: pathname + search, range: headers.get('Range'), isPage }
  for (const client of await self.clients.matchAll({ type: 'window', includeUncontrolled: true })) {
    if (new URL(client.url).pathname !== SHELL || client.frameType !== 'nested') continue
    const answer = await ask(client, request)
    if (answer) return new Response(answer.body, { status: answer.status, headers: answer.headers })
  }
  return new Response('This site is shown only inside the page that embeds it.', { status: 503 })
}

/** The answer that the page of a shell gives; undefined if it does not listen. */
function ask(shell: Client, request: SiteRequest): Promise<SiteAnswer | undefined> {
  const { port1, port2 } = new MessageChannel()
  return new Promise<SiteAnswer | undefined>((resolve) => {
    let timer = setTimeout(resolve, HEARD_TIMEOUT)
    port1.onmessage = ({ data }: MessageEvent<AnswerMessage>) => {
      clearTimeout(timer)
      if ('status' in data) resolve(data)
      else {
        const late: SiteAnswer = { status: 504, headers: [], body: null }
        timer = setTimeout(() => resolve(late), ANSWER_TIMEOUT)
      }
    }
    shell.postMessage(request, [port2])
  }).finally(() => port1.close())
}
