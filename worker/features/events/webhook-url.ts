import { MAX_WEBHOOK_URL } from '../../../contract/limits.ts'
import { isSpecialName } from '../../platform/dns/special-names.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { isLoopback } from '../../platform/http/host-name.ts'

/** A name with a dot, no address of four or six: what it resolves to is checked by the fetch. */
const PUBLIC_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/
/** Ports that receivers have beside those above 1024: no request is sent to services of mail, files or databases. */
const LOW_PORTS = ['', '80', '443']

/** Whether a URL leads to this very machine. */
export function resolvesToLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).host)
}

/**
 * The address of a webhook: https on a public host or, where `loopback` allows it, one of this machine.
 * @throws {AppError} 400.
 */
export function checkWebhookUrl(text: string, { loopback }: { loopback: boolean }): string {
  const url = text.length <= MAX_WEBHOOK_URL && URL.canParse(text) ? new URL(text) : undefined
  const local = loopback && url !== undefined && resolvesToLoopback(url.href) && /^https?:$/.test(url.protocol)
  const fine = local || (url?.protocol === 'https:' && PUBLIC_HOST.test(url.hostname) && !isSpecialName(url.hostname))
  if (!url || !fine) throw invalidField('url', 'must be an https URL on a public host, given by its name.')
  if (!LOW_PORTS.includes(url.port) && Number(url.port) <= 1024) {
    throw invalidField('url', 'must have the port 80, 443 or one above 1024.')
  }
  if (url.username || url.password) throw invalidField('url', 'must hold no user name and no password.')
  if (url.hash) throw invalidField('url', 'must hold no fragment: it would not be sent.')
  return url.href
}
