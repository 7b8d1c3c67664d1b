import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildAction, buildCommand } from '../../scripts/build-command.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The built command and the built Action. */
    commandFile: string
    actionFile: string
  }
}

/** Builds the command and the Action once, as they are published, for all files that run them. */
export default async function buildOnce(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-command-'))
  const [command, action] = [join(folder, 'hookline.mjs'), join(folder, 'action.mjs')]
  // Without checkpoints, whatever this checkout has.
  await Promise.all([buildCommand(command, {}), buildAction(action)])
  project.provide('commandFile', command)
  project.provide('actionFile', action)
  return () => rm(folder, { recursive: true, force: true })
}
