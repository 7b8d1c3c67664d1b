import { getDomain } from 'tldts'
import { hostName } from '../../worker/platform/http/host-name.ts'
import { isRecord } from '../../worker/platform/http/is-record.ts'
import type { Account } from '../cloudflare/account.ts'
import { ApiError } from '../cloudflare/ask-api.ts'
import { askNodes, type Findings } from './ask-nodes.ts'

type Settings = Record<string, string | undefined>

/** R2 asks for a payment method before it is used. */
const R2_NOT_ENABLED = /10042|enable R2/i
const TIMEOUT_MS = 10_000

/** Asks Cloudflare, the nodes and the mail provider whether a deployment would work; changes nothing. Everything at once. */
export async function preflight(
  account: Account,
  settings: Settings,
  fetcher: typeof fetch = fetch,
): Promise<Findings> {
  const found = await Promise.all([
    askRights(account),
    askZones(account, settings),
    askPlan(account),
    askMail(settings, fetcher),
    ...(await askNodes(settings, fetcher)),
  ])
  return { problems: found.flatMap(({ problems }) => problems), notes: found.flatMap(({ notes }) => notes) }
}

const NOTHING: Findings = { problems: [], notes: [] }
const problem = (text: string): Findings => ({ problems: [text], notes: [] })
const note = (text: string): Findings => ({ problems: [], notes: [text] })

/** What is asked of each product, with the permission that it needs. */
async function askRights({ id, ask }: Account): Promise<Findings> {
  const base = `/accounts/${id}`
  const rights = [
    { path: `${base}/d1/database?per_page=10`, permission: 'D1 Edit' },
    { path: `${base}/r2/buckets?per_page=10`, permission: 'Workers R2 Storage Edit' },
    { path: `${base}/workers/scripts`, permission: 'Workers Scripts Edit' },
  ]
  const problems = await Promise.all(
    rights.map(async ({ path, permission }) => {
      const error = await refusalOf(() => ask('GET', path))
      if (!error) return []
      if (R2_NOT_ENABLED.test(error.message))
        return ['R2 is not enabled: enable it in the dashboard, which asks for a payment method']
      if (error.status === 404) return [`CLOUDFLARE_ACCOUNT_ID is no account of this token: ${error.message}`]
      return [`CLOUDFLARE_API_TOKEN lacks the permission "${permission}" for this account: ${error.message}`]
    }),
  )
  return { problems: [...new Set(problems.flat())], notes: [] }
}

async function askZones(account: Account, settings: Settings): Promise<Findings> {
  const api = hostName(URL.parse(settings.BASE_URL ?? '')?.hostname ?? '')
  const storage = hostName(settings.STORAGE_HOST ?? '')
  const zone = hostName(settings.STORAGE_ZONE || storage)
  const found: Findings[] = []
  if (api) found.push((await askZone(account, 'BASE_URL', getDomain(api) ?? api)).findings)
  if (zone) {
    const { id, findings } = await askZone(account, settings.STORAGE_ZONE ? 'STORAGE_ZONE' : 'STORAGE_HOST', zone)
    found.push(findings)
    if (id !== undefined && settings.CF_ZONE_ID && settings.CF_ZONE_ID !== id) {
      found.push(problem(`CF_ZONE_ID is not the zone ${zone}, whose id is ${id}`))
    }
  }
  return { problems: found.flatMap(({ problems }) => problems), notes: found.flatMap(({ notes }) => notes) }
}

async function askZone(
  { id, ask }: Account,
  setting: string,
  name: string,
): Promise<{ id?: string; findings: Findings }> {
  let zones: unknown
  try {
    zones = await ask('GET', `/zones?name=${encodeURIComponent(name)}`)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { findings: problem(`CLOUDFLARE_API_TOKEN lacks the permission "Zone Read": ${error.message}`) }
  }
  const zone: unknown = Array.isArray(zones) ? zones[0] : undefined
  if (!isRecord(zone)) return { findings: problem(`${setting}: ${name} is no zone that this token may use`) }
  const zoneId = String(zone.id)
  if (isRecord(zone.account) && zone.account.id !== id) {
    return { id: zoneId, findings: problem(`${setting}: the zone ${name} is of another account`) }
  }
  if (zone.status !== undefined && zone.status !== 'active') {
    return {
      id: zoneId,
      findings: problem(
        `${setting}: the zone ${name} is ${String(zone.status)}: set its name servers at your registrar`,
      ),
    }
  }
  const error = await refusalOf(() => ask('GET', `/zones/${zoneId}/workers/routes`))
  const lacks = `CLOUDFLARE_API_TOKEN lacks the permission "Workers Routes Edit" for the zone ${name}: ${error?.message}`
  return { id: zoneId, findings: error ? problem(lacks) : NOTHING }
}

/** Who may not read bills is only told that nobody asked. */
async function askPlan({ id, ask }: Account): Promise<Findings> {
  const answer = await ask('GET', `/accounts/${id}/subscriptions`).catch(() => undefined)
  if (!Array.isArray(answer))
    return note('the plan of the account cannot be read with this token: it must be Workers Paid')
  const plans = answer.flatMap((one: unknown) =>
    isRecord(one) && isRecord(one.rate_plan) ? [JSON.stringify(one.rate_plan)] : [],
  )
  if (plans.some((plan) => /workers_?paid|workers paid/i.test(plan))) return NOTHING
  return problem('the account has no plan Workers Paid: a hash of a password takes longer than the free plan allows')
}

/** With a message to nobody, which a provider refuses after it has looked at the token. */
async function askMail({ MAIL_URL = '', MAIL_TOKEN = '' }: Settings, fetcher: typeof fetch): Promise<Findings> {
  if (!URL.canParse(MAIL_URL)) return NOTHING
  const headers = { authorization: `Bearer ${MAIL_TOKEN}`, 'content-type': 'application/json' }
  const init = {
    method: 'POST',
    headers,
    body: '{}',
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  } as const
  const response = await fetcher(MAIL_URL, init).catch(() => undefined)
  if (!response) return note('MAIL_URL is not reached from this machine; Cloudflare may reach it')
  await response.body?.cancel()
  if (response.status === 401 || response.status === 403) return problem('MAIL_TOKEN is refused by the mail provider')
  if (response.status === 404 || response.status === 405)
    return problem(`MAIL_URL answers ${response.status}: it takes no mail there`)
  if (response.status >= 300 && response.status < 400)
    return problem('MAIL_URL redirects, which is not followed with a token')
  return NOTHING
}

async function refusalOf(act: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
