import { readFile, stat } from 'node:fs/promises'
import { createClient, type StorageTarget } from '../../client/index.ts'

// A program of the library's: stores the file, or the folder, of its first argument at the target of its second one, shows what is to be
// paid on stderr, and ends with 0 once it is stored.
const { HOOKLINE_API: api = '', HOOKLINE_KEY: key = '' } = process.env
const [, , path = '', target = ''] = process.argv
const TARGETS: readonly StorageTarget[] = ['Nativecoin', 'Dogecoin', 'Bitcoin', 'IPFS']
const to = TARGETS.find((name) => name === target)
if (!to) throw new Error(`There is no target ${target}.`)

const client = createClient({ api, key })
const options = { to, maxFee: '1', wait: true, onPayment: ({ uri }: { uri: string }) => console.error(`pay ${uri} `) }
const { items, failed } = (await stat(path)).isDirectory()
  ? await client.putFolder(path, options)
  : await client.put({ path, content: await readFile(path) }, options)
for (const { error } of failed) console.error(error.message)
process.exitCode = failed.length === 0 && items.every(({ status }) => status === '200 OK') ? 0 : 1
