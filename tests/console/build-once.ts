import { buildHookIfStale } from '../../scripts/build.ts'
import { buildConsoleIfStale } from '../../scripts/build-console.ts'

/** Builds the console and the page helper once, as they are served, for all files that open them in a browser. */
export default async function buildOnce(): Promise<void> {
  await buildHookIfStale()
  await buildConsoleIfStale()
}
