import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkDeploy } from '../../../scripts/deploy/check-deploy.ts'
import { SETTINGS } from './settings.ts'

type Change = Record<string, string>
const KEY = randomBytes(32).toString('base64url')

describe('a setting that cannot be meant so', () => {
  it.each<[string, Change, RegExp]>([
    ['an API on workers.dev', { BASE_URL: 'https://hookline.somebody.workers.dev' }, /^BASE_URL is on workers\.dev/],
    ['an API with a user', { BASE_URL: 'https://me:secret@api.hookline.io' }, /^BASE_URL /],
    [
      'a zone of another domain',
      { STORAGE_ZONE: 'hookline.io', STORAGE_ZONE_SHARED: 'true' },
      /^STORAGE_ZONE does not/,
    ],
    ['a zone that ends alike', { STORAGE_ZONE: 'content.net', STORAGE_ZONE_SHARED: 'true' }, /^STORAGE_ZONE does not/],
    ['a database with a blank', { D1_NAME: 'hook line' }, /^D1_NAME/],
    ['a bucket in capitals', { R2_NAME: 'Hookline' }, /^R2_NAME/],
    ['a mail address for an account', { CLOUDFLARE_ACCOUNT_ID: 'me@hookline.io' }, /^CLOUDFLARE_ACCOUNT_ID is not/],
    ['a name for the id of a zone', { CF_ZONE_ID: 'hookline-content.net' }, /^CF_ZONE_ID is not/],
    ['a node with the path of a wallet', { RPC_BITCOIN: 'https://u:secret@b.io/wallet/hot' }, /RPC_WALLET_BITCOIN/],
    ['a node on the host of the API', { RPC_BITCOIN: 'https://u:secret@api.hookline.io/' }, /would ask itself/],
    ['a node below the storage host', { RPC_BITCOIN: 'https://u:secret@n.hookline-content.net/' }, /would ask itself/],
    ['an onion service', { RPC_BITCOIN: 'https://u:secret@abcdef.onion/' }, /^RPC_BITCOIN is an onion/],
    ['a name of a tailnet', { RPC_BITCOIN: 'https://u:secret@node.tail1234.ts.net/' }, /tailnet/],
    [
      'one node for two chains',
      { RPC_BITCOIN: SETTINGS.RPC_DOGECOIN },
      /is the node of RPC_DOGECOIN too|is the node of RPC_BITCOIN too/,
    ],
    ['a wallet with a slash', { RPC_WALLET_BITCOIN: 'wallet/hot' }, /^RPC_WALLET_BITCOIN/],
    ['a wallet without a node', { RPC_BITCOIN: '', RPC_WALLET_BITCOIN: 'hot' }, /^RPC_WALLET_BITCOIN is set, but/],
    ['more at least than at most', { WALLET_LEAST_BITCOIN: '2', WALLET_MOST_BITCOIN: '1' }, /^WALLET_LEAST_BITCOIN/],
    [
      'more in an hour than in a day',
      { PAYOUT_PER_HOUR_BITCOIN: '5', PAYOUT_PER_DAY_BITCOIN: '4' },
      /^PAYOUT_PER_HOUR/,
    ],
    ['more for one than for all', { PAYOUT_PER_HOUR_BITCOIN: '1,2' }, /^PAYOUT_PER_HOUR_BITCOIN allows/],
    ['a price in base units', { PRICE_PER_KIB_BITCOIN: '1000' }, /^PRICE_PER_KIB_BITCOIN is 1000/],
    [
      'a pepper that is a key',
      { PASSWORD_PEPPER: KEY, TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: KEY }] }) },
      /^PASSWORD_PEPPER/,
    ],
    ['the mailbox of a provider', { MAIL_FROM: 'Hookline <me@gmail.com>' }, /^MAIL_FROM is a mailbox/],
    ['a denylist in the clear', { DENYLIST_URL: 'http://badbits.dwebops.pub/' }, /^DENYLIST_URL/],
    ['a denylist on this machine', { DENYLIST_URL: 'https://localhost/list' }, /^DENYLIST_URL/],
    [
      'a gateway that is this service',
      { IPFS_GATEWAYS: 'https://hookline-content.net' },
      /^IPFS_GATEWAYS has STORAGE_HOST/,
    ],
    ['a setting of before', { DATABASE_BYTES: '50000000000' }, /^DATABASE_BYTES is not a setting/],
  ])('is named: %s', (_, change, named) => {
    const checked = checkDeploy({ ...SETTINGS, ...change })
    const problems = 'problems' in checked ? checked.problems : []
    expect(problems).toContainEqual(expect.stringMatching(named))
    expect(problems.join()).not.toContain('secret')
  })

  it.each<[string, Change, RegExp]>([
    ['a node without a password', { RPC_BITCOIN: 'https://node.hookline.io/' }, /^RPC_BITCOIN has no user/],
    ['a test network', { GENESIS_BITCOIN: 'ab'.repeat(32) }, /^GENESIS_BITCOIN is not that of the main/],
    ['data that few nodes relay', { MAX_DATA_BYTES_BITCOIN: '102480' }, /^MAX_DATA_BYTES_BITCOIN is 102480/],
    ['a chain for IPFS that has no node', { RPC_NATIVECOIN: '' }, /^IPFS_PAYMENT_CHAIN is Nativecoin/],
    ['a sender without a name', { MAIL_FROM: 'no-reply@hookline.io' }, /^MAIL_FROM has no name/],
  ])('is a note where it may be: %s', (_, change, noted) => {
    expect(checkDeploy({ ...SETTINGS, ...change })).toMatchObject({
      warnings: expect.arrayContaining([expect.stringMatching(noted)]),
    })
  })
})
