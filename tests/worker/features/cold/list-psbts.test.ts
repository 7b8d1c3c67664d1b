import { env } from 'cloudflare:test'
import { beforeEach, expect, it } from 'vitest'
import { listPsbts } from '../../../../worker/features/cold/list-psbts.ts'
import { addMany, clear } from '../../rows.ts'

beforeEach(() => clear('psbts', 'withdrawals', 'stops'))

it('the hundred oldest PSBTs of a chain are shown', async () => {
  await addMany('withdrawals', 101)
  const sizes = { fee: "'3'", vsize: '100', change_vout: '0', change_value: "'0'", change_script: "''", offered: '1' }
  const made = { withdrawal_id: 'n', blockchain: "'Bitcoin'", txid: "'t' || n", psbt: "''", created_at: 'n' }
  await addMany('psbts', 101, { ...made, ...sizes })
  const { psbts } = JSON.parse(await listPsbts(env.DB))
  const ids = psbts.map(({ id }: { id: string }) => Number(id))
  expect(ids).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
})
