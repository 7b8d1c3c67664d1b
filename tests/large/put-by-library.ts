import { readFile } from 'node:fs/promises'
import { createClient, type StorageTarget } from '../../client/index.ts'

// A program of the library's: stores the file of its first argument at the target of its second one, shows what is to be
// paid on stderr, and ends with 0 once it is stored.
const { HOOKLINE_API: api = '', HOOKLINE_KEY: key = '' } = process.env
const [, , path = '', target = ''] = process.argv
const TARGETS: readonly StorageTarget[] = ['Nativecoin', 'Dogecoin', 'Bitcoin', 'IPFS']
const to = TARGETS.find((name) => name === target)
if (!to) throw new Error(`There is no target ${target}.`)

const { items, failed } = await createClient({ api, key }).put(
  { path, content: await readFile(path) },
  { to, maxFee: '1', wait: true, onPayment: ({ uri }) => console.error(`pay ${uri} `) },
)
for (const { error } of failed) console.error(error.message)
process.exitCode = failed.length === 0 && items.every(({ status }) => status === '200 OK') ? 0 : 1
