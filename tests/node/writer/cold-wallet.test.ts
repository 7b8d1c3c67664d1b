import { afterAll } from 'vitest'
import { type Daemon, startLitecoind } from '../litecoind.ts'
import { describeColdPayouts } from './describe-cold-payouts.ts'
import { describeColdWallet } from './describe-cold-wallet.ts'
import type { CallWallet } from './service-on-daemon.ts'

const running: Daemon[] = []
afterAll(async () => {
  await Promise.all(running.map((daemon) => daemon.stop()))
})

/** Keys that the wallet without private keys is given, and how many of them are for change. */
const KEYS = 160
const FOR_CHANGE = 100

/** As docs/operators.md says it for a node without descriptor wallets. */
async function watchBySinglePublicKeys(call: CallWallet): Promise<void> {
  await call('', 'createwallet', 'cold', true, true)
  const imports: unknown[] = []
  for (let index = 0; index < KEYS; index++) {
    const address = await call('signer', 'getnewaddress', '', 'bech32')
    const { pubkey } = Object(await call('signer', 'getaddressinfo', address))
    const { descriptor: desc } = Object(await call('', 'getdescriptorinfo', `wpkh(${pubkey})`))
    imports.push({ desc, timestamp: 'now', watchonly: true, keypool: true, internal: index < FOR_CHANGE })
  }
  await call('cold', 'importmulti', imports)
}

async function open() {
  const daemon = await startLitecoind()
  running.push(daemon)
  return { url: daemon.url, watch: watchBySinglePublicKeys }
}

const NAME = 'litecoind, a real node of the same code'
describeColdWallet(NAME, open)
describeColdPayouts(NAME, open)
