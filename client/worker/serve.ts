import { anonymousFetch } from '../anonymous-fetch.ts'
import { type Answering, answerRequest, type Report } from './answer-request.ts'
import type { Tools } from './content.ts'
import { reportMessage } from './report-message.ts'
import type { ServiceScope } from './service-scope.ts'
import { parseSettings } from './settings.ts'

/**
 * Answers the requests of pages below `/hookline/`. A worker with wrong settings answers nothing: its page says why.
 * @throws {TypeError} then, so that it is not registered
 */
export function serve(scope: ServiceScope, openFor: (tools: Tools) => Answering['open']): void {
  const settings = parseSettings(scope.location.href)
  if (typeof settings === 'string') throw new TypeError(settings)
  const sha256 = async (bytes: Uint8Array) =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
  const open = openFor({ hosts: settings.hosts, fetch: anonymousFetch, sha256 })

  scope.addEventListener('install', () => void scope.skipWaiting())
  scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
  // A page that was reloaded past the worker asks for it.
  scope.addEventListener('message', (event) => event.waitUntil(scope.clients.claim()))
  scope.addEventListener('fetch', (event) => {
    const report = (one: Report) => void tell(scope, event.clientId, one)
    const answered = answerRequest(event.request, { scope: scope.registration.scope, open, report })
    if (!answered) return
    event.respondWith(answered.response)
    event.waitUntil(answered.ended)
  })
}

/** On the worker's own console, for a page that listens to no messages, and to the page. */
async function tell(scope: ServiceScope, clientId: string, report: Report): Promise<void> {
  console.error(`${report.url}: ${report.message}`)
  const client = await scope.clients.get(clientId)
  client?.postMessage(reportMessage(report))
}
