import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { inject } from 'vitest'
import { FOLDERS } from '../../../server/object-folders.ts'
import { writeCapnp } from '../../../server/write-capnp.ts'
import { freePort } from '../../kit/free-port.ts'
import { tempFolder } from '../../kit/temp-folder.ts'
import type {} from '../provided.ts'
import { startWorkerd } from '../run-workerd.ts'

/** A bucket and a database with the probe in front. */
export interface Platform {
  /** Runs a case, or fetches an address; what it saw. */
  run(kind: 'bucket' | 'database' | 'fetch' | 'public', name: string): Promise<unknown>
  close(): Promise<void>
}

const DATE = '2026-10-01'

async function bundleProbe(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'probe.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    external: ['node:*'],
  })
  return outputFiles[0]?.text ?? ''
}

async function seenBy(answer: { status: number; text(): Promise<string> }): Promise<unknown> {
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(text)
  const { seen }: { seen: unknown } = JSON.parse(text)
  return seen
}

export async function startMiniflare(): Promise<Platform> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: 'ESModule', path: 'probe.mjs', contents: await bundleProbe() }],
      compatibilityDate: DATE,
      compatibilityFlags: ['nodejs_compat'],
      r2Buckets: { BUCKET: 'bucket' },
      d1Databases: { DB: 'database' },
    }),
  )
  return {
    run: async (kind, name) =>
      await seenBy(await miniflare.dispatchFetch(`http://probe/${kind}/${encodeURIComponent(name)}`)),
    close: async () => await miniflare.dispose(),
  }
}

/** The server's own configuration, with the probe as its main Worker. */
export async function startServer(ownServices: readonly string[] = []): Promise<Platform> {
  const folder = await tempFolder()
  await cp(join(inject('server'), 'workers'), join(folder, 'workers'), { recursive: true })
  await mkdir(join(folder, 'main'))
  await writeFile(join(folder, 'main', 'probe.mjs'), await bundleProbe())
  const config = writeCapnp({
    compatibilityDate: DATE,
    compatibilityFlags: ['nodejs_compat'],
    database: 'DB',
    bucket: 'BUCKET',
    objects: [],
    limits: [],
    version: { binding: 'DEPLOYMENT', tag: '' },
    modules: [{ name: 'probe.mjs', type: 'ESModule', path: 'main/probe.mjs' }],
  })
  await writeFile(join(folder, 'hookline.capnp'), config)
  const objects = join(folder, 'objects')
  for (const name of FOLDERS) await mkdir(join(objects, name), { recursive: true })
  const port = await freePort()
  const workerd = await startWorkerd(join(folder, 'hookline.capnp'), { objects, port, ownServices })
  return {
    run: async (kind, name) =>
      await seenBy(await fetch(`http://127.0.0.1:${port}/${kind}/${encodeURIComponent(name)}`)),
    close: async () => await workerd.stop(),
  }
}
