import type { Client } from '../../client/create-client.ts'
import { ApiError } from '../../client/http/api-error.ts'
import { Fields } from '../../client/http/parse-json.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'

/** A custom domain, and whether it shows the site already. */
export interface Claim {
  host: string
  /** `active`, or `waiting` for DNS or the certificate. */
  status: string
  /** The DNS record to create. */
  record: string | undefined
}

/** Claims a domain for a site. If DNS does not point to the service yet, it checks again for a day. */
export async function claimDomain(client: Client, site: string, host: string, signal: AbortSignal): Promise<Claim> {
  try {
    const json = { host, site, wait: true }
    const { body } = await client.request({ method: 'POST', path: '/v0/domain', json, repeatable: true, signal })
    const domain = new Fields(body, 'The domain')
    return { host, status: domain.string('status'), record: recordOf(domain) }
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 409 && error.code !== 'domains_off')) throw error
    const next = error.status === 409 ? 'Correct the DNS record' : 'Ask the operator, or leave out --domain,'
    throw new CommandError(EXIT.refused, error.code, error.message, {
      hint: `The site itself is deployed. ${next} and run the same command again.`,
      ...(error.requestId !== undefined && { requestId: error.requestId }),
    })
  }
}

/** One record as text: the first of several. */
function recordOf(domain: Fields): string | undefined {
  if (typeof domain.get('record') === 'string') return domain.string('record')
  const records = domain.optionalList('records', (entry) => {
    const { type, name, content } = { type: '', name: '', content: '', ...(entry instanceof Object ? entry : {}) }
    return `${type} ${name} ${content}`
  })
  return records?.[0]
}
