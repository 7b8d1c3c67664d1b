import { getDomain } from 'tldts'
import { hostName } from '../../worker/platform/http/host-name.ts'
import { isRecord } from '../../worker/platform/http/is-record.ts'
import type { Account } from '../cloudflare/account.ts'
import { ApiError, type AskApi } from '../cloudflare/ask-api.ts'

type Settings = Record<string, string | undefined>

/** An address that is no host: with a proxied record the Worker answers, and no origin is contacted. */
const NO_ORIGIN = '100::'

/** Switches of a zone, each with the value that lets content through as it is, and where it is in the dashboard. */
const SWITCHES: readonly (readonly [id: string, value: 'on' | 'off', name: string, place: string])[] = [
  ['always_use_https', 'on', 'Always Use HTTPS', 'SSL/TLS → Edge Certificates'],
  ['automatic_https_rewrites', 'off', 'Automatic HTTPS Rewrites', 'SSL/TLS → Edge Certificates'],
  ['email_obfuscation', 'off', 'Email Address Obfuscation', 'Security → Settings'],
  ['rocket_loader', 'off', 'Rocket Loader', 'Speed → Settings'],
  ['mirage', 'off', 'Mirage', 'Speed → Settings'],
  ['polish', 'off', 'Polish', 'Speed → Settings'],
  ['fonts', 'off', 'Cloudflare Fonts', 'Speed → Settings'],
]

/** Something that a zone should have: whether it has it, and what gives it that. */
interface Task {
  what: string
  /** Where a person does it in the dashboard. */
  place: string
  /** @throws {ApiError} where it is there in another way, which is left as it is */
  isDone: () => Promise<boolean>
  change: () => Promise<unknown>
}

/**
 * Gives the zones of an environment the DNS records, the certificate and the switches that content needs. What is right stays; what
 * the token may not change, or the plan does not have, is told with the place where a person does it.
 * @returns how many are left to do: by a person, or with `checkOnly` by a run without it
 * @throws {ApiError} where a zone cannot be found
 */
export async function setUpZones(
  account: Account,
  settings: Settings,
  { checkOnly, print }: { checkOnly: boolean; print: (line: string) => void },
): Promise<number> {
  const api = hostName(URL.parse(settings.BASE_URL ?? '')?.hostname ?? '')
  const storage = hostName(settings.STORAGE_HOST ?? '')
  const names = { api: getDomain(api) ?? api, storage: hostName(settings.STORAGE_ZONE || storage) }
  const found = await findZones(account, [...new Set([names.storage, names.api])])
  let left = 0
  for (const { zone, base } of found) {
    const own = zone === names.storage ? contentTasks(account.ask, base, zone, storage, settings) : []
    for (const task of [...own, ...zoneTasks(account.ask, base)]) {
      const outcome = await attend(task, checkOnly)
      if (outcome !== 'right' && outcome !== 'changed') left++
      print(`${outcome.padEnd(12)} ${zone}: ${task.what}${outcome === 'by hand' ? `, at ${task.place}` : ''}`)
    }
  }
  return left

  async function attend(task: Task, checkOnly: boolean): Promise<'right' | 'changed' | 'would change' | 'by hand'> {
    try {
      if (await task.isDone()) return 'right'
      if (checkOnly) return 'would change'
      await task.change()
      return 'changed'
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      print(`${task.what}: ${error.message}`)
      return 'by hand'
    }
  }
}

/** Before anything is changed: all that are missing at once. */
async function findZones({ ask }: Account, names: string[]): Promise<{ zone: string; base: string }[]> {
  const found: { zone: string; base: string }[] = []
  for (const zone of names) {
    const zones = await ask('GET', `/zones?name=${encodeURIComponent(zone)}`)
    const first: unknown = Array.isArray(zones) ? zones[0] : undefined
    if (isRecord(first)) found.push({ zone, base: `/zones/${String(first.id)}` })
  }
  const missing = names.filter((name) => !found.some(({ zone }) => zone === name))
  if (missing.length === 0) return found
  const text = missing.map((name) => `${name} is no zone that this token may use`).join('; ')
  throw new ApiError(`${text}: \`npm run deploy -- --check\` says what it needs.`, 404)
}

