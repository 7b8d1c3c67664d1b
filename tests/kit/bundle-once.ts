import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildHookIfStale } from '../../scripts/build.ts'
import { buildConsoleIfStale } from '../../scripts/build-console.ts'
import { bundleWorker } from '../../scripts/bundle-worker.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that the built Worker lies in. */
    workerBundle: string
  }
}

/** Builds the Worker once for all files that run it, with the page helper and the console that it serves. */
export default async function bundleOnce(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'hookline-worker-'))
  await buildHookIfStale()
  await buildConsoleIfStale()
  await bundleWorker(directory)
  project.provide('workerBundle', directory)
  return () => rm(directory, { recursive: true, force: true })
}
