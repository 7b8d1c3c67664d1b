import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CHAINS } from '../../../protocol/chains.ts'
import { openAccount } from '../../../scripts/cloudflare/account.ts'
import { preflight } from '../../../scripts/deploy/preflight.ts'
import { startFakeCloudflare, zoneId } from '../../kit/fake-cloudflare.ts'
import { SETTINGS } from './settings.ts'

type Answers = Record<string, unknown>

/** What a node answers by its methods: a result, an error by its code, or for all of them a status. */
interface FakeNode {
  status?: number
  down?: boolean
  results: Answers
  codes: Record<string, number>
}

let cloudflare: Awaited<ReturnType<typeof startFakeCloudflare>>
let nodes: Record<string, FakeNode>
let mail: number

beforeAll(async () => {
  cloudflare = await startFakeCloudflare()
})
afterAll(() => cloudflare.close())
beforeEach(() => {
  Object.assign(cloudflare.account, {
    permissions: ['d1', 'r2', 'workers', 'zones'],
    zones: ['hookline.io', 'hookline-content.net'],
    plans: ['workers_paid'],
    isR2Enabled: true,
  })
  const node = (genesis: string): FakeNode => ({
    results: {
      getblockhash: genesis,
      getblockchaininfo: { initialblockdownload: false },
      getindexinfo: { txindex: { synced: true } },
      getwalletinfo: {},
    },
    codes: { uptime: -32_601 },
  })
  nodes = {
    'node.hookline.io': node(SETTINGS.GENESIS_NATIVECOIN),
    'doge.hookline.io': node(CHAINS.Dogecoin.genesis ?? ''),
    'btc-a.hookline.io': node(CHAINS.Bitcoin.genesis ?? ''),
    'btc-b.hookline.io': node(CHAINS.Bitcoin.genesis ?? ''),
  }
  mail = 422
})

const fetcher: typeof fetch = async (input, init) => {
  const url = new URL(String(input))
  if (url.hostname === 'mail.hookline.io') return new Response(null, { status: mail })
  const node = nodes[url.hostname]
  if (!node || node.down) throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })
  if (node.status) return new Response(null, { status: node.status })
  expect(new Headers(init?.headers).get('authorization')).toBe(`Basic ${btoa('user:password')}`)
  const { method }: { method: string } = JSON.parse(String(init?.body))
  const code = node.codes[method]
  if (code !== undefined) return Response.json({ result: null, error: { code } }, { status: 500 })
  return Response.json({ result: node.results[method] ?? null, error: null })
}

async function ask(change: Record<string, string> = {}) {
  const settings = { ...SETTINGS, CF_ZONE_ID: zoneId('hookline-content.net'), ...change }
  return await preflight(await openAccount({}, cloudflare.environment), settings, fetcher)
}

function nodeOf(host: string): FakeNode {
  const node = nodes[host]
  if (!node) throw new Error(host)
  return node
}

