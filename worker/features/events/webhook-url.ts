import { invalidField } from '../../platform/http/errors.ts'
import { isLoopback } from '../../platform/http/host-name.ts'

const MAX_URL = 2_000
/** A name with a dot, no address of four or six: what it stands for is looked at where it is fetched. */
const PUBLIC_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/
/** Names that are of no public host, whatever a resolver says (RFC 6761, 6762, 7686, 8375; `internal` by ICANN's reservation). */
const SPECIAL_NAME = /\.(?:localhost|local|internal|invalid|onion|arpa)$/

/** Whether a URL leads to this very machine. */
export function leadsToLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).host)
}

/**
 * The address of a webhook: https on a public host or, where `loopback` allows it, one of this machine.
 * @throws {AppError} 400.
 */
export function checkWebhookUrl(text: string, { loopback }: { loopback: boolean }): string {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : undefined
  const local = loopback && url !== undefined && leadsToLoopback(url.href) && /^https?:$/.test(url.protocol)
  const fine =
    local || (url?.protocol === 'https:' && PUBLIC_HOST.test(url.hostname) && !SPECIAL_NAME.test(url.hostname))
  if (!url || !fine) throw invalidField('url', 'must be an https URL on a public host, given by its name.')
  if (url.username || url.password) throw invalidField('url', 'must hold no user name and no password.')
  if (url.hash) throw invalidField('url', 'must hold no fragment: it would not be sent.')
  return url.href
}
