import { env } from 'cloudflare:test'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'

/** A wallet without any label, which takes each that it is given. */
const rpc: WalletRpc = async (calls) =>
  calls.map(({ method }) =>
    method === 'getnewaddress' ? { result: 'new' } : { error: { code: -11, message: 'No addresses with this label' } },
  )

/** What requests that end a withdrawal find such a wallet by. */
export const noLabels = { config: readConfig(env), rpcOf: () => rpc }