describe('what is asked before a deployment', () => {
  it('finds nothing where all is as it should be, and changes nothing', async () => {
    expect(await ask()).toEqual({ problems: [], notes: [] })
    expect(cloudflare.account).toMatchObject({ databases: [], buckets: [], workers: new Map(), unknown: [] })
  })

  it.each<[string, () => Record<string, string> | undefined, RegExp]>([
    [
      'a mistyped domain of the API',
      () => ({ BASE_URL: 'https://api.hokline.io' }),
      /^BASE_URL: hokline\.io is no zone/,
    ],
    [
      'a storage host in no zone',
      () => ({ STORAGE_HOST: 'elsewhere.net' }),
      /^STORAGE_HOST: elsewhere\.net is no zone/,
    ],
    ['a zone that is not there', () => ({ STORAGE_ZONE: 'elsewhere.net' }), /^STORAGE_ZONE: elsewhere\.net is no zone/],
    [
      'the id of another zone',
      () => ({ CF_ZONE_ID: zoneId('hookline.io') }),
      /^CF_ZONE_ID is not the zone hookline-content/,
    ],
    ['a token without D1', () => lack('d1'), /lacks the permission "D1 Edit"/],
    ['a token without R2', () => lack('r2'), /lacks the permission "Workers R2 Storage Edit"/],
    ['a token without Workers', () => lack('workers'), /lacks the permission "Workers Scripts Edit"/],
    ['a token without routes', () => lack('zones'), /lacks the permission "Workers Routes Edit" for the zone hookline/],
    [
      'an account without R2',
      () => {
        cloudflare.account.isR2Enabled = false
      },
      /^R2 is not enabled/,
    ],
    [
      'the free plan',
      () => {
        cloudflare.account.plans = ['free']
      },
      /no plan Workers Paid/,
    ],
    [
      'a node of another network',
      () => result('btc-b.hookline.io', 'getblockhash', 'ff'),
      /^RPC_BITCOIN \(place 2\) is of another network/,
    ],
    [
      'a wrong password',
      () => {
        nodeOf('doge.hookline.io').status = 401
      },
      /^RPC_DOGECOIN refuses user and password/,
    ],
    [
      'a proxy that forbids',
      () => {
        nodeOf('doge.hookline.io').status = 403
      },
      /^RPC_DOGECOIN forbids/,
    ],
    [
      'a node that redirects',
      () => {
        nodeOf('doge.hookline.io').status = 301
      },
      /^RPC_DOGECOIN redirects/,
    ],
    [
      'a node without an index',
      () => result('btc-a.hookline.io', 'getindexinfo', {}),
      /^RPC_BITCOIN \(place 1\) has no index/,
    ],
    [
      'a wallet that is not loaded',
      () => code('btc-a.hookline.io', 'getwalletinfo', -18),
      /^RPC_WALLET_BITCOIN: the node has no wallet/,
    ],
    ['several wallets', () => code('btc-a.hookline.io', 'getwalletinfo', -19), /^RPC_WALLET_BITCOIN is missing/],
    ['a node without wallets', () => code('btc-a.hookline.io', 'getwalletinfo', -32_601), /built without wallets/],
    [
      'a locked wallet',
      () => result('btc-a.hookline.io', 'getwalletinfo', { unlocked_until: 0 }),
      /the wallet is locked/,
    ],
    [
      'a mail token that is refused',
      () => {
        mail = 401
      },
      /^MAIL_TOKEN is refused/,
    ],
    [
      'a mail URL that takes none',
      () => {
        mail = 404
      },
      /^MAIL_URL answers 404/,
    ],
  ])('names %s', async (_, change, named) => {
    const { problems } = await ask(change() ?? {})
    expect(problems).toContainEqual(expect.stringMatching(named))
    expect(problems.join()).not.toContain('password@')
  })

  it.each<[string, () => void, RegExp]>([
    [
      'a node that only Cloudflare reaches',
      () => {
        nodeOf('doge.hookline.io').down = true
      },
      /^RPC_DOGECOIN is not reached from this machine: ENOTFOUND/,
    ],
    [
      'a node that loads blocks',
      () => result('doge.hookline.io', 'getblockchaininfo', { initialblockdownload: true }),
      /still loads blocks/,
    ],
    [
      'an index that is being built',
      () => result('btc-b.hookline.io', 'getindexinfo', { txindex: { synced: false } }),
      /still builds its index/,
    ],
    [
      'a node that answers more than is needed',
      () => void delete nodeOf('btc-b.hookline.io').codes.uptime,
      /rpcwhitelist/,
    ],
    [
      'a plan that the token may not read',
      () => {
        cloudflare.account.plans = undefined
      },
      /the plan of the account cannot be read/,
    ],
  ])('is a note, no error: %s', async (_, change, noted) => {
    change()
    const { problems, notes } = await ask()
    expect(problems).toEqual([])
    expect(notes).toContainEqual(expect.stringMatching(noted))
  })

  it('names all at once', async () => {
    lack('d1')
    mail = 401
    nodeOf('doge.hookline.io').status = 401
    const { problems } = await ask({ BASE_URL: 'https://api.hokline.io' })
    expect(problems).toHaveLength(4)
  })
})

function lack(permission: string): undefined {
  const { account } = cloudflare
  account.permissions = account.permissions.filter((one) => one !== permission)
}

function result(host: string, method: string, value: unknown): undefined {
  nodeOf(host).results[method] = value
}

function code(host: string, method: string, number: number): undefined {
  nodeOf(host).codes[method] = number
}
