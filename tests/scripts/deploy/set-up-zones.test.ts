import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openAccount } from '../../../scripts/cloudflare/account.ts'
import { setUpZones } from '../../../scripts/deploy/set-up-zones.ts'
import { startFakeCloudflare } from '../../kit/fake-cloudflare.ts'
import { type FakeZone, newZone } from '../../kit/fake-zones.ts'
import { SETTINGS } from './settings.ts'

const RIGHT = {
  always_use_https: 'on',
  automatic_https_rewrites: 'off',
  email_obfuscation: 'off',
  rocket_loader: 'off',
  mirage: 'off',
  polish: 'off',
  fonts: 'off',
}
const HOST = SETTINGS.STORAGE_HOST
const [API_ZONE, WILDCARDS] = ['hookline.io', [`*.ipfs.${HOST}`, `*.ipns.${HOST}`]]
let cloudflare: Awaited<ReturnType<typeof startFakeCloudflare>>
let printed: string[]

beforeAll(async () => {
  cloudflare = await startFakeCloudflare()
})
afterAll(() => cloudflare.close())
beforeEach(() => {
  cloudflare.account.zones = [API_ZONE, HOST]
  cloudflare.zones.clear()
  printed = []
})

function zone(name: string): FakeZone {
  const found = cloudflare.zones.get(name) ?? newZone()
  cloudflare.zones.set(name, found)
  return found
}

async function run(settings: Record<string, string> = {}, checkOnly = false): Promise<number> {
  const print = (line: string) => void printed.push(line)
  return await setUpZones(
    await openAccount(cloudflare.environment, cloudflare.environment),
    { ...SETTINGS, ...settings },
    { checkOnly, print },
  )
}

describe('the zones of a deployment', () => {
  it('get records, a certificate, a fallback origin, and switches that let content through', async () => {
    expect(await run()).toBe(0)
    const { records, certificates, fallback, settings, bots } = zone(HOST)
    expect(records.map(({ name }) => name)).toEqual([HOST, `*.${HOST}`, ...WILDCARDS])
    expect(records).toEqual(
      records.map(({ name }) => ({ type: 'AAAA', name, content: '100::', proxied: true, ttl: 1 })),
    )
    expect({ certificates, fallback }).toEqual({ certificates: [[HOST, ...WILDCARDS]], fallback: HOST })
    expect({ settings, bots }).toEqual({ settings: RIGHT, bots: { enable_js: false, fight_mode: false } })
    expect(zone(API_ZONE)).toMatchObject({ records: [], certificates: [], fallback: undefined, settings: RIGHT })
  })

  it('stay as they are when that is done again', async () => {
    await run()
    for (const one of [HOST, API_ZONE]) zone(one).changes = []
    printed = []
    expect(await run()).toBe(0)
    expect([zone(HOST).changes, zone(API_ZONE).changes]).toEqual([[], []])
    expect(printed.every((line) => line.startsWith('right '))).toBe(true)
  })

  it('are only looked at with --check', async () => {
    expect(await run({}, true)).toBe(14)
    expect([zone(HOST).changes, zone(API_ZONE).changes]).toEqual([[], []])
    expect(printed).toContain(`would change ${API_ZONE}: Email Address Obfuscation off`)
  })

  it('get no fallback origin without domains of users', async () => {
    await run({ CF_ZONE_ID: '' })
    expect(zone(HOST).fallback).toBeUndefined()
  })

  it('are one where both hosts are in it, whose certificate then has the host of content too', async () => {
    const host = 'content.hookline-content.net'
    expect(await run({ STORAGE_HOST: host, STORAGE_ZONE: HOST })).toBe(0)
    expect(zone(HOST).certificates).toEqual([[HOST, `*.${host}`, `*.ipfs.${host}`, `*.ipns.${host}`]])
  })

  it('of a paid plan have Super Bot Fight Mode switched off', async () => {
    zone(HOST).bots = { enable_js: true, sbfm_definitely_automated: 'managed_challenge' }
    expect(await run()).toBe(0)
    expect(zone(HOST).bots).toEqual({ enable_js: false, sbfm_definitely_automated: 'allow' })
  })
})

describe('what is left to a person', () => {
  it('is named with its place and the reason of Cloudflare, and all the rest is done', async () => {
    Object.assign(zone(HOST), { permissions: ['settings'] })
    expect(await run()).toBe(7)
    expect(printed).toContain(`by hand      ${HOST}: the record ${HOST} AAAA 100::, proxied, at DNS → Records`)
    expect(printed.join('\n')).toContain('Authentication error [code: 10000]')
    expect(zone(HOST).settings).toEqual(RIGHT)
  })

  it('is the certificate where the zone has no Advanced Certificate Manager', async () => {
    zone(HOST).hasAdvancedCertificates = false
    expect(await run()).toBe(1)
    expect(printed.join('\n')).toContain('Advanced Certificate Manager is required')
  })

  it('is a switch that the plan does not let anybody change', async () => {
    zone(API_ZONE).settings.polish = 'lossy'
    expect(await run()).toBe(1)
    expect(printed).toContain(`by hand      ${API_ZONE}: Polish off, at Speed → Settings`)
  })

  it('is a record that leads elsewhere past Cloudflare, which is left as it is', async () => {
    const own = { type: 'A', name: HOST, content: '192.0.2.1', proxied: false }
    zone(HOST).records.push(own)
    expect(await run()).toBe(1)
    expect(zone(HOST).records.filter(({ name }) => name === HOST)).toEqual([own])
    expect(printed.join('\n')).toContain('there is A 192.0.2.1, which is not proxied')
  })

  it.each([HOST, API_ZONE])(
    'is everything where the zone %s is not of the account, and nothing is changed',
    async (lost) => {
      cloudflare.account.zones = [API_ZONE, HOST].filter((name) => name !== lost)
      await expect(run()).rejects.toThrow(`${lost} is no zone that this token may use`)
      expect([zone(API_ZONE).changes, zone(HOST).changes]).toEqual([[], []])
    },
  )
})
