import { secp256k1 } from '@noble/curves/secp256k1.js'
import { afterAll } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { sha256 } from '../../devnet/hash.ts'
import { FAUCET, SERVICE } from '../../devnet/premine.ts'
import { callMethod } from '../../devnet/rpc/handle-rpc.ts'
import { serveDevnet } from '../../devnet/server.ts'
import { legacySignatureHash } from '../../devnet/signature-hash.ts'
import { concatBytes, fromHex, toHex } from '../../protocol/bytes.ts'
import { decodeTransaction, encodeTransaction } from '../../protocol/transaction.ts'
import { listen } from '../kit/loopback-server.ts'
import { dogecoinWith, serviceOnDaemon } from '../node/writer/service-on-daemon.ts'

/** A raw transaction that was handed out, with what it spends. */
export interface Unsigned {
  hex: string
  prevtxs: readonly { txid: string; vout: number; scriptPubKey: string; amount: string }[]
}

/**
 * The service on an embedded Dogecoin node whose wallet watches an address, and a second node, which is never connected, that has its
 * private key. Called while tests are collected.
 */
export function useColdAddress() {
  const offline = createDevnet({ chains: ['Dogecoin'], seed: 'offline' }).node('Dogecoin')
  const cold = String(callMethod(offline, 'getnewaddress', []))
  const devnet = createDevnet({ chains: ['Dogecoin'] })
  const server = serveDevnet(devnet)
  afterAll(() => server.close())

  /** Signs as the machine that is offline does. */
  const sign = ({ hex, prevtxs }: Unsigned, kind = 'ALL'): string =>
    String(Object(callMethod(offline, 'signrawtransaction', [hex, prevtxs, null, kind])).hex)

  /** The same, with other valid signatures, and so another txid. */
  const signAgain = ({ hex, prevtxs }: Unsigned): string => {
    const transaction = decodeTransaction(fromHex(hex) ?? new Uint8Array(0))
    const inputs = transaction.inputs.map((input, index) => {
      const script = fromHex(prevtxs[index]?.scriptPubKey ?? '') ?? new Uint8Array(0)
      const key = offline.wallets.get(SERVICE)?.keyFor(script)
      const inner = legacySignatureHash(transaction, index, script, 1)
      if (!key || !inner) throw new Error('it has no such key')
      const options = { prehash: false, format: 'der', lowS: true, extraEntropy: new Uint8Array(32).fill(7) } as const
      const signature = concatBytes([secp256k1.sign(sha256(inner), key.privateKey, options), Uint8Array.of(1)])
      const parts = [Uint8Array.of(signature.length), signature, Uint8Array.of(key.publicKey.length), key.publicKey]
      return { ...input, script: concatBytes(parts) }
    })
    return toHex(encodeTransaction({ ...transaction, inputs }))
  }

  const open = async () => {
    const url = `http://devnet:devnet@127.0.0.1:${await listen(server)}/dogecoin`
    return await serviceOnDaemon(
      { url },
      async (call) => {
        await call('', 'importaddress', cold, 'cold', false)
      },
      dogecoinWith(cold, (method, params) => {
        const { body } = devnet.handle('Dogecoin', JSON.stringify({ id: 1, method, params }), FAUCET)
        const { result, error } = JSON.parse(body)
        if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
        return result
      }),
    )
  }
  return { open, cold, sign, signAgain, node: devnet.node('Dogecoin'), offline }
}