/** What only the zone of content needs. */
function contentTasks(ask: AskApi, base: string, zone: string, host: string, settings: Settings): Task[] {
  const wildcards = [`*.ipfs.${host}`, `*.ipns.${host}`]
  // Universal SSL has the zone and one label below it.
  const certified = zone === host ? wildcards : [`*.${host}`, ...wildcards]
  const tasks: Task[] = [host, `*.${host}`, ...wildcards].map((name) => recordTask(ask, base, name))
  tasks.push({
    what: `a certificate for ${certified.join(', ')}`,
    place: 'SSL/TLS → Edge Certificates → Order Advanced Certificate',
    isDone: async () => {
      const packs = await ask('GET', `${base}/ssl/certificate_packs?status=all&per_page=50`)
      const hosts = Array.isArray(packs) ? packs.flatMap((pack: unknown) => (isRecord(pack) ? [pack.hosts] : [])) : []
      return hosts.some((list) => Array.isArray(list) && certified.every((name) => list.includes(name)))
    },
    change: () =>
      ask('POST', `${base}/ssl/certificate_packs/order`, {
        type: 'advanced',
        hosts: [zone, ...certified],
        validation_method: 'txt',
        validity_days: 90,
        certificate_authority: 'google',
      }),
  })
  if (settings.CF_ZONE_ID) {
    const path = `${base}/custom_hostnames/fallback_origin`
    tasks.push({
      what: `the fallback origin ${host}`,
      place: 'SSL/TLS → Custom Hostnames',
      isDone: async () => {
        const found = await ask('GET', path).catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 404) return undefined
          throw error
        })
        return isRecord(found) && found.origin === host
      },
      change: () => ask('PUT', path, { origin: host }),
    })
  }
  return tasks
}

function recordTask(ask: AskApi, base: string, name: string): Task {
  return {
    what: `the record ${name} AAAA ${NO_ORIGIN}, proxied`,
    place: 'DNS → Records',
    isDone: async () => {
      const records = await ask('GET', `${base}/dns_records?name=${encodeURIComponent(name)}`)
      const found = Array.isArray(records) ? records.filter(isRecord) : []
      const addresses = found.filter(({ type }) => type === 'A' || type === 'AAAA' || type === 'CNAME')
      if (addresses.length === 0) return false
      if (addresses.every(({ proxied }) => proxied === true)) return true
      const kinds = addresses.map(({ type, content }) => `${String(type)} ${String(content)}`).join(', ')
      throw new ApiError(`there is ${kinds}, which is not proxied`, 409)
    },
    change: () => ask('POST', `${base}/dns_records`, { type: 'AAAA', name, content: NO_ORIGIN, proxied: true, ttl: 1 }),
  }
}

/** What both zones need. */
function zoneTasks(ask: AskApi, base: string): Task[] {
  const switches = SWITCHES.map(([id, value, name, place]): Task => {
    const path = `${base}/settings/${id}`
    return {
      what: `${name} ${value}`,
      place,
      isDone: async () => {
        const found = await ask('GET', path)
        return isRecord(found) && found.value === value
      },
      change: () => ask('PATCH', path, { value }),
    }
  })
  const bots = `${base}/bot_management`
  return [
    ...switches,
    {
      what: 'Bot Fight Mode and JavaScript Detections off',
      place: 'Security → Settings → Bot traffic',
      isDone: async () => {
        const found = await ask('GET', bots)
        return isRecord(found) && found.enable_js === false && found.fight_mode !== true && !challenges(found)
      },
      change: async () => {
        const found = await ask('GET', bots)
        const isFree = isRecord(found) && 'fight_mode' in found
        await ask('PUT', bots, { enable_js: false, ...(isFree ? { fight_mode: false } : SUPER_OFF) })
      },
    },
  ]
}

/** Super Bot Fight Mode, which paid plans of a zone have in place of Bot Fight Mode. */
const SUPER_OFF = { sbfm_definitely_automated: 'allow' }

function challenges(found: Record<string, unknown>): boolean {
  const { sbfm_definitely_automated: mode = 'allow' } = found
  return mode !== 'allow'
}
