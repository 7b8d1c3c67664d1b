import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scheduler } from 'node:timers/promises'
import { insertHistory } from './insert-history.ts'
import { DATA_BYTES, Service, type Step } from './service.ts'

/** The number of oldest blocks that the history is spread over. */
const OLD_BLOCKS = 100

/** Incompressible bytes, different for each item. */
function contentOf(item: number, length: number): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = []
  for (let part = 0; part * 32 < length; part++) parts.push(createHash('sha256').update(`${item} ${part}`).digest())
  return Uint8Array.from(Buffer.concat(parts).subarray(0, length))
}

/**
 * `measure-steps.ts history warm items transactions`: prints JSON lines `{"busy":…,"value":…,"limit":…}`, one for each pair of steps:
 * the milliseconds of CPU with a history of that many settled payments and written items, and without one. Between the
 * items, each of that many transactions, as many steps find nothing to do but a new block.
 */
async function measureSteps(
  [history = 0, warm = 0, items = 0, transactions = 0]: number[],
  dir: string,
): Promise<void> {
  const services = [new Service(join(dir, 'full.db')), new Service(join(dir, 'empty.db'))] as const
  const [full, empty] = services
  const oldest = full.node.chain.active.slice(0, OLD_BLOCKS).map(({ hash }) => hash)
  insertHistory(full.d1, history, 'Bitcoin', oldest)
  insertHistory(empty.d1, 0, 'Bitcoin', oldest)

  async function pair(turn: number): Promise<void> {
    const order = turn % 2 === 0 ? services : services.toReversed()
    const steps = new Map<Service, Step>()
    for (const service of order) steps.set(service, await service.step())
    const [value, limit] = [steps.get(full), steps.get(empty)]
    if (!value || !limit) return
    if (value.busy !== limit.busy) throw new Error('the two services did not do the same')
    if (turn >= warm) console.log(JSON.stringify({ busy: value.busy, value: value.ms, limit: limit.ms }))
  }

  const unwritten = () =>
    empty.d1.rows(
      `SELECT 1 FROM writes WHERE state != 'done' UNION ALL SELECT 1 FROM payment_requests WHERE state != 'settled'`,
    )
  let turn = 0
  for (let item = 0; item < items; item++) {
    for (const service of services) await service.pay(contentOf(item, transactions * DATA_BYTES))
    const paidAt = turn
    while (unwritten().length > 0) await pair(turn++)
    for (let idle = turn - paidAt; idle > 0; idle--) await pair(turn++)
  }
  for (const { d1 } of services) d1.close()
}

// A global of workerd, and a module of Node.
Reflect.set(globalThis, 'scheduler', scheduler)
const dir = await mkdtemp(join(tmpdir(), 'hookline-steps-'))
// A million rows are 3.4 GB, which a run that is ended early leaves behind otherwise.
process.on('exit', () => rmSync(dir, { recursive: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
await measureSteps(process.argv.slice(2).map(Number), dir)
