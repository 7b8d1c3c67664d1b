import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  assertFewDepositAddressesStatement,
  assertUnusedAddressesStatement,
  discardDepositAddressStatement,
  retireAddressStatement,
  selectAddresses,
  selectAddressesByScript,
  selectDepositAddressCount,
  selectDepositAddresses,
  selectOutermostAddresses,
  selectOwnDepositAddress,
  selectUnpaidInRow,
  selectUsedDepositAddresses,
} from '../../../../../worker/features/transactions/sql/addresses.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, read } from '../../../rows.ts'
import { clearTables } from '../../payments/sql/clear-tables.ts'

const { DB } = env

beforeEach(clearTables)

describe('addresses', () => {
  const states = () => read('addresses', 'blockchain || address', 'state')

  it('to deposit at are discarded for another, and retired when money came', async () => {
    await add('addresses', { address: 'a' }, { address: 'b', kind: 'request' }, { address: 'c', user_id: 'bob' })
    await add('addresses', { address: 'd', state: 'retired' }, { address: 'a', blockchain: 'Dogecoin' })
    await discardDepositAddressStatement(DB, 'ada', 'Bitcoin').run()
    const left = { Bitcoinb: 'current', Bitcoinc: 'current', Bitcoind: 'retired', Dogecoina: 'current' }
    expect(await states()).toEqual({ ...left, Bitcoina: 'discarded' })
    for (const address of ['a', 'c']) await retireAddressStatement(DB, 'Bitcoin', address).run()
    expect(await states()).toEqual({ ...left, Bitcoina: 'discarded', Bitcoinc: 'retired' })
  })

  it('are counted that were issued after the newest one that was paid on their chain', async () => {
    await add('addresses', ...['a', 'b', 'c'].map((address, n) => ({ address, created_at: n, state: 'retired' })))
    await add('addresses', { address: 'dog', blockchain: 'Dogecoin', created_at: 9, state: 'retired' })
    await add('outputs', { txid: 'p', address: 'a', block_height: 5 }, { txid: 'q', address: 'c' })
    await add('outputs', { txid: 'r', address: 'b', block_height: 5, blockchain: 'Dogecoin' })
    expect([await selectUnpaidInRow(DB, 'Bitcoin', 9), await selectUnpaidInRow(DB, 'Bitcoin', 1)]).toEqual([2, 1])
  })

  it('to deposit at are counted that were asked for lately', async () => {
    const old = { state: 'discarded' }
    await add(
      'addresses',
      { ...old, address: 'a', created_at: 6 },
      { ...old, address: 'b', created_at: 5 },
      { ...old, address: 'c', created_at: 7 },
    )
    await add(
      'addresses',
      { ...old, address: 'd', created_at: 9, kind: 'request' },
      { ...old, address: 'e', created_at: 9, user_id: 'bob' },
    )
    await add('addresses', { ...old, address: 'f', created_at: 9, replaces: 'a' })
    expect(await selectDepositAddressCount(DB, 'ada', 5)).toBe(2)
    expect(await batchIf(DB, [assertFewDepositAddressesStatement(DB, 'ada', 5, 2)])).toBe(false)
    expect(await batchIf(DB, [assertFewDepositAddressesStatement(DB, 'ada', 5, 3)])).toBe(true)
    expect(await batchIf(DB, [assertUnusedAddressesStatement(DB, 'ada', 3)])).toBe(false)
    expect(await batchIf(DB, [assertUnusedAddressesStatement(DB, 'ada', 4)])).toBe(true)
  })

  it('are found by their user, by themselves and by their script, on their chain', async () => {
    await add(
      'addresses',
      { address: 'a', script: 's', created_at: 5 },
      { address: 'b', kind: 'request', script: 't', created_at: 1 },
    )
    await add(
      'addresses',
      { address: 'c', user_id: 'bob', script: 's', created_at: 9 },
      { address: 'd', state: 'discarded', script: 'x', created_at: 6 },
    )
    await add(
      'addresses',
      { address: 'e', blockchain: 'Dogecoin', script: 's', created_at: 99 },
      { address: 'f', blockchain: 'Dogecoin', state: 'retired', created_at: -9 },
    )
    expect(await selectDepositAddresses(DB, 'ada')).toEqual({ Bitcoin: 'a', Dogecoin: 'e' })
    expect((await selectOwnDepositAddress(DB, 'ada', 'd'))?.createdAt).toBe(6)
    for (const address of ['b', 'c', 'none']) expect(await selectOwnDepositAddress(DB, 'ada', address)).toBeUndefined()
    expect(await selectOutermostAddresses(DB, 'Bitcoin')).toEqual(['b', 'c'])
    expect(await selectOutermostAddresses(DB, 'Nativecoin')).toEqual([])
    expect((await selectAddresses(DB, 'Bitcoin', ['a', 'b', 'e'])).map(({ address }) => address).sort()).toEqual([
      'a',
      'b',
    ])
    expect((await selectAddressesByScript(DB, 'Bitcoin', ['s', 'y'])).map(({ address }) => address).sort()).toEqual([
      'a',
      'c',
    ])
  })

  it('to deposit at that are used are those that money is on its way to', async () => {
    const users = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    await add('addresses', ...users.map((address) => ({ address, user_id: address })))
    await add(
      'addresses',
      { address: 'r', kind: 'request' },
      { address: 'x', state: 'discarded' },
      { address: 'e', blockchain: 'Dogecoin' },
    )
    await add(
      'outputs',
      { address: 'a', txid: 'a' },
      { address: 'b', txid: 'b', credited: 1 },
      { address: 'c', txid: 'c', dropped: 1 },
    )
    await add(
      'outputs',
      { address: 'd', txid: 'd', blockchain: 'Dogecoin' },
      { address: 'r', txid: 'r' },
      { address: 'x', txid: 'x' },
    )
    await add(
      'failed_records',
      { id: 'f', kind: 'address' },
      { id: 'g', kind: 'request' },
      { id: 'h', kind: 'address', blockchain: 'Dogecoin' },
    )
    await add('outputs', { address: 'e', txid: 'e' })
    const used = async (limit: number) =>
      (await selectUsedDepositAddresses(DB, 'Bitcoin', limit)).map((one) => one.blockchain + one.address).sort()
    expect(await used(9)).toEqual(['Bitcoina', 'Bitcoine', 'Bitcoinf'])
    expect(await used(1)).toHaveLength(1)
  })
})
