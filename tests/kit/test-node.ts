import { parseAmount } from '../../protocol/amount.ts'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { encodeTransaction, type TransactionOutput } from '../../protocol/transaction.ts'
import { at, call, list, type NodeAddress, NodeError, text } from './rpc-client.ts'

/** A coin of the node's wallet. */
export interface TestCoin {
  txid: string
  vout: number
  value: bigint
  script: Uint8Array
}

const FEE = 20_000n

/** A node for tests, embedded or real, used through its RPC only. */
export class TestNode {
  readonly node: NodeAddress
  readonly #coins: TestCoin[] = []
  #address = ''

  constructor(node: NodeAddress) {
    this.node = node
  }

  call(method: string, ...params: unknown[]): Promise<unknown> {
    return call(this.node, method, params)
  }

  /** The error of a call that the node refuses. */
  async refusal(method: string, ...params: unknown[]): Promise<NodeError> {
    try {
      const answer = await this.call(method, ...params)
      throw new Error(`${method} was not refused but answered ${JSON.stringify(answer).slice(0, 200)}`)
    } catch (error) {
      if (error instanceof NodeError) return error
      throw error
    }
  }

  async address(): Promise<string> {
    this.#address ||= text(await this.call('getnewaddress'))
    return this.#address
  }

  /** Mines blocks; returns their hashes. */
  async mine(count = 1): Promise<string[]> {
    return list(await this.call('generatetoaddress', count, await this.address())).map(text)
  }

  /** The same to a new address: after invalidateblock the next block might otherwise be the invalid one again. */
  async mineElsewhere(count = 1): Promise<string[]> {
    return list(await this.call('generatetoaddress', count, await this.call('getnewaddress'))).map(text)
  }

  /** A confirmed coin of the wallet that no other test uses. */
  async coin(): Promise<TestCoin> {
    if (this.#coins.length === 0) await this.#split()
    const coin = this.#coins.pop()
    if (!coin) throw new Error('the wallet has no coin')
    return coin
  }

  async #split(): Promise<void> {
    const unspent = list(await this.call('listunspent', 1)).map((entry) => this.#toCoin(entry))
    const [largest] = unspent.sort((a, b) => Number(b.value - a.value))
    if (!largest) throw new Error('the wallet has no confirmed coin')
    const parts = 100
    const value = (largest.value - 100n * FEE) / BigInt(parts)
    const outputs = Array.from({ length: parts }, () => ({ value, script: largest.script }))
    const txid = await this.send(await this.sign([largest], outputs))
    await this.mine()
    outputs.forEach((output, vout) => {
      this.#coins.push({ txid, vout, ...output })
    })
  }

  #toCoin(entry: unknown): TestCoin {
    const get = at(entry)
    return {
      txid: text(get('txid')),
      vout: Number(get('vout')),
      value: parseAmount(Number(get('amount')).toFixed(8)),
      script: fromHex(text(get('scriptPubKey'))) ?? new Uint8Array(0),
    }
  }

  /** A transaction in hex that nobody has signed. */
  unsigned(
    coins: readonly TestCoin[],
    outputs: readonly TransactionOutput[],
    lockTime = 0,
    sequence = 0xffffffff,
  ): string {
    const inputs = coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(0), sequence, witness: [] }))
    return toHex(encodeTransaction({ version: 2, inputs, outputs: [...outputs], lockTime }))
  }

  /** The same signed by the wallet. */
  async sign(
    coins: readonly TestCoin[],
    outputs: readonly TransactionOutput[],
    lockTime = 0,
    sequence = 0xffffffff,
  ): Promise<string> {
    const answer = at(
      await this.call('signrawtransactionwithwallet', this.unsigned(coins, outputs, lockTime, sequence)),
    )
    if (answer('complete') !== true) throw new Error(`not signed: ${JSON.stringify(answer())}`)
    return text(answer('hex'))
  }

  async send(hex: string): Promise<string> {
    return text(await this.call('sendrawtransaction', hex))
  }

  /** Spends a coin back to its own script, with data of `dataBytes` bytes if any, and sends it. */
  async spend(
    coin: TestCoin,
    { dataBytes = 0, fee = FEE }: { dataBytes?: number; fee?: bigint } = {},
  ): Promise<TestCoin & { hex: string }> {
    const change = { value: coin.value - fee, script: coin.script }
    const data = { value: 0n, script: writeOpReturn(new Uint8Array(dataBytes).fill(0xab)) }
    const hex = await this.sign([coin], dataBytes > 0 ? [change, data] : [change])
    return { txid: await this.send(hex), vout: 0, ...change, hex }
  }
}
