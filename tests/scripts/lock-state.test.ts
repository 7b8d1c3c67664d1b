import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockState, StateLockedError } from '../../scripts/lock-state.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-lock-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Another process that has the lock. */
async function otherOwner() {
  const script = `
    import { lockState } from ${JSON.stringify(join(ROOT, 'scripts/lock-state.ts'))}
    const unlock = lockState(${JSON.stringify(folder)})
    console.log('locked')
    setInterval(() => unlock.length, 1000)
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}

test('a second process is refused with a sentence that names the first', async () => {
  const other = await otherOwner()
  try {
    expect(() => lockState(folder)).toThrow(StateLockedError)
    expect(() => lockState(folder)).toThrow(`another npm start (process ${other.pid}). Stop that one first`)
  } finally {
    other.kill('SIGKILL')
    await once(other, 'exit')
  }
})

test('a process that was killed leaves nothing that blocks the next', async () => {
  const other = await otherOwner()
  other.kill('SIGKILL')
  await once(other, 'exit')
  lockState(folder)()
})

test('the state can be locked again once it was released', () => {
  lockState(folder)()
  lockState(folder)()
})

// With symbolic links preserved, the scripts treat the folder as their own copy of the project.
async function runScript(name: string): Promise<{ status: unknown; errors: string }> {
  const links = [
    'client-hook',
    'contract',
    'd1-migrations',
    'devnet',
    'examples',
    'node_modules',
    'protocol',
    'reader',
    'scripts',
    'worker',
  ]
  for (const link of links) await symlink(join(ROOT, link), join(folder, link), 'junction')
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main']
  const child = spawn(process.execPath, [...flags, join(folder, 'scripts', name)], {
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { status, errors }
}

test.each(['start.ts', 'reset.ts'])('%s refuses to touch a state that is in use', async (name) => {
  const unlock = lockState(join(folder, '.hookline'))
  try {
    const { status, errors } = await runScript(name)
    expect(errors).toBe(
      `.hookline/ is in use by another npm start (process ${process.pid}). Stop that one first, or work in another copy of this folder.\n`,
    )
    expect(status).toBe(1)
  } finally {
    unlock()
  }
})
