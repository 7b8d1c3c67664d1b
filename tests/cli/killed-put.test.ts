import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type KillSwitch, killPoints, runKilled } from '../kit/kill-put.ts'
import { ApiServer, TARGETS } from './api-server.ts'
import { User } from './run-hookline.ts'
import { serveStored } from './stored-content.ts'

const CONTENT = 'stored once'
const PUT = ['put', 'a.txt', '--to', 'nativecoin', '--max-fee', '1', '--wait']

/** A service with a wallet that pays every request each time that it is shown. */
async function start() {
  const api = await ApiServer.start([TARGETS])
  api.fake.knowsItems = true
  serveStored(api, CONTENT)
  const payments: string[] = []
  api.fake.before = ({ method, path }) => {
    const item = method === 'GET' ? api.fake.items.get(path.split('/')[3] ?? '') : undefined
    if (item?.status === '202 Accepted') item.status = '200 OK'
    return undefined
  }
  const wallet = () => {
    const paid = new Set<string>()
    return (shown: string) => {
      for (const [, address = ''] of shown.matchAll(/coin:(address\d+)/g)) {
        if (paid.has(address)) continue
        paid.add(address)
        payments.push(address)
        const request = [...api.fake.payments.values()].find((one) => one.address === address)
        for (const id of request?.ids ?? []) {
          const item = api.fake.items.get(id)
          if (item) item.status = '202 Accepted'
        }
      }
    }
  }
  return { api, wallet, payments }
}

function killSwitch(api: ApiServer): KillSwitch {
  let first = 0
  return {
    killAt(point, kill) {
      first = api.seen.length
      api.fate = (_seen, index) => {
        if (index - first !== point?.number) return 'answer'
        kill()
        return point.side === 'before' ? 'cut before' : 'cut after'
      }
    },
    requests: () => api.seen.length - first,
  }
}

async function count() {
  const { api, wallet } = await start()
  const user = new User(api.url)
  user.write('a.txt', CONTENT)
  const ran = await runKilled(user, killSwitch(api), PUT, { point: undefined, pay: wallet() })
  expect(ran.code, ran.stderr).toBe(0)
  return ran
}

it.each([
  ['with what it kept', false],
  ['with its state folder lost', true],
])('put --wait, ended by SIGKILL at requests, answers and files in turn, %s, pays once', async (_, lost) => {
  const { requests, writes } = await count()
  expect(requests).toBeGreaterThan(8)
  expect(writes).toBeGreaterThan(8)
  // All of them are the large test's; here every ninth, from another one on each time.
  const points = killPoints(requests, writes).filter((_point, index) => index % 9 === (lost ? 4 : 0))
  for (const point of points) {
    const { api, wallet, payments } = await start()
    const user = new User(api.url)
    user.write('a.txt', CONTENT)
    const what = `${point.side} ${point.at} ${point.number}`
    await runKilled(user, killSwitch(api), PUT, { point, pay: wallet() })
    if (lost) rmSync(user.path('.local'), { recursive: true, force: true })
    const end = await runKilled(user, killSwitch(api), PUT, { point: undefined, pay: wallet() })
    expect(end.code, `${what}: ${end.stderr}`).toBe(0)
    expect(payments, what).toHaveLength(1)
    const stored = [...api.fake.items.values()].filter(({ status }) => status === '200 OK')
    expect(stored, what).toHaveLength(1)
  }
})
