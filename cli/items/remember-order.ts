import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fields } from '../../client/http/parse-json.ts'
import { writeWhole } from '../state/write-whole.ts'

/** What describes an order to a person. */
export interface KnownOrder {
  api: string
  target: string
  name: string
  files: number
  /** Milliseconds since 1970. */
  at: number
}

/** Stores the description of an order next to its journal, for `hookline status`. */
export async function rememberOrder(stateFolder: string, key: string, order: KnownOrder): Promise<void> {
  await writeWhole(join(stateFolder, 'orders', key, 'order.json'), `${JSON.stringify({ version: 1, ...order })}\n`)
}

/** The orders that were begun on this machine, newest first. Unreadable ones are skipped. */
export async function listOrders(stateFolder: string): Promise<(KnownOrder & { key: string })[]> {
  const folder = join(stateFolder, 'orders')
  const keys = await readdir(folder).catch(() => [])
  const orders: (KnownOrder & { key: string })[] = []
  for (const key of keys) {
    try {
      const fields = new Fields(JSON.parse(await readFile(join(folder, key, 'order.json'), 'utf8')), 'The order')
      const [api, target, name] = [fields.string('api'), fields.string('target'), fields.string('name')]
      orders.push({ key, api, target, name, files: fields.number('files'), at: fields.number('at') })
    } catch {
      // The folders of payments do not contain this file.
    }
  }
  return orders.sort((a, b) => b.at - a.at)
}
