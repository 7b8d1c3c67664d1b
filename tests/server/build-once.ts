import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildHookIfStale } from '../../scripts/build.ts'
import { buildConsoleIfStale } from '../../scripts/build-console.ts'
import { buildServer } from '../../scripts/build-server.ts'
import type {} from './provided.ts'

/** Builds the server once for all files that run it. */
export default async function buildOnce({ provide }: TestProject): Promise<() => Promise<void>> {
  await buildHookIfStale()
  await buildConsoleIfStale()
  const folder = await mkdtemp(join(tmpdir(), 'hookline-server-'))
  await buildServer(folder)
  provide('server', folder)
  return async () => await rm(folder, { recursive: true, force: true })
}
