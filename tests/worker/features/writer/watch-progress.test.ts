import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi, noise } from '../items/api.ts'
import { newUser, paidItem, readAnswer, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

beforeEach(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

async function mineAndWork(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    chain.mine('Bitcoin')
    await chain.work('Bitcoin')
  }
}

const incidentsOf = async (operator: Api) => {
  const { chains } = await readAnswer(await operator.send('GET', '/operate/health'))
  return JSON.parse(JSON.stringify(chains)).Bitcoin.incidents
}
const told = async () => {
  const mails = await env.DB.prepare("SELECT COUNT(*) AS n FROM mails WHERE template = 'incident'").first<number>('n')
  const events = await env.DB.prepare("SELECT COUNT(*) AS n FROM events WHERE type = 'chain.not_moved'").first<number>(
    'n',
  )
  return { mails, events }
}

describe('what is paid and does not move', () => {
  it('is told to operators once after 36 blocks, stays in health, and is over when it moves', async () => {
    const operator = callApi((await signIn('admin')).headers)
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin', noise(70))
    chain.call('Bitcoin', 'devsetoption', ['blockmintxfee', '0.01'])
    await mineAndWork(35)
    expect(await told()).toEqual({ mails: 0, events: 0 })
    expect(await incidentsOf(operator)).toEqual([])
    await mineAndWork(3)
    expect(await told()).toEqual({ mails: 1, events: 1 })
    expect(await incidentsOf(operator)).toMatchObject([
      { code: 'not_moved', reason: expect.stringContaining(`: 1 paid item (${id}), 1 chain of transactions (`) },
    ])
    await mineAndWork(5)
    expect(await told()).toMatchObject({ mails: 1 })
    chain.call('Bitcoin', 'devsetoption', ['blockmintxfee', '0.00001'])
    await mineAndWork(4)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    expect(await incidentsOf(operator)).toEqual([])
    expect(await env.DB.prepare('SELECT COUNT(*) AS n FROM progress').first('n')).toBe(0)
  })
})
