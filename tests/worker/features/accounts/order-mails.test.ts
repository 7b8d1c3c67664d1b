import { env } from 'cloudflare:test'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendOrderMails } from '../../../../worker/features/accounts/order-mails/send-order-mails.ts'
import { add, runSql } from '../../rows.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000
const DAY = 86_400_000

beforeAll(async () => {
  await add('users', { id: 'ada', email: 'ada@example.com', status: 1, order_mails: 1 })
  await add('users', { id: 'eve', email: 'eve@example.com', status: 1, order_mails: 0 })
})

beforeEach(async () => {
  for (const table of ['mails', 'order_mails', 'events']) await runSql(`DELETE FROM ${table}`)
  await runSql(`UPDATE users SET order_mails = id = 'ada'`)
})

let orders = 0
/** A paid order of an account, of so many items, none of which is stored. */
async function paidOrder(userId: string, items: number): Promise<{ request: string; ids: string[] }> {
  const request = `request${++orders}`
  const ids = Array.from({ length: items }, (_, index) => `${request}-item${index}`)
  for (const id of ids) await add('items', { id, user_id: userId, name: `${id}.txt`, status: 202 })
  const fields = { user_id: userId, item_set: ids.join(','), amount: '1000', state: 'settled', created_at: 0 }
  await add('payment_requests', { id: request, ...fields })
  for (const item_id of ids) await add('payment_request_items', { request_id: request, item_id, waiting: 0 })
  const data = JSON.stringify({ ids, amount: 0.00001, paidIn: 'Bitcoin' })
  await add('events', { user_id: userId, type: 'request.settled', subject: request, data })
  return { request, ids }
}

async function storeItem(userId: string, id: string): Promise<void> {
  await runSql('UPDATE items SET status = 200 WHERE id = ?', id)
  await add('events', { user_id: userId, type: 'item.stored', subject: id, data: JSON.stringify({ id }) })
}

async function mails(): Promise<{ recipient: string; about: string }[]> {
  const { results } = await env.DB.prepare(
    `SELECT recipient, about FROM mails WHERE template = 'order' ORDER BY created_at, about`,
  ).all<{ recipient: string; about: string }>()
  return results
}

describe('mails about orders', () => {
  it('say once that an order is paid, and once that all of it is stored', async () => {
    const { ids } = await paidOrder('ada', 2)
    await sendOrderMails(env.DB, NOW)
    expect(await mails()).toEqual([
      {
        recipient: 'ada@example.com',
        about: expect.stringMatching(/^Your order is paid\n.* and 1 more: 0\.00001000 BTC/),
      },
    ])
    await storeItem('ada', ids[0] ?? '')
    await sendOrderMails(env.DB, NOW + MINUTE)
    expect(await mails()).toHaveLength(1)
    await storeItem('ada', ids[1] ?? '')
    for (const minutes of [2, 3]) await sendOrderMails(env.DB, NOW + minutes * MINUTE)
    // A reorganisation has it stored again.
    await storeItem('ada', ids[1] ?? '')
    await sendOrderMails(env.DB, NOW + 4 * MINUTE)
    expect((await mails()).map(({ about }) => about.split('\n')[0])).toEqual([
      'Your order is paid',
      'Your order is stored',
    ])
  })

  it('say why an order stopped, and by which transaction a withdrawal was sent', async () => {
    const { ids } = await paidOrder('ada', 1)
    await sendOrderMails(env.DB, NOW)
    const stopped = JSON.stringify({ id: ids[0], name: 'a.txt', message: 'Its payment left the chain.' })
    await add('events', { user_id: 'ada', type: 'item.stopped', subject: ids[0] ?? '', data: stopped })
    const sent = { id: 'w1', blockchain: 'Dogecoin', address: 'Dabc', txid: 'f'.repeat(64), amount: 12.5 }
    await add('events', { user_id: 'ada', type: 'withdrawal.sent', subject: 'w1', data: JSON.stringify(sent) })
    await sendOrderMails(env.DB, NOW + MINUTE)
    const texts = (await mails()).map(({ about }) => about)
    expect(texts).toContain('Your order has stopped\na.txt is not written further. Its payment left the chain.')
    expect(texts).toContain(`Your withdrawal was sent\n12.50000000 DOGE left to Dabc.\nTransaction: ${'f'.repeat(64)}`)
  })

  it('are in the language of the account', async () => {
    await runSql(`UPDATE users SET language = 'de' WHERE id = 'ada'`)
    await paidOrder('ada', 2)
    await sendOrderMails(env.DB, NOW)
    expect((await mails())[0]?.about).toMatch(
      /^Ihr Auftrag ist bezahlt\n\S+ und 1 weitere: 0\.00001000 BTC sind bezahlt\./,
    )
    await runSql('UPDATE users SET language = NULL')
  })

  it('go to nobody who does not want them, nor about what was before they were wanted', async () => {
    await paidOrder('eve', 1)
    await sendOrderMails(env.DB, NOW)
    await runSql(`UPDATE users SET order_mails = 1 WHERE id = 'eve'`)
    await sendOrderMails(env.DB, NOW + MINUTE)
    expect(await mails()).toEqual([])
  })

  it('are 20 a day, and one more of all that was held, a day later', async () => {
    for (let n = 0; n < 25; n++) await paidOrder('ada', 1)
    for (const minutes of [0, 1]) await sendOrderMails(env.DB, NOW + minutes * MINUTE)
    expect(await mails()).toHaveLength(20)
    await sendOrderMails(env.DB, NOW + DAY - 1)
    expect(await mails()).toHaveLength(20)
    for (const later of [0, MINUTE]) await sendOrderMails(env.DB, NOW + DAY + later)
    const all = await mails()
    expect(all).toHaveLength(21)
    expect(all.at(-1)?.about.split('\n')).toHaveLength(6)
    expect(all.at(-1)?.about).toMatch(/^Your orders of the last day\nYour order is paid: /)
  })
})
