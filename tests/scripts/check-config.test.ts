import { describe, expect, it } from 'vitest'
import { ConfigurationError, checkConfig } from '../../worker/platform/config/config.ts'
import { SETTINGS } from './deploy/settings.ts'

function problemsOf(change: Record<string, string>): string[] {
  const checked = checkConfig({ ...SETTINGS, ...change })
  return checked instanceof ConfigurationError ? checked.problems : []
}

describe('the configuration of the Worker', () => {
  it('is accepted when every variable is right', () => {
    expect(problemsOf({})).toEqual([])
  })

  it.each([
    ['PRICE_PER_KIB_BITCOIN', '-1', 'is negative'],
    ['PRICE_PER_KIB_IPFS', '-0.00000001', 'is negative'],
    ['PAYOUT_PER_DAY_BITCOIN', '5,0', 'is not above zero'],
    ['PAYOUT_PER_HOUR_DOGECOIN', '5,1,1', 'has more than two amounts: of all accounts, and of one, such as 5,0.5'],
    ['CONFIRMATIONS_ABOVE_DOGECOIN', '1000000.00000001:6', 'is above 1000000 coins'],
    ['CONFIRMATIONS_ABOVE_BITCOIN', '1:6,0.5:8', 'does not rise from step to step, in coins and in confirmations'],
    ['CONFIRMATIONS_ABOVE_BITCOIN', '1:6,2:6', 'does not rise from step to step, in coins and in confirmations'],
    ['CONFIRMATIONS_ABOVE_BITCOIN', '1', 'has 1, not coins, a colon and confirmations such as 1:6'],
    ['CONFIRMATIONS_ABOVE_BITCOIN', '1:1001', 'asks for more than 1000 confirmations'],
    ['PAYMENT_TOLERANCE_PERCENT', '51', 'is not a whole number from 0 to 50'],
    ['DOH_URL', 'nonsense', 'is not an http(s) URL'],
    ['DOH_URL', 'ftp://resolver.io', 'is not an http(s) URL'],
    ['MAIL_URL', 'smtp://mail.io', 'is not an http(s) URL'],
    ['TERMS_URL', 'terms', 'is not an http(s) URL'],
    ['PRIVACY_URL', 'javascript:alert(1)', 'is not an http(s) URL'],
    [
      'CONTACT_URL',
      'javascript:alert(1)',
      'is no address such as https://hookline.io/contact or mailto:help@hookline.io',
    ],
    ['IPFS_GATEWAYS', 'ipfs://gateway', 'has ipfs://gateway, not an http(s) URL'],
    ['MAIL_FROM', 'Hookline', 'is no sender such as Hookline <no-reply@api.example>'],
    [
      'RPC_BITCOIN',
      'https://u:se%cret@node.io/',
      'has a user or password at place 1 with a "%" that has to be written as "%25"',
    ],
    ['WRITER_TX_CHAINS', '0', 'is not a whole number from 1 to 100'],
    ['RESERVED_NAMES', 'press, our.shop', 'has our.shop, which is no label of a host name such as status'],
    ['RESERVED_NAMES', 'a,'.repeat(1001), 'has more than 1000 names'],
    ['IDENTITY_CHECK', 'on', 'is not one of off, manual'],
    ['IPFS_PAYMENT_CHAIN', 'bitcoin', 'is not one of Nativecoin, Dogecoin, Bitcoin'],
    ['CONSOLE_ORIGINS', 'https://console.io/path', 'is not an http(s) origin such as https://api.example'],
  ])('is refused with the name of what is wrong: %s=%s', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name} ${problem}`])
  })

  it('has reserved names in lower case, and none where none are set', () => {
    const namesOf = (RESERVED_NAMES: string) => {
      const config = checkConfig({ ...SETTINGS, RESERVED_NAMES })
      if (config instanceof ConfigurationError) throw config
      return config.reservedNames
    }
    expect([namesOf(' Press,our-shop,'), namesOf('')]).toEqual([['press', 'our-shop'], []])
  })

  it('has payouts of all accounts, and after a comma those of one', () => {
    const set = { PAYOUT_PER_HOUR_BITCOIN: '5', PAYOUT_PER_DAY_BITCOIN: '7, 0.5', PAYOUT_PER_DAY_DOGECOIN: ',3' }
    const config = checkConfig({ ...SETTINGS, ...set })
    if (config instanceof ConfigurationError) throw config
    const none = { hour: undefined, day: undefined, accountHour: undefined, accountDay: undefined }
    expect(config.chains).toMatchObject({
      Bitcoin: { payoutLimits: { ...none, hour: 500_000_000n, day: 700_000_000n, accountDay: 50_000_000n } },
      Dogecoin: { payoutLimits: { ...none, accountDay: 300_000_000n } },
      Nativecoin: { payoutLimits: none },
    })
  })

  it('is refused when sizes that are right by themselves do not fit the memory of an isolate together', () => {
    const MIB = 2 ** 20
    const sizes = (content: number, decoded: number) =>
      problemsOf({ MAX_CONTENT_BYTES: String(content * MIB), MAX_DECODED_BYTES: String(decoded * MIB) })
    expect([sizes(16, 32), sizes(22, 33), sizes(16, 36)]).toEqual([[], [], []])
    expect(sizes(23, 16)).toEqual([expect.stringMatching(/^MAX_CONTENT_BYTES needs 104 MiB/)])
    expect(sizes(16, 37)).toEqual([
      expect.stringMatching(/^MAX_CONTENT_BYTES and MAX_DECODED_BYTES together need 102 MiB/),
    ])
  })
})
