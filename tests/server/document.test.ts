import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { VERSION } from '../../contract/version.ts'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { packServer } from '../../scripts/build-server.ts'
import { connect } from '../kit/call-devnet.ts'
import { freePort } from '../kit/free-port.ts'
import { closeServer, listen } from '../kit/loopback-server.ts'
import { signUp } from '../kit/sign-up.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { uploadItem } from '../kit/upload-item.ts'
import type {} from './provided.ts'
import { nodeSettings } from './run-server.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'operate', 'server.md')
const TEXT = 'Stored by the document alone.'

/** The lines of the first block of shell below the heading. */
function commandsOfPage(): string[] {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('## At home beside your node\n')
  const [, block = ''] = /```sh\n(.*?)```/s.exec(section) ?? []
  return block.trim().split('\n')
}

let chains: RunningDevnet
/** Stands for the machine's root folder. */
let root: string
let port: number

/** The proxy in front, which says by which host and protocol it was asked. */
const proxy = createServer((incoming, answer) => {
  const { method, url, headers } = incoming
  const said = { ...headers, 'x-forwarded-host': 'api.example', 'x-forwarded-proto': 'https' }
  const asked = request({ host: '127.0.0.1', port, method, path: url, headers: said }, (answered) => {
    answer.writeHead(answered.statusCode ?? 502, answered.headers)
    answered.pipe(answer)
  })
  incoming.pipe(asked)
})

beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
  root = await tempFolder()
  for (const folder of ['opt', 'etc/hookline', 'etc/systemd/system', 'bin']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  // Without xz, which takes minutes: tar looks at what is in the file.
  const packed = await packServer(inject('server'), root, '--no-auto-compress')
  renameSync(packed, join(root, `hookline-server-${VERSION}-linux-x64.tar.xz`))
  if (process.arch !== 'x64') throw new Error('the page names the file of x64')
  port = await freePort()
  writeFileSync(join(root, 'edits'), await edits())
  program('nano', 'cat edits >>"$1"')
  program(
    'systemctl',
    `call=$(sed -n 's,^ExecStart=/opt,${root}/opt,p' etc/systemd/system/hookline.service)
setsid $call --env etc/hookline/env >log 2>&1 &
echo $! >pid`,
  )
})
afterAll(async () => {
  process.kill(Number(readFileSync(join(root, 'pid'), 'utf8')), 'SIGTERM')
  await closeServer(proxy)
  await chains?.close()
})

/** What somebody fills in, and free ports. */
async function edits(): Promise<string> {
  const values = {
    ...(await nodeSettings(chains.url)),
    MAIL_URL: chains.outboxUrl,
    MAIL_TOKEN: 'devnet',
    MAIL_FROM: 'Hookline <hookline@localhost>',
    LISTEN: `127.0.0.1:${port}`,
    INTERNAL_LISTEN: `127.0.0.1:${await freePort()}`,
    DATA_DIR: join(root, 'data'),
  }
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

function program(name: string, script: string): void {
  writeFileSync(join(root, 'bin', name), `#!/bin/sh\ncd ${root}\n${script}\n`)
  chmodSync(join(root, 'bin', name), 0o755)
}

/** Runs a line of the page where the root folder is `root`. */
async function run(line: string): Promise<void> {
  const command = line
    .replaceAll(/(^|\s)\/(opt|etc)\//g, `$1${root}/$2/`)
    .replace(/(hookline-server (?:init|check|health))/, `$1 --env ${root}/etc/hookline/env`)
  const env = { PATH: `${join(root, 'bin')}:${process.env.PATH}` }
  await promisify(execFile)('sh', ['-c', command], { cwd: root, env })
}

it('leads to the first paid item by at most ten commands, as they stand in the page', async () => {
  const commands = commandsOfPage()
  expect(commands.length).toBeLessThanOrEqual(10)
  for (const line of commands.slice(0, -1)) await run(line)
  expect(commands.at(-1)).toMatch(/ health$/)
  await vi.waitFor(async () => await run(commands.at(-1) ?? ''), { timeout: 60_000, interval: 500 })

  const url = `http://127.0.0.1:${await listen(proxy)}`
  const token = await signUp({ url, chains }, 'ada@example.com')
  const send = (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) =>
    fetch(`${url}/v0${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })
  const fields = { name: 'a.txt', mimetype: 'text/plain', blockchain: 'Nativecoin' }
  const item = await uploadItem(send, fields, new TextEncoder().encode(TEXT))
  await send('POST', `/item/${item}/merge`)
  await expect.poll(async () => (await send('GET', `/item/${item}`)).status).toBe(200)
  const asked = await send('POST', '/payment', JSON.stringify({ blockchain: 'Nativecoin', ids: [item] }))
  const { address, amount } = JSON.parse(await asked.text())
  connect(chains.devnet, 'Nativecoin')('sendtoaddress', address, String(amount))
  await expect.poll(async () => await (await fetch(`${url}/v0/content/${item}`)).text()).toBe(TEXT)
  expect(execFileSync('stat', ['--format', '%a', join(root, 'etc/hookline/env')], { encoding: 'utf8' })).toBe('600\n')
})
