import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MODULE = fileURLToPath(new URL('../../scripts/end-with-parent.ts', import.meta.url))
const PARENT = `
  import { spawn } from 'node:child_process'
  import { endWithParent } from ${JSON.stringify(MODULE)}
  endWithParent()
  const idle = ['-e', 'setInterval(() => undefined, 1000)']
  const child = spawn(process.execPath, idle)
  child.once('spawn', () => setImmediate(() => console.log(child.pid)))
`

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('what a process started ends with it, even when it is killed', async () => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: parent.stdout }), 'line')
  const pid = Number(line)
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false)
})
