import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'
import { readFirstModules, readModules } from '../../scripts/bundle-worker.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const WRANGLER = join(createRequire(import.meta.url).resolve('wrangler/package.json'), '..', 'bin', 'wrangler.js')

it('what Wrangler sends to Cloudflare is every module of the built Worker, byte for byte', async () => {
  const sent = await mkdtemp(join(tmpdir(), 'hookline-sent-'))
  try {
    const environment = { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' }
    await promisify(execFile)(process.execPath, [WRANGLER, 'deploy', '--dry-run', '--outdir', sent], {
      cwd: ROOT,
      env: environment,
    })
    const built = await readModules(inject('workerBundle'))
    expect((await readdir(sent)).filter((name) => name !== 'README.md').sort()).toEqual(
      built.map(({ path }) => path).sort(),
    )
    for (const { path, contents } of built) {
      expect((await readFile(join(sent, path))).equals(Buffer.from(contents)), path).toBe(true)
    }
  } finally {
    await rm(sent, { recursive: true, force: true })
  }
})

it('a Worker that starts loads neither passkeys nor the description of the API', async () => {
  const text = (modules: Awaited<ReturnType<typeof readModules>>) =>
    modules.map(({ contents }) => (typeof contents === 'string' ? contents : '')).join()
  const all = text(await readModules(inject('workerBundle')))
  const first = text(await readFirstModules(inject('workerBundle')))
  for (const part of ['android-safetynet', 'operationId']) {
    expect(all).toContain(part)
    expect(first).not.toContain(part)
  }
})
