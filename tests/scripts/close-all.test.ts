import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { closeAll } from '../../scripts/close-all.ts'

const script = (name: string) => JSON.stringify(fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url)))

/** A process as `npm start` is one: its Worker never returns from its first request. */
const PARENT = `
  import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
  import { closeAll } from ${script('close-all.ts')}
  import { endWithParent } from ${script('end-with-parent.ts')}
  import { subscribe } from 'node:diagnostics_channel'
  endWithParent()
  const pids = []
  subscribe('child_process', ({ process }) => process.once('spawn', () => pids.push(process.pid)))
  const modules = [{ type: 'ESModule', path: 'index.js', contents: 'export default { fetch() { for (;;); } }' }]
  const miniflare = new Miniflare(convertV4MiniflareOptions({ modules, rootPath: '/', compatibilityDate: '2026-01-01' }))
  const url = await miniflare.ready
  process.on('SIGINT', async () => {
    await closeAll([() => miniflare.dispose()], 500)
    process.exit(0)
  })
  void fetch(url).catch(() => undefined)
  setTimeout(() => console.log(JSON.stringify(pids)), 500)
`

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

afterEach(() => void vi.restoreAllMocks())

test('everything is closed, the last opened first, even if some hang or fail', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const closed: string[] = []
  const closers = [
    () => closed.push('first'),
    () => new Promise(() => undefined),
    () => {
      throw new Error('broken')
    },
    () => closed.push('last'),
  ]
  expect(await closeAll(closers, 20)).toBe(false)
  expect(closed).toEqual(['last', 'first'])
  expect(said).toHaveBeenCalledTimes(2)
  expect(await closeAll([() => undefined])).toBe(true)
})

test('Ctrl-C ends a Worker that never returns from a request', async () => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const pids: number[] = JSON.parse(line)
  expect(pids.length).toBeGreaterThan(0)
  parent.kill('SIGINT')
  await once(parent, 'exit')
  await expect.poll(() => pids.some(isAlive), { timeout: 60_000 }).toBe(false)
})
