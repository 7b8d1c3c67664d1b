import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { StorageTarget } from '../../../../protocol/chains.ts'
import { checkEstimate } from '../../../../worker/features/payments/check-estimate.ts'
import { estimateJson, estimatePrice } from '../../../../worker/features/payments/estimate-price.ts'
import { paymentParts } from '../../../../worker/features/payments/payment-parts.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'

const set = readConfig(env)
const bitcoin = { ...set.chains.Bitcoin, pricePerKib: 7n, maxDataBytes: 80 }
const config = { ...set, ipfs: { ...set.ipfs, pricePerKib: 1_000n }, chains: { ...set.chains, Bitcoin: bitcoin } }
const MIB = 1 << 20

/** KiB begun that a file counts for on IPFS. */
const kib = (size: number) => estimatePrice([size], 'IPFS', 0n, config).storageFee / 1_000n

describe('the estimate of a price', () => {
  it('counts on IPFS 989 bytes for a place in a directory, and 80 for each leaf and 32 for each node above several', () => {
    expect([kib(35), kib(36)]).toEqual([1n, 2n])
    // A node has 1,024 links: one leaf more needs two nodes, and one above them.
    const shapes: [leaves: number, nodes: number, above: number][] = [
      [1, 0, 0],
      [2, 1, 0],
      [1024, 1, 0],
      [1025, 3, 2],
    ]
    for (const [leaves, nodes, above] of shapes) {
      const overhead = 989 + 80 * (leaves > 1 ? leaves + above : 0) + 32 * nodes
      const most = leaves * MIB - (overhead % 1024)
      const whole = BigInt((most + overhead) / 1024)
      expect([leaves, kib(most), kib(most + 1)]).toEqual([leaves, whole, whole + 1n])
    }
  })

  it('is the price of each 200 files together, and of nothing else', () => {
    const one = estimatePrice([80], 'Bitcoin', 1_000n, config)
    expect(one).toMatchObject({ storageFee: 7n, transactions: 2, dustFee: 0n })
    expect(one.amount).toBe(one.networkFee + 7n)
    const whole = estimatePrice(new Array(200).fill(80), 'Bitcoin', 1_000n, config)
    const more = estimatePrice(new Array(201).fill(80), 'Bitcoin', 1_000n, config)
    expect(more.networkFee).toBe(whole.networkFee + one.networkFee)
    expect(more.storageFee).toBe(whole.storageFee + one.storageFee)
    expect(more.transactions).toBe(402)
    expect(estimatePrice([], 'Bitcoin', 1_000n, config)).toEqual({
      ...{ amount: 0n, networkFee: 0n, storageFee: 0n, dustFee: 0n, transactions: 0 },
    })
  })

  it('counts a directory as one item: on a chain with the header of its CAR and 40 bytes a block', () => {
    const bytes = (sizes: number[]) => {
      const { transactions } = estimatePrice(sizes, 'Bitcoin', 1_000n, config, { directory: true })
      return transactions * 80
    }
    // 59 of the header, 989 of its place, 40 for each of 4 blocks, 4 of the Brotli stream around.
    expect([bytes([68]), bytes([69])]).toEqual([1_280, 1_360])
    const two = estimatePrice([80, 80], 'Bitcoin', 1_000n, config)
    expect(estimatePrice([80, 80], 'Bitcoin', 1_000n, config, { directory: true }).transactions).toBeGreaterThan(
      two.transactions,
    )
    const ipfs = estimatePrice(new Array(1_000).fill(1), 'IPFS', 0n, config, { directory: true })
    expect(ipfs.storageFee).toBe(BigInt(Math.ceil((990 * 1_000) / 1_024)) * 1_000n)
  })

  it('is for files as large as the place takes: on a chain no larger than what is decoded at once', () => {
    const limits = { ...config, maxItemBytes: 10, maxDecodedBytes: 9 }
    const sizes = (blockchain: StorageTarget, size: number) =>
      checkEstimate({ blockchain, files: [{ size }] }, limits).sizes
    expect([sizes('Bitcoin', 9), sizes('IPFS', 10)]).toEqual([[9], [10]])
    expect(() => sizes('Bitcoin', 10)).toThrow('may have 9')
    expect(() => sizes('IPFS', 11)).toThrow('may have 10')
  })

  it('says what is added because the network relays no smaller output, to the last base unit', () => {
    const cheap = { ...config, ipfs: { ...config.ipfs, pricePerKib: 1n } }
    expect(estimatePrice([35], 'IPFS', 0n, cheap)).toMatchObject({ amount: 546n, storageFee: 1n, dustFee: 545n })
    const about = { target: 'IPFS' as const, blockchain: 'Nativecoin' as const, readAt: 0 }
    const told = (dustFee: bigint) =>
      JSON.parse(estimateJson({ ...estimatePrice([35], 'IPFS', 0n, cheap), dustFee }, about)).dustFee
    expect([told(0n), told(1n)]).toEqual([undefined, 0.00000001])
    const parts = { networkFee: 100n, storageFee: 445n }
    expect(paymentParts({ amount: 546n, parts })).toEqual({ ...parts, dustFee: 1n })
  })

  it('counts no index where the transactions of the target hold too little for one, not even by default', () => {
    const nativecoin = { ...set.chains.Nativecoin, maxDataBytes: 80 }
    const small = { ...config, chains: { ...config.chains, Nativecoin: nativecoin } }
    const estimate = (index?: boolean) => estimatePrice([800], 'Nativecoin', 1_000n, small, { index })
    expect(estimate()).toEqual(estimate(false))
  })
})
